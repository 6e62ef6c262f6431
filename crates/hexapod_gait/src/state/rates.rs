//! How fast the body moves over its feet, apart from its walk.

use crate::gait::posture::BodyOffset;
use nalgebra::{Vector2, Vector3};

/// Changes per second, from one point of the grid to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyRates {
    /// Of the height, m/s.
    pub height: f64,
    /// How fast the ground under the feet comes up towards the body, m/s: see `plan/body/levelling.rs`.
    pub level: f64,
    pub offset: BodyOffset,
    /// m/s.
    pub sway: Vector2<f64>,
}

impl BodyRates {
    pub(crate) const REST: Self = Self {
        height: 0.0,
        level: 0.0,
        offset: BodyOffset { translation: Vector3::new(0.0, 0.0, 0.0), rotation: Vector3::new(0.0, 0.0, 0.0) },
        sway: Vector2::new(0.0, 0.0),
    };
}
