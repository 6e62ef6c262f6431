//! What an engine is made with.

use crate::plane::limits::TwistLimits;
use crate::plane::size::Enlarged;

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
    /// What legs keep between them.
    pub leg_clearance: LegClearance,
}

/// Distance (m) that legs keep between their collision shapes, or four fifths of the distance at home where that is less.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct LegClearance(f64);

impl LegClearance {
    /// The greatest distance that can be asked for, m.
    pub const GREATEST_M: f64 = 0.2;

    /// A distance in m, from 0, where legs may touch, to [`Self::GREATEST_M`].
    #[must_use]
    pub fn try_new(distance_m: f64) -> Option<Self> {
        (0.0..=Self::GREATEST_M).contains(&distance_m).then_some(Self(distance_m))
    }

    /// The distance, m.
    #[must_use]
    pub fn metres(self) -> f64 {
        self.0
    }
}

impl Default for LegClearance {
    /// About the width of two links of hobby servos.
    fn default() -> Self {
        Self(0.02)
    }
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

impl StanceSpec {
    /// The same with heights counted from a point of the body so much higher, m.
    pub(crate) fn raised(self, by: f64) -> Self {
        Self { height: self.height + by, sit_height: self.sit_height + by, ..self }
    }
}

impl Enlarged for StanceSpec {
    fn enlarged(&self, times: f64) -> Self {
        Self {
            height: self.height * times,
            sit_height: self.sit_height * times,
            step_height: self.step_height * times,
            max_stride: self.max_stride * times,
        }
    }
}

impl Enlarged for Settings {
    fn enlarged(&self, times: f64) -> Self {
        Self {
            stance: self.stance.enlarged(times),
            step_height: self.step_height * times,
            limits: self.limits.enlarged(times),
            leg_clearance: LegClearance(self.leg_clearance.metres() * times),
            ..*self
        }
    }
}
