//! What `enable` looked at.

use std::fmt;

/// One check made before arming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmCheck {
    /// Short name: `config`, `bus`, `boards`, `prescale`, `commands`, `pose`.
    pub name: &'static str,
    /// Whether it passed.
    pub passed: bool,
    /// What was found.
    pub detail: String,
}

impl fmt::Display for ArmCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}: {}", if self.passed { "ok" } else { "FAILED" }, self.name, self.detail)
    }
}

/// All checks made before arming.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArmReport {
    /// One entry per check, in the order they were made. Empty if the driver was armed already.
    pub checks: Vec<ArmCheck>,
}

impl ArmReport {
    /// True if every check passed, so that the driver is arming (or was armed already).
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }

    /// Notes a check and what was found.
    pub fn add(&mut self, name: &'static str, passed: bool, detail: String) {
        self.checks.push(ArmCheck { name, passed, detail });
    }
}

/// What failed comes first.
impl fmt::Display for ArmReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |passed: bool| self.checks.iter().filter(move |check| check.passed == passed);
        for (index, check) in of(false).chain(of(true)).enumerate() {
            write!(formatter, "{}{check}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}
