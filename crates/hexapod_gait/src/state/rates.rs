//! How fast the body moves over its feet, apart from its walk.

use crate::gait::posture::BodyOffset;
use crate::state::body_motion::Rise;
use crate::state::contact_correction::CorrectionRates;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Vector2, Vector3};

/// Changes per second, from one point of the grid to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyRates {
    /// Of the height, m/s.
    pub height: f64,
    /// How the ground under the feet comes up towards the body: see `plan/body/levelling.rs`.
    pub level: Rise,
    /// How feet that are held elsewhere come back to their path: see `plan/body/correction_decay.rs`.
    pub correction: CorrectionRates,
    pub offset: BodyOffset,
    /// m/s.
    pub sway: Vector2<f64>,
}

impl BodyRates {
    pub(crate) const REST: Self = Self {
        height: 0.0,
        level: Rise::NONE,
        correction: [0.0; MAX_LEGS],
        offset: BodyOffset { translation: Vector3::new(0.0, 0.0, 0.0), rotation: Vector3::new(0.0, 0.0, 0.0) },
        sway: Vector2::new(0.0, 0.0),
    };

    /// Those of a body that is taken to its height and pose at this pace.
    pub(crate) fn held_back(self, pace: f64) -> Self {
        if pace >= 1.0 { self } else { Self { height: self.height * pace, offset: self.offset.scaled(pace), ..self } }
    }
}
