//! What an engine is made with.

use crate::plane::limits::TwistLimits;

/// What the engine is set up with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Heights and bounds of the stance.
    pub stance: StanceSpec,
    /// Lift of a swinging foot, m, at most the one in `stance`.
    pub step_height: f64,
    /// Bounds of the body's motion.
    pub limits: TwistLimits,
    /// Seconds that standing up takes.
    pub stand_time: f64,
    /// Seconds that sitting down takes.
    pub sit_time: f64,
}

/// Heights and bounds a stance is worked out for, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StanceSpec {
    /// Body above the ground when walking.
    pub height: f64,
    /// Body above the ground when sitting.
    pub sit_height: f64,
    /// Greatest lift of a swinging foot.
    pub step_height: f64,
    /// Greatest length of a step.
    pub max_stride: f64,
}
