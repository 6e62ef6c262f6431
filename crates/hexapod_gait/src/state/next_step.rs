//! The next step of a foot, as a planner of footholds is told of it.

use nalgebra::{Vector2, Vector3};

/// The next step of a foot as it is planned without any foothold, in the footprint frame as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextStep {
    /// Where it leaves the ground, or has left it, m.
    pub from: Vector3<f64>,
    /// Where it is put down, m.
    pub to: Vector2<f64>,
    /// Where it rests then: the middle of what it reaches, m.
    pub rest: Vector2<f64>,
    /// The fraction of its swing that is over; none while it stands.
    pub swung: Option<f64>,
    /// Until it is lifted, s; zero in the air.
    pub until_lift_s: f64,
}
