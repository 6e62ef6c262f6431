//! What goes to a planner of footholds, which sees the ground, and what comes from it.

use crate::state::body_motion::BodyMotionStep;
use nalgebra::{Vector2, Vector3};

/// A place for a foot on the ground, in the footprint frame as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foothold {
    /// The place, m: its z is how high the ground is there.
    pub at: Vector3<f64>,
    /// The height that the foot passes over on its way, such as that of the highest ground there, m.
    pub highest: f64,
}

impl Foothold {
    pub(crate) fn is_finite(&self) -> bool {
        self.at.iter().all(|value| value.is_finite()) && self.highest.is_finite()
    }

    /// How far a foot is lifted over the straight way from `lift_off`, m: by `clearance`, and by what of the ground between is
    /// higher than both ends.
    pub(crate) fn lift(&self, lift_off: f64, clearance: f64) -> f64 {
        (self.highest - lift_off.max(self.at.z)).max(0.0) + clearance
    }

    /// The same place after the ground has gone by.
    pub(crate) fn carried(self, step: &BodyMotionStep) -> Self {
        let at = step.carried(self.at);
        Self { at, highest: self.highest + at.z - self.at.z }
    }
}

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
    /// It stands where it felt no ground, as deep as it was let down.
    pub over_nothing: bool,
}
