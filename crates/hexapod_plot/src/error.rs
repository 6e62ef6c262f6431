//! What can be wrong with a picture's input.

use thiserror::Error;

/// Why a picture could not be drawn.
#[derive(Debug, Error)]
pub enum PlotError {
    /// The text is not a URDF.
    #[error("the robot description cannot be read: {0}")]
    Urdf(#[from] urdf_rs::UrdfError),
    /// A position was given for a joint the robot has not.
    #[error("the robot has no joint \"{joint}\"; it has: {known}")]
    UnknownJoint {
        /// The name that was asked for.
        joint: String,
        /// The movable joints there are, joined by commas.
        known: String,
    },
    /// A joint position is NaN or infinite.
    #[error("the position of joint \"{joint}\" is {position}, which is not a finite number")]
    NotFinite {
        /// The joint.
        joint: String,
        /// Its position (rad or m).
        position: f64,
    },
    /// A joint's axis is zero or not finite.
    #[error("joint \"{joint}\" has no direction: its axis is zero or not finite")]
    NoAxis {
        /// The joint.
        joint: String,
    },
    /// Links that hang on no root: a parent is missing, or joints form a loop.
    #[error("link \"{link}\" does not hang on the root of the robot's tree")]
    Unconnected {
        /// The first such link.
        link: String,
    },
}
