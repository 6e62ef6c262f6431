//! What an inertial sensor measures, and what that has the body do that its feet do not tell.

use nalgebra::Vector3;

/// What an inertial sensor measures of the body, in its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// Angular velocity, rad/s.
    pub spin: Vector3<f64>,
    /// Acceleration of the origin, m/s², without gravity.
    pub acceleration: Vector3<f64>,
    /// Unit vector against gravity.
    pub up: Vector3<f64>,
}

/// What the body has done that its feet do not tell; all zero without an inertial sensor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unseen {
    /// By how much it has turned otherwise, rad.
    pub turned: f64,
    /// How much of that is in the pose, as the gyroscope's bias was not known yet, rad.
    pub strayed: f64,
    /// Way that counts as doubtful for place as feet slip, m, beside
    /// [`uncertainty_weighted_distance`](crate::Estimate::uncertainty_weighted_distance).
    pub slipped: f64,
    /// By how much faster variances grow as feet slip, or have slipped on the ground of late.
    pub slip_growth: f64,
    /// How far it has been shoved, along the ground and up or down, m.
    pub shoved: f64,
    /// See `shoved`.
    pub heaved: f64,
}
