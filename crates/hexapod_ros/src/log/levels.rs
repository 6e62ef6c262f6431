//! `--log-level`, among the ROS arguments or the process's own before them. What is malformed among those for ROS, rcl
//! refuses; [`check`] tells of the others.

use super::entry::Severity;

/// Which lines are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    default: Severity,
    /// Names of loggers and their levels; of two that fit the longer counts, of two of one name the later.
    named: Vec<(String, Severity)>,
}

impl Levels {
    /// The levels that a process's arguments ask for: `--ros-args --log-level debug`, `--log-level gait_planner:=debug`.
    pub fn of(arguments: impl IntoIterator<Item = String>) -> Self {
        let mut levels = Self { default: Severity::Info, named: vec![] };
        let (mut counts, mut is_level) = (true, false);
        for argument in arguments {
            if std::mem::take(&mut is_level) {
                levels.take(&argument);
                continue;
            }
            match argument.as_str() {
                "--ros-args" => counts = true,
                "--" => counts = false,
                "--log-level" => is_level = counts,
                _ => {}
            }
        }
        levels
    }

    fn take(&mut self, asked: &str) {
        let (name, level) = asked.split_once(":=").map_or((None, asked), |(name, level)| (Some(name), level));
        let Some(severity) = severity(level) else { return };
        match name {
            None => self.default = severity,
            Some(name) => {
                self.named.retain(|(known, _)| known != name);
                self.named.push((name.into(), severity));
            }
        }
    }

    /// Whether a line of this logger is written. A level counts for the loggers below its name as well: that of
    /// `robot1` for `robot1.gait_planner`.
    pub fn allow(&self, logger: &str, severity: Severity) -> bool {
        let covers =
            |name: &str| logger.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let named = self.named.iter().filter(|(name, _)| covers(name)).max_by_key(|(name, _)| name.len());
        severity >= named.map_or(self.default, |(_, level)| *level)
    }

    /// The lowest that is written of anybody.
    pub fn lowest(&self) -> Severity {
        self.named.iter().map(|(_, level)| *level).fold(self.default, Severity::min)
    }
}

fn severity(level: &str) -> Option<Severity> {
    Severity::ALL.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(level))
}

/// Checks what is given to `--log-level`, as `debug` or `gait_planner:=debug`.
///
/// # Errors
/// It is no level; says which there are.
pub fn check(asked: &str) -> Result<(), String> {
    let level = asked.split_once(":=").map_or(asked, |(_, level)| level);
    let known = Severity::ALL.map(|known| known.as_str().to_lowercase()).join(", ");
    severity(level).map(|_| ()).ok_or_else(|| format!("{level:?} is no log level; give {known}, or NODE:=LEVEL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(arguments: &str) -> Levels {
        Levels::of(arguments.split_whitespace().map(String::from))
    }

    #[test]
    fn when_a_level_is_asked_for_expect_it_for_all_or_for_the_node_that_is_named() {
        for (arguments, logger, severity, reported) in [
            ("hexapod run", "gait_planner", Severity::Info, true),
            ("hexapod run", "gait_planner", Severity::Debug, false),
            ("hexapod run --ros-args --log-level DEBUG", "gait_planner", Severity::Debug, true),
            ("hexapod run --ros-args --log-level warn", "gait_planner", Severity::Info, false),
            ("x --ros-args --log-level gait_planner:=debug", "gait_planner", Severity::Debug, true),
            ("x --ros-args --log-level gait_planner:=debug", "servo_driver", Severity::Debug, false),
            ("x --ros-args --log-level gait:=debug", "gait_planner", Severity::Debug, false),
            ("x --ros-args --log-level robot1:=debug", "robot1.gait_planner", Severity::Debug, true),
            ("x --ros-args --log-level a.b:=fatal --log-level a:=debug", "a.b", Severity::Error, false),
            ("x --ros-args --log-level a:=debug --log-level a:=error", "a", Severity::Warn, false),
            ("x --log-level debug", "gait_planner", Severity::Debug, true),
            ("x --log-level debug --ros-args --log-level warn", "gait_planner", Severity::Info, false),
            ("x --ros-args -r a:=b -- --log-level debug", "gait_planner", Severity::Debug, false),
        ] {
            assert_eq!(levels(arguments).allow(logger, severity), reported, "{arguments}: {logger} {severity:?}");
        }
    }

    #[test]
    fn when_one_node_is_to_tell_more_expect_the_lowest_level_to_be_its_own() {
        assert_eq!(levels("x --ros-args --log-level warn --log-level a:=debug").lowest(), Severity::Debug);
        assert_eq!(levels("x --ros-args --log-level warn").lowest(), Severity::Warn);
    }
}
