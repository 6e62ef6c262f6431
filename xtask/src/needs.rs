//! What the setup needs from the machine, and the command that installs what is missing.

use std::path::Path;

use anyhow::{Result, bail};

use crate::process::find_program;
use crate::python::{self, Python};

/// Something the machine lacks: what it is, and its packages for apt, dnf and pacman.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Need {
    what: &'static str,
    packages: [&'static str; 3],
}

const MANAGERS: [(&str, &str); 3] =
    [("apt-get", "sudo apt-get install -y"), ("dnf", "sudo dnf install -y"), ("pacman", "sudo pacman -S --needed")];

const PYTHON: Need = Need { what: "Python 3.10 to 3.14", packages: ["python3", "python3", "python"] };
const VENV: Need = Need { what: "Python's venv module", packages: ["python3-venv", "python3", "python"] };
const HEADERS: Need = Need { what: "Python's C headers", packages: ["python3-dev", "python3-devel", "python"] };
const GCC: Need = Need { what: "a C compiler (gcc)", packages: ["gcc", "gcc", "gcc"] };
const GXX: Need = Need { what: "a C++ compiler (g++)", packages: ["g++", "gcc-c++", "gcc"] };
const MAKE: Need = Need { what: "make", packages: ["make", "make", "make"] };

/// Finds the interpreter to use, or says all that is missing at once.
pub fn check(ros: &Path) -> Result<Python> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!(
            "ROS 2 comes as wheels for x86_64 Linux only, and none is sourced in this shell.\n\
             Install ROS 2 (https://docs.ros.org), `source /opt/ros/<distro>/setup.bash`, and run this again."
        );
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let has = |program: &str| find_program(program, &path, ros).is_some();
    let python = python::find(&path, ros);
    let missing = missing(python.as_ref(), has);
    match python {
        Some(python) if missing.is_empty() => Ok(python),
        _ => bail!(advice(&missing, has)),
    }
}

fn missing(python: Option<&Python>, has: impl Fn(&str) -> bool) -> Vec<Need> {
    let mut missing = Vec::new();
    let mut require = |present: bool, need| {
        if !present {
            missing.push(need);
        }
    };
    require(python.is_some(), PYTHON);
    require(python.is_some_and(|python| python.has_venv), VENV);
    require(python.is_some_and(|python| python.has_headers), HEADERS);
    require(has("gcc"), GCC);
    require(has("g++"), GXX);
    require(has("make"), MAKE);
    missing
}

fn advice(missing: &[Need], has: impl Fn(&str) -> bool) -> String {
    let whats = missing.iter().map(|need| format!("  - {}", need.what)).collect::<Vec<_>>().join("\n");
    let manager = MANAGERS.iter().position(|(program, _)| has(program)).unwrap_or(0);
    let mut packages: Vec<_> = missing.iter().map(|need| need.packages[manager]).collect();
    packages.sort_unstable();
    packages.dedup();
    format!(
        "no ROS 2 is sourced, and to set one up this machine lacks:\n{whats}\nThis installs it:\n  {} {}\n\
         (or source a ROS 2 that is installed already)",
        MANAGERS[manager].1,
        packages.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(has_venv: bool) -> Python {
        Python { program: "p".into(), minor: 12, has_venv, has_headers: true }
    }

    #[test]
    fn when_all_is_there_expect_nothing_missing() {
        assert_eq!(missing(Some(&python(true)), |_| true), []);
    }

    #[test]
    fn when_nothing_is_there_expect_all_named_at_once_with_one_command() {
        let text = advice(&missing(None, |_| false), |program| program == "apt-get");
        assert!(text.contains("sudo apt-get install -y g++ gcc make python3 python3-dev python3-venv\n"), "{text}");
        assert!(text.contains("Python 3.10 to 3.14") && text.contains("make"), "{text}");
    }

    #[test]
    fn when_packages_coincide_expect_each_once() {
        let text = advice(&missing(Some(&python(false)), |program| program == "make"), |program| program == "pacman");
        assert!(text.contains("sudo pacman -S --needed gcc python\n"), "{text}");
    }
}
