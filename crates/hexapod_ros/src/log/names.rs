//! Which node an event belongs to.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The names of this process.
pub(crate) static NAMES: Names = Names(Mutex::new(Known { loggers: vec![], others: String::new() }));

/// Loggers by the crates or nodes whose events they tell.
pub(crate) struct Names(Mutex<Known>);

struct Known {
    /// What a node was called before `--ros-args` renamed it, and its logger.
    loggers: Vec<(String, String)>,
    others: String,
}

impl Names {
    /// Tells events of the crate or node `base` under `logger`.
    pub fn call(&self, base: &str, logger: &str) {
        let mut known = self.known();
        known.loggers.retain(|(other, _)| other != base);
        known.loggers.push((base.into(), logger.into()));
    }

    /// Tells events under `name` that belong to no node.
    pub fn call_others(&self, name: &str) {
        self.known().others = name.into();
    }

    /// The logger of an event: of the node it names, or else of the crate it comes from.
    pub fn of(&self, node: Option<&str>, target: &str) -> String {
        let known = self.known();
        let logger = |base: &str| known.loggers.iter().find(|(each, _)| each == base).map(|(_, logger)| logger.clone());
        let from = target.split("::").next().unwrap_or(target);
        match node {
            Some(node) => logger(node).unwrap_or_else(|| node.into()),
            None => logger(from).unwrap_or_else(|| known.others.clone()),
        }
    }

    /// Whether a node's events have this logger.
    pub fn has(&self, logger: &str) -> bool {
        self.known().loggers.iter().any(|(_, each)| each == logger)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_an_event_comes_expect_the_logger_of_its_node_or_else_of_its_crate_or_else_of_the_process() {
        let names = Names(Mutex::new(Known { loggers: vec![], others: "hexapod".into() }));
        assert_eq!(names.of(None, "gait_planner::inbox"), "hexapod", "it has no node yet");
        names.call("gait_planner", "robot1.gait_planner");
        assert_eq!(names.of(None, "gait_planner::inbox"), "robot1.gait_planner");
        assert_eq!(names.of(Some("gait_planner"), "hexapod_ros::spin"), "robot1.gait_planner");
        assert_eq!(names.of(None, "hexapod_ros::spin"), "hexapod");
        assert_eq!(names.of(Some("drive"), "hexapod_ros::spin"), "drive");
        names.call("gait_planner", "other");
        assert!(names.has("other") && !names.has("robot1.gait_planner"));
    }
}
