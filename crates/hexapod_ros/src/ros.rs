//! The process's connection to ROS.

use crate::error::RosError;
use crate::hearing::Hearing;
use crate::local::LocalTopics;
use crate::log;
use crate::shutdown::Shutdown;
use hexapod_config::ros_params::ParamSpec;
use hexapod_rcl::{Context, RclError};
use std::sync::Arc;

/// The process's one connection to ROS.
#[derive(Clone)]
pub struct Ros {
    pub(crate) context: Context,
    pub(crate) local: Option<LocalTopics>,
    /// Names of the parameters of all nodes in this process, where there are several.
    pub(crate) names: Arc<[&'static str]>,
    pub(crate) hearing: Hearing,
}

impl Ros {
    /// Reads the process's `--ros-args` and connects.
    ///
    /// # Errors
    /// The arguments are malformed, or there is no middleware.
    pub fn init() -> Result<Self, RosError> {
        log::begin();
        match Context::create(std::env::args_os()) {
            Ok(context) => Ok(Self { context, local: None, names: Arc::default(), hearing: Hearing::default() }),
            Err(RclError::Arguments { words }) => Err(RosError::Arguments(words)),
            Err(error) => Err(RosError::Context(error.to_string())),
        }
    }

    /// Watches whether the nodes' threads come back from the middleware. Where one does not, nothing is heard any more:
    /// `process` is asked to end, and ends, 1 its exit status, as soon as the robot is down.
    ///
    /// # Errors
    /// The watching thread cannot be started.
    pub fn watch_hearing(&self, process: &Shutdown) -> Result<(), RosError> {
        self.hearing.watch(process).map_err(|error| RosError::Thread(format!("hearing: {error}")))
    }

    /// Hands the messages of shared topics over between the nodes of this process without the middleware, which must
    /// have been told not to do so itself.
    #[must_use]
    pub fn with_local_topics(self) -> Self {
        Self { local: Some(LocalTopics::default()), ..self }
    }

    /// For a process in which other nodes have the parameters of `specs`: one that `--ros-args` set on every node, as
    /// `-p gait:=ripple`, is for the nodes that have it.
    #[must_use]
    pub fn beside(self, specs: &[ParamSpec]) -> Self {
        Self { names: specs.iter().map(|spec| spec.name).collect(), ..self }
    }
}
