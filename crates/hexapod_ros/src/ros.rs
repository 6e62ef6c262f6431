//! The process's connection to ROS.

use crate::arguments::explained;
use crate::environment::{no_domain, no_middleware};
use crate::error::RosError;
use crate::local::LocalTopics;
use crate::log;
use crate::rmw_watchdog::RmwWatchdog;
use crate::shutdown::Shutdown;
use hexapod_config::ros_params::ParamSpec;
use hexapod_rcl::{Context, RclError};
use std::ffi::OsString;
use std::sync::Arc;

/// The process's one connection to ROS.
#[derive(Clone)]
pub struct Ros {
    pub(crate) context: Context,
    pub(crate) local: Option<LocalTopics>,
    /// Names of the parameters of all nodes in this process, where there are several.
    pub(crate) names: Arc<[&'static str]>,
    pub(crate) rmw_watchdog: RmwWatchdog,
}

/// What rcl is to see of a process's arguments: it takes `a:=b` before `--ros-args` for a renaming in old syntax.
fn for_ros(mut arguments: impl Iterator<Item = OsString>, parameters: &[String]) -> Vec<OsString> {
    let mut kept: Vec<OsString> = arguments.next().into_iter().chain(["--ros-args".into()]).collect();
    // An empty text goes in quotes.
    let quoted =
        |parameter: &String| if parameter.ends_with(":=") { format!("{parameter}\"\"") } else { parameter.clone() };
    kept.extend(parameters.iter().flat_map(|parameter| ["-p".into(), quoted(parameter).into()]));
    kept.extend(arguments.skip_while(|argument| argument != "--ros-args").skip(1));
    kept
}

impl Ros {
    /// Reads the process's `--ros-args` and connects.
    ///
    /// # Errors
    /// The arguments are malformed, or there is no middleware.
    pub fn init() -> Result<Self, RosError> {
        Self::init_with(&[])
    }

    /// The same, with parameters of all nodes, as in `rate:=50.0`, that count where `--ros-args` says nothing of them.
    ///
    /// # Errors
    /// As [`init`](Self::init).
    pub fn init_with(parameters: &[String]) -> Result<Self, RosError> {
        log::begin();
        let variable = |name| std::env::var(name).unwrap_or_default();
        let objection = no_domain(&variable("ROS_DOMAIN_ID"))
            .or_else(|| no_middleware(&variable("RMW_IMPLEMENTATION"), hexapod_rcl::middleware));
        if let Some(reason) = objection {
            return Err(RosError::Context(reason));
        }
        match Context::create(for_ros(std::env::args_os(), parameters)) {
            Ok(context) => {
                Ok(Self { context, local: None, names: Arc::default(), rmw_watchdog: RmwWatchdog::default() })
            }
            Err(RclError::Arguments { words }) => Err(RosError::Arguments(explained(&words))),
            Err(error) => Err(RosError::Context(error.to_string())),
        }
    }

    /// Watches whether the nodes' threads come back from the middleware. Where one does not, nothing is heard any more:
    /// `process` is asked to end, and ends, 1 its exit status, as soon as the robot is down.
    ///
    /// # Errors
    /// The watching thread cannot be started.
    pub fn watch_rmw(&self, process: &Shutdown) -> Result<(), RosError> {
        self.rmw_watchdog.watch(process).map_err(|error| RosError::Thread(format!("hearing: {error}")))
    }

    /// Hands the messages of shared topics over between the nodes of this process without the middleware, which must
    /// have been set not to do so itself.
    #[must_use]
    pub fn with_local_topics(self) -> Self {
        Self { local: Some(LocalTopics::default()), ..self }
    }

    /// For a process in which other nodes have the parameters of `specs`: one that `--ros-args` set on every node, as
    /// `-p gait:=ripple`, is for the nodes that have it.
    #[must_use]
    pub fn with_sibling_params(self, specs: &[ParamSpec]) -> Self {
        Self { names: specs.iter().map(|spec| spec.name).collect(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_process_has_arguments_of_its_own_expect_ros_to_see_parameters_and_its_own() {
        let seen = |line: &str, parameters: &[&str]| {
            let parameters: Vec<String> = parameters.iter().map(|each| (*each).to_owned()).collect();
            let kept = for_ros(line.split(' ').map(OsString::from), &parameters);
            kept.into_iter().map(|each| each.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(seen("hexapod run -p gait:=ripple", &[]), "hexapod --ros-args");
        assert_eq!(seen("planner", &["rate:=50.0"]), "planner --ros-args -p rate:=50.0");
        assert_eq!(seen("planner", &["frame:="]), "planner --ros-args -p frame:=\"\"");
        assert_eq!(seen("a -p x:=1 --ros-args -p y:=2 -- b", &["x:=1"]), "a --ros-args -p x:=1 -p y:=2 -- b");
    }
}
