//! Where a planner of footholds, which sees the ground, would put a foot down.

use crate::state::body_motion::BodyMotionStep;
use nalgebra::Vector3;

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
