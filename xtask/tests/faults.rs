//! The tests that `docs/faults.md` names, as `path::name`, exist; and each of its rows names one.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use std::fs;
use std::path::{Path, PathBuf};

/// Rows that the table must have.
const ROWS: [u32; 26] =
    [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 23, 24, 27, 29, 30, 31, 36, 37];

/// And how many the one of the servo driver has.
const DRIVER_ROWS: u32 = 24;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The tables' rows: their name, and the tests they name.
fn rows(text: &str) -> Vec<(String, Vec<String>)> {
    let name = |line: &str| line.strip_prefix("| ")?.split(' ').next().filter(|name| is_row(name)).map(String::from);
    text.lines().filter_map(|line| Some((name(line)?, tests(line)))).collect()
}

/// A number, or that of a row of the servo driver, as in `S3`.
fn is_row(name: &str) -> bool {
    name.strip_prefix('S').unwrap_or(name).parse::<u32>().is_ok()
}

fn tests(line: &str) -> Vec<String> {
    line.split('`').skip(1).step_by(2).filter(|code| code.contains("::")).map(String::from).collect()
}

fn exists(root: &Path, test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else { return false };
    let Ok(text) = fs::read_to_string(root.join(file)) else { return false };
    let keyword = if file.ends_with(".py") { "def" } else { "fn" };
    text.contains(&format!("{keyword} {name}("))
}

#[test]
fn when_the_table_of_faults_names_a_test_expect_it_to_exist() {
    let text = fs::read_to_string(root().join("docs/faults.md")).unwrap();
    let missing: Vec<String> =
        rows(&text).into_iter().flat_map(|(_, tests)| tests).filter(|test| !exists(&root(), test)).collect();
    assert!(missing.is_empty(), "docs/faults.md names tests that do not exist: {missing:#?}");
}

#[test]
fn when_the_table_of_faults_is_read_expect_every_row_to_name_a_test() {
    let text = fs::read_to_string(root().join("docs/faults.md")).unwrap();
    let rows = rows(&text);
    let driver = (1..=DRIVER_ROWS).map(|row| format!("S{row}"));
    for row in ROWS.iter().map(u32::to_string).chain(driver) {
        let tests = rows.iter().filter(|(name, _)| *name == row).map(|(_, tests)| tests.len());
        assert_eq!(tests.filter(|&count| count > 0).count(), 1, "row {row}");
    }
}

#[test]
fn when_a_test_is_misspelt_expect_it_missed() {
    assert!(exists(&root(), "xtask/tests/faults.rs::when_a_test_is_misspelt_expect_it_missed"));
    assert!(!exists(&root(), "xtask/tests/faults.rs::when_a_test_is_misspelt"));
    assert!(!exists(&root(), "xtask/tests/fault.rs::when_a_test_is_misspelt_expect_it_missed"));
    assert!(!exists(&root(), "tests/ros/test_floods.py::test_when_flooded"));
}
