//! The Python interpreter the setup starts from.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::process::{find_program, read};

/// Minor versions of Python 3 the wheels exist for.
const SUPPORTED: std::ops::RangeInclusive<u32> = 10..=14;

/// Interpreters to try; the wheels exist for all of these.
const CANDIDATES: [&str; 6] = ["python3", "python3.12", "python3.13", "python3.11", "python3.10", "python3.14"];

const PROBE: &str = "
import importlib.util as u, os, sys, sysconfig
print(sys.version_info[0], sys.version_info[1])
print(all(u.find_spec(m) for m in ('venv', 'ensurepip')))
print(os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')))
";

/// What an interpreter has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Python {
    /// The program.
    pub program: PathBuf,
    /// Its version, 3.x.
    pub minor: u32,
    /// Whether virtual environments can be made.
    pub has_venv: bool,
    /// Whether extension modules can be compiled.
    pub has_headers: bool,
}

impl Python {
    fn parse(program: PathBuf, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let minor = lines.next()?.strip_prefix("3 ")?.parse().ok()?;
        let mut flag = || lines.next().map(|line| line == "True");
        Some(Self { program, minor, has_venv: flag()?, has_headers: flag()? })
    }

    fn lacks(&self) -> u32 {
        u32::from(!self.has_venv) + u32::from(!self.has_headers)
    }
}

/// The interpreter of a supported version in `path` (outside of `ros`) that lacks least.
pub fn find(path: &str, ros: &Path) -> Option<Python> {
    let found = CANDIDATES.iter().filter_map(|name| {
        let program = find_program(name, path, ros)?;
        let text = read(isolated(&program).args(["-I", "-c", PROBE])).ok()?;
        Python::parse(program, &text).filter(|python| SUPPORTED.contains(&python.minor))
    });
    found.min_by_key(Python::lacks)
}

/// `3.x` as the interpreter itself says, without its site-packages.
pub fn version(program: &Path) -> Result<String> {
    read(isolated(program).args(["-I", "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]))
}

/// A command for `program` that sees none of the variables of a ROS 2 in this shell.
pub fn isolated(program: &Path) -> Command {
    let mut command = Command::new(program);
    for name in ["PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH"] {
        command.env_remove(name);
    }
    // One of the wheels restarts python to set LD_LIBRARY_PATH unless it sees this.
    command.env("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_probe_answers_expect_its_facts() {
        let python = Python::parse("p".into(), "3 12\nTrue\nFalse\n").unwrap();
        assert_eq!(python, Python { program: "p".into(), minor: 12, has_venv: true, has_headers: false });
        assert_eq!(python.lacks(), 1);
    }

    #[test]
    fn when_the_probe_answers_nonsense_expect_none() {
        for text in ["", "2 7\nTrue\nTrue", "3 x\nTrue\nTrue", "3 12\nTrue"] {
            assert_eq!(Python::parse("p".into(), text), None, "{text}");
        }
    }
}
