//! The ground under a body that moves over it.

use crate::plane::reach::Reach;
use crate::plane::twist::{Displacement, Twist};
use nalgebra::{Vector2, Vector3};

/// How the ground comes up under a body that goes back to its height, and level, over it; per second, or in some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rise {
    /// Under the footprint, m.
    pub height: f64,
    /// And more, ahead and aside of it, m per m.
    pub slope: Vector2<f64>,
}

impl Rise {
    pub(crate) const NONE: Self = Self { height: 0.0, slope: Vector2::new(0.0, 0.0) };

    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::NONE
    }

    #[inline]
    pub(crate) fn over(&self, seconds: f64) -> Self {
        Self { height: self.height * seconds, slope: self.slope * seconds }
    }

    /// At a point of the ground, m.
    #[inline]
    pub(crate) fn at(&self, point: Vector2<f64>) -> f64 {
        self.height + self.slope.dot(&point)
    }
}

/// How the ground goes by under the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyMotionStep {
    pub motion: Displacement,
    /// How far it comes up under the body.
    pub rise: Rise,
    /// The twist now, by which the body goes on until a foot is down, and the one expected from then on.
    pub twist: Twist,
    pub aim: Twist,
    /// How far from rest a foot may be put down.
    pub reach: Reach,
    /// Seconds by which the phase and the swings go on.
    pub time: f64,
    /// How far feet in the air come in towards their resting places under the body, m, and where it leans over them.
    pub draw_in: f64,
    pub lean: Vector2<f64>,
    /// How much less they are lifted, m.
    pub lower: f64,
}

impl BodyMotionStep {
    /// Where a point of the ground is afterwards.
    pub(crate) fn carried(&self, point: Vector3<f64>) -> Vector3<f64> {
        let carried = self.motion.apply_inverse_3d(point);
        Vector3::new(carried.x, carried.y, carried.z + self.rise.at(carried.xy()))
    }

    /// A point over the ground, come in towards a foot's resting place under the body.
    pub(crate) fn drawn_in(&self, point: Vector2<f64>, rest: Vector2<f64>) -> Vector2<f64> {
        if self.draw_in == 0.0 {
            return point;
        }
        let way = rest + self.lean - point;
        let distance = way.norm();
        if distance > self.draw_in { point + way * (self.draw_in / distance) } else { point + way }
    }
}
