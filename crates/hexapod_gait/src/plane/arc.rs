//! Arc trajectories from two numbers, the distance of a step and its curvature.
//!
//! Every foot on the ground moves on a circle about one turning centre on the lateral axis; the outermost foot
//! travels exactly the distance asked for, so no foot ever oversteps. Frames are REP-103: x forward, y left; a
//! positive curvature turns left.

use crate::plane::twist::Twist;
use hexapod_kinematics::math;
use nalgebra::Vector2;

/// Least and greatest magnitude of a curvature: nearly straight, and turning on the spot.
pub const CURVATURE_RANGE: (f64, f64) = (0.001, 1.999);

/// Brings a curvature into its range: the magnitude is clamped, 0 becomes 0.001, NaN does too.
#[must_use]
pub fn clamp_curvature(curvature: f64) -> f64 {
    let (least, greatest) = CURVATURE_RANGE;
    let magnitude = if curvature.is_nan() { least } else { curvature.abs().clamp(least, greatest) };
    if curvature < 0.0 { -magnitude } else { magnitude }
}

/// The lateral position (m, positive left) of the turning centre for a step of `distance` metres:
/// `tan((2 - c) pi / 4) * distance`.
#[must_use]
pub fn turning_radius(distance: f64, curvature: f64) -> f64 {
    let c = clamp_curvature(curvature);
    math::tan((2.0 - c.abs()) * std::f64::consts::FRAC_PI_4) * distance * c.signum()
}

/// One step of all feet about a common turning centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcStep {
    /// Lateral position of the turning centre, m, positive left.
    pub radius: f64,
    /// Angle the body turns during one stance, rad, positive left.
    pub arc: f64,
}

impl ArcStep {
    /// The step of `distance` metres (negative walks backwards) whose outermost foot, of those at rest at
    /// `rest_feet` (m, body frame), travels exactly that distance.
    #[must_use]
    pub fn new(distance: f64, curvature: f64, rest_feet: &[Vector2<f64>]) -> Self {
        let radius = turning_radius(distance, curvature);
        let centre = Vector2::new(0.0, radius);
        let outermost = rest_feet.iter().map(|foot| (foot - centre).norm()).fold(0.0, f64::max);
        let arc = if outermost > 0.0 { distance.copysign(distance * radius) / outermost } else { 0.0 };
        Self { radius, arc: if distance == 0.0 { 0.0 } else { arc } }
    }

    /// The body's twist when one stance takes `stance_time` seconds.
    #[must_use]
    pub fn twist(&self, stance_time: f64) -> Twist {
        let wz = self.arc / stance_time;
        Twist::new(wz * self.radius, 0.0, wz)
    }
}
