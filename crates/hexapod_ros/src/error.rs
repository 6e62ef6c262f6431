//! What can go wrong between a node and ROS.

/// An error at the ROS edge.
#[derive(Debug, thiserror::Error)]
pub enum RosError {
    /// `--ros-args` do not hold.
    #[error("the ROS arguments are malformed: {0}")]
    Arguments(String),
    /// No connection to ROS.
    #[error("ROS could not be initialised: {0}")]
    Context(String),
    /// A node could not be made.
    #[error("node `{node}`: {reason}")]
    Node {
        /// Name of the node.
        node: String,
        /// What rcl says.
        reason: String,
    },
    /// A topic or service could not be opened.
    #[error("`{topic}`: {reason}")]
    Topic {
        /// Name of the topic or service.
        topic: String,
        /// What rcl says.
        reason: String,
    },
    /// A thread could not be started, or ended badly.
    #[error("{0}")]
    Thread(String),
    /// A parameter given at the start does not hold.
    #[error("node `{node}`, parameter `{parameter}`: {reason}")]
    Parameter {
        /// Name of the node.
        node: String,
        /// Name of the parameter.
        parameter: String,
        /// What is wrong and what would be right.
        reason: String,
    },
}

impl RosError {
    pub(crate) fn node(node: &str, reason: impl ToString) -> Self {
        Self::Node { node: node.into(), reason: reason.to_string() }
    }

    pub(crate) fn topic(topic: &str, reason: impl ToString) -> Self {
        Self::Topic { topic: topic.into(), reason: reason.to_string() }
    }
}
