//! What a robot's condition is determined from.

use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Vector2, Vector3};

/// What an IMU has reported, in the axes of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// Angular velocity, rad/s.
    pub spin: Vector3<f64>,
    /// Specific force at the body's origin, m/s²: 9.8 upwards at rest.
    pub force: Vector3<f64>,
    /// Time since the sample before, s; none after a gap.
    pub since_s: Option<f64>,
}

/// What the robot is commanded to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planned {
    /// The direction up in the body, were the ground level.
    pub up: Vector3<f64>,
    /// Feet on the ground.
    pub down: [bool; MAX_LEGS],
    /// Velocity over the ground, forward and to the left, m/s, and turning, rad/s.
    pub twist: [f64; 3],
    /// Where the body is over the middle of its feet, m: it sways there as its gait or its pose wants.
    pub over_feet: Vector2<f64>,
    /// The feet alone carry the body.
    pub on_its_feet: bool,
    /// Some joint moves.
    pub moves: bool,
}
