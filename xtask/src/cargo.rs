//! Cargo, called from a program that cargo runs.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::layout::{Layout, target_dir};

/// The benches of the pure crates, and the only crate that is not built with the others: its peer's dependencies have
/// other features, with which cargo would compile r2r once more.
pub const BENCH: &str = "hexapod_bench";
/// The robot in a physics engine.
pub const SIM: &str = "hexapod_sim";
/// The walking engine for a browser.
pub const WASM: &str = "hexapod_wasm";

/// The package that holds the executables.
pub const PACKAGE: &str = "hexapod";

/// A cargo command in the workspace.
pub fn cargo(layout: &Layout) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(layout.root());
    forget_xtask(&mut command);
    command
}

/// Removes what cargo tells xtask about itself, which build scripts would take for news and run again.
pub fn forget_xtask(command: &mut Command) {
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in names.filter(|name| name.to_str().is_some_and(is_about_xtask)) {
        command.env_remove(name);
    }
    // A relative folder was relative to where the user stands.
    if std::env::var_os("CARGO_TARGET_DIR").is_some()
        && let Ok(target) = target_dir()
    {
        command.env("CARGO_TARGET_DIR", target);
    }
}

fn is_about_xtask(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Where release executables are.
pub fn release_dir() -> Result<PathBuf> {
    Ok(target_dir()?.join("release"))
}

/// Runs `command` to its end, its output going where ours goes.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().context("cannot start cargo")?;
    if !status.success() {
        bail!("cargo ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_variable_is_the_users_expect_it_kept() {
        assert!(is_about_xtask("CARGO_PKG_NAME") && is_about_xtask("CARGO_MANIFEST_DIR"));
        assert!(!is_about_xtask("CARGO_HOME") && !is_about_xtask("CARGO_TARGET_DIR") && !is_about_xtask("CARGO"));
    }
}
