//! Why a message of `joint_commands` was refused, in words.

use std::sync::Arc;

/// Why a message was refused as a whole.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// As many names as positions are needed.
    #[error("{names} names but {positions} positions")]
    Lengths {
        /// Number of names.
        names: usize,
        /// Number of positions.
        positions: usize,
    },
    /// As many positions as names, or as joints with a servo, are needed.
    #[error(
        "{names} names, {driven} of them of joints with a servo, but {positions} positions: it is not clear which joints \
        these are for. In <ros2_control>, give each joint with a servo the command interface position, and no other joint one"
    )]
    Unassigned {
        /// Number of names.
        names: usize,
        /// How many of them have a servo.
        driven: usize,
        /// Number of positions.
        positions: usize,
    },
    /// A position for a joint that no servo moves.
    #[error("no servo drives joint `{0}`: give it no command interface")]
    NoServo(String),
    /// No servo drives a joint of this name: most likely the sender was started with another robot.
    #[error("{robot} has no joint {joint:?}; start the sender and servo_driver with the same `urdf`")]
    UnknownJoint {
        /// The name.
        joint: String,
        /// The robot whose joints are driven.
        robot: Arc<str>,
    },
    /// A joint is named twice.
    #[error("joint `{0}` is named twice")]
    Twice(String),
    /// Another source commands a joint.
    #[error("joint `{joint}` is already commanded by another source; stop one of the two")]
    Owned {
        /// The joint.
        joint: String,
    },
    /// A position is NaN or infinite.
    #[error("the position of joint `{joint}` is {angle_rad}, not a finite angle")]
    NotFinite {
        /// The joint.
        joint: String,
        /// The position.
        angle_rad: f64,
    },
}
