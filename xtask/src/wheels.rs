//! The Python environment and the packages installed into it from lock files with hashes.

use std::fs::{self, File};
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::process::run_logged;
use crate::progress::Step;
use crate::python::{Python, isolated};
use crate::stamp;

/// A lock file: every package with the hashes of all its files.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    names: Vec<String>,
    from_source: bool,
}

impl Lock {
    /// Reads the lock file at `path`.
    pub fn read(path: PathBuf, from_source: bool) -> Result<Self> {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { path, names: package_names(&text), from_source })
    }

    /// How many packages it holds.
    pub fn packages(&self) -> usize {
        self.names.len()
    }
}

/// Names in a lock file; a package locked in several versions (by Python version) counts once.
fn package_names(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.split_once("==")).map(|(name, _)| name);
    let mut names: Vec<_> = names.filter(|name| is_name(name)).map(str::to_owned).collect();
    names.dedup();
    names
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Makes an empty environment. What an earlier, interrupted run left is removed: half an installation is not worth
/// repairing.
pub fn make_venv(layout: &Layout, python: &Python, lock: &File) -> Result<()> {
    stamp::remove(&layout.venv())?;
    let mut command = isolated(&python.program);
    command.args(["-m", "venv"]).arg(layout.venv());
    run_logged(command, lock, |_| ()).context("cannot make a Python environment")
}

/// Installs what the locks name, nothing else, each file checked against its hash.
pub fn install(layout: &Layout, locks: &[Lock], step: &Step, lock: &File) -> Result<()> {
    let total: usize = locks.iter().map(Lock::packages).sum();
    let mut collected = 0;
    for packages in locks {
        let mut command = isolated(&layout.python());
        command.args(["-m", "pip", "install", "--require-hashes", "--no-deps", "--no-compile", "--no-input"]);
        command.args(["--disable-pip-version-check", "--progress-bar", "off"]);
        // Sources are built with the setuptools of the lock, not with one that pip would pick.
        command.args(if packages.from_source {
            ["--no-build-isolation"].as_slice()
        } else {
            &["--only-binary", ":all:"]
        });
        command.arg("-r").arg(&packages.path);
        run_logged(command, lock, |line| {
            if line.starts_with("Collecting") {
                collected += 1;
                step.note(&format!("{collected}/{total} {}", line.trim_start_matches("Collecting ")));
            } else if line.starts_with("Installing") {
                step.note("unpacking");
            }
        })
        .context("cannot install the Python packages; check the network and `pip config list`, then run this again")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_lock_is_read_expect_each_package_once() {
        let text = "# see a==b\nnumpy==2.2 ; python_full_version < '3.11' \\\n    --hash=sha256:00\n    # via x\n\
                    numpy==2.4 ; python_full_version == '3.11.*' \\\nros-rcl==9.2.8 \\\n";
        assert_eq!(package_names(text), ["numpy", "ros-rcl"]);
    }
}
