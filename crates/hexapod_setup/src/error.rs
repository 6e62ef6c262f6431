//! Why a node cannot be set up.

use hexapod_config::ConfigError;

/// What does not hold.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SetupError {
    /// Something in a file.
    #[error(transparent)]
    File(#[from] ConfigError),
    /// A parameter's value, which is well formed and in range, but not for this robot.
    #[error("{node}: parameter `{name}`: {reason}")]
    Parameter {
        /// Name of the node.
        node: &'static str,
        /// Name of the parameter.
        name: &'static str,
        /// What is wrong and what would be right.
        reason: String,
    },
}
