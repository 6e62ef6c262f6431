//! r2r takes a minute to compile, with all that stands on it. Tests and executables share it as long as both ask for the
//! same features of every package.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use std::collections::BTreeSet;
use std::process::Command;

/// The packages that are compiled, with their features.
fn compiled(what: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p} {f}"])
        .args(what)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn when_executables_are_built_after_the_tests_expect_no_package_compiled_with_other_features() {
    let executables = compiled(&["--package", "hexapod", "--edges", "no-dev"]);
    let tests = compiled(&["--workspace", "--exclude", "hexapod_bench"]);
    let again: Vec<_> = executables.difference(&tests).collect();
    assert!(executables.iter().any(|package| package.starts_with("r2r ")));
    assert!(again.is_empty(), "let crates/simulator ask for what tests ask for, too: {again:#?}");
}
