//! Planar body velocity and the exact rigid motion it makes.

use hexapod_kinematics::math;
use nalgebra::{Vector2, Vector3};

/// Velocity of the body in its own frame (REP-103: x forward, y left, yaw to the left).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Forward, m/s.
    pub vx: f64,
    /// To the left, m/s.
    pub vy: f64,
    /// About the vertical, rad/s, positive turns left.
    pub wz: f64,
}

/// Twists below these are no command: a stick's noise must not make the robot tread on the spot.
const LEAST_SPEED_M_S: f64 = 5e-4;
const LEAST_TURN_RAD_S: f64 = 2e-3;
/// Cosine of the angle, 84 degrees, from which on a twist leads elsewhere.
const ASIDE: f64 = 0.1;

impl Twist {
    /// No motion.
    pub const ZERO: Self = Self { vx: 0.0, vy: 0.0, wz: 0.0 };

    /// A twist of the three components in m/s, m/s and rad/s.
    #[must_use]
    pub const fn new(vx: f64, vy: f64, wz: f64) -> Self {
        Self { vx, vy, wz }
    }

    /// Whether every component is a finite number.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.vx.is_finite() && self.vy.is_finite() && self.wz.is_finite()
    }

    /// Whether the body stands still.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Whether it is more than a stick's noise.
    #[inline]
    pub(crate) fn is_command(self) -> bool {
        self.is_finite() && (self.speed() >= LEAST_SPEED_M_S || self.wz.abs() >= LEAST_TURN_RAD_S)
    }

    /// The linear speed, m/s.
    #[must_use]
    pub fn speed(self) -> f64 {
        math::hypot(self.vx, self.vy)
    }

    /// The same direction and turning centre at `factor` times the speed.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::new(self.vx * factor, self.vy * factor, self.wz * factor)
    }

    /// The twist a part of the straight way from this one to another.
    #[must_use]
    pub fn towards(self, other: Self, fraction: f64) -> Self {
        let mix = |a: f64, b: f64| a + (b - a) * fraction;
        Self::new(mix(self.vx, other.vx), mix(self.vy, other.vy), mix(self.wz, other.wz))
    }

    /// Velocity over the ground (m/s, body frame) of a point fixed to the body at `point` (m).
    #[must_use]
    pub fn velocity_at(self, point: Vector2<f64>) -> Vector2<f64> {
        Vector2::new(self.vx - self.wz * point.y, self.vy + self.wz * point.x)
    }

    /// The body's motion after `time` seconds at this twist: an arc about the instantaneous centre of rotation.
    #[must_use]
    pub fn motion(self, time: f64) -> Displacement {
        let (x, y, angle) = (self.vx * time, self.vy * time, self.wz * time);
        let (sin, cos) = math::sin_cos(angle);
        // sin(a)/a and (1 - cos a)/a, by series where the quotient would lose digits.
        let (sinc, cosc) = if angle.abs() < 1e-4 {
            (1.0 - angle * angle / 6.0, angle / 2.0)
        } else {
            (sin / angle, (1.0 - cos) / angle)
        };
        Displacement { cos, sin, shift: Vector2::new(sinc * x - cosc * y, cosc * x + sinc * y) }
    }

    /// Instantaneous centre of rotation in the body frame (m); `None` when the body does not turn.
    #[must_use]
    pub fn turning_centre(self) -> Option<Vector2<f64>> {
        let centre = Vector2::new(-self.vy / self.wz, self.vx / self.wz);
        (centre.x.is_finite() && centre.y.is_finite()).then_some(centre)
    }

    /// Whether this leads where another one does, more or less.
    #[must_use]
    pub fn is_towards(self, other: Self) -> bool {
        let along = self.vx * other.vx + self.vy * other.vy;
        let (speeds, turns) = (self.speed() * other.speed(), self.wz * other.wz);
        // Who turns on the spot is not driven anywhere: only turning the same way leads there.
        if speeds == 0.0 { turns > 0.0 } else { along > ASIDE * speeds }
    }
}

/// A rigid motion in the plane: `p -> R p + shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    cos: f64,
    sin: f64,
    shift: Vector2<f64>,
}

impl Displacement {
    /// No motion at all.
    #[must_use]
    pub fn identity() -> Self {
        Self { cos: 1.0, sin: 0.0, shift: Vector2::zeros() }
    }

    /// Where the motion carries `point`.
    #[must_use]
    pub fn apply(&self, point: Vector2<f64>) -> Vector2<f64> {
        self.rotate(point) + self.shift
    }

    /// Where a point was before the motion: a point of the ground, seen from the body that made the motion.
    #[must_use]
    pub fn apply_inverse(&self, point: Vector2<f64>) -> Vector2<f64> {
        let moved = point - self.shift;
        Vector2::new(self.cos * moved.x + self.sin * moved.y, -self.sin * moved.x + self.cos * moved.y)
    }

    /// [`Self::apply_inverse`] for a point in space, whose height stays.
    #[must_use]
    pub fn apply_inverse_3d(&self, point: Vector3<f64>) -> Vector3<f64> {
        let flat = self.apply_inverse(point.xy());
        Vector3::new(flat.x, flat.y, point.z)
    }

    /// This motion followed by `next`, given in the frame the first one ends in.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let cos = self.cos * next.cos - self.sin * next.sin;
        let sin = self.sin * next.cos + self.cos * next.sin;
        let norm = math::hypot(cos, sin); // keeps a long chain of motions a rotation
        Self { cos: cos / norm, sin: sin / norm, shift: self.apply(next.shift) }
    }

    /// The motion back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = Self { cos: self.cos, sin: -self.sin, shift: Vector2::zeros() };
        Self { shift: -back.rotate(self.shift), ..back }
    }

    /// The constant twist that makes this motion in `time` seconds, none in no time.
    #[must_use]
    pub fn twist(&self, time: f64) -> Twist {
        let angle = self.angle();
        let half = angle / 2.0;
        // x / tan x, by series where the quotient would lose digits.
        let quotient = if half.abs() < 1e-4 { 1.0 - half * half / 3.0 } else { half / math::tan(half) };
        let (x, y) = (self.shift.x, self.shift.y);
        let rate = if time > 0.0 { 1.0 / time } else { 0.0 };
        Twist::new(quotient * x + half * y, quotient * y - half * x, angle).scaled(rate)
    }

    /// Translation, m.
    #[must_use]
    pub fn shift(&self) -> Vector2<f64> {
        self.shift
    }

    /// Rotation about the vertical, rad in (-pi, pi].
    #[must_use]
    pub fn angle(&self) -> f64 {
        math::atan2(self.sin, self.cos)
    }

    fn rotate(&self, point: Vector2<f64>) -> Vector2<f64> {
        Vector2::new(self.cos * point.x - self.sin * point.y, self.sin * point.x + self.cos * point.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn when_a_motion_is_split_expect_the_same_end(
            vx in -1.0..1.0, vy in -1.0..1.0, wz in prop_oneof![-3.0..3.0, -1e-4..1e-4], t in 0.0..2.0f64, cut in 0.0..1.0f64,
        ) {
            let twist = Twist::new(vx, vy, wz);
            let whole = twist.motion(t);
            let parts = twist.motion(t * cut).then(&twist.motion(t * (1.0 - cut)));
            let p = Vector2::new(0.3, -0.2);
            prop_assert!((whole.apply(p) - parts.apply(p)).norm() < 1e-9);
            prop_assert!((whole.apply_inverse(whole.apply(p)) - p).norm() < 1e-12);
        }

        #[test]
        fn when_a_motion_is_made_expect_its_twist_and_its_way_back(
            vx in -1.0..1.0, vy in -1.0..1.0, wz in prop_oneof![-3.0..3.0, -1e-4..1e-4], t in 0.01..1.0f64,
        ) {
            let twist = Twist::new(vx, vy, wz);
            let motion = twist.motion(t);
            let found = motion.twist(t);
            prop_assert!((found.vx - vx).abs() < 1e-11 && (found.vy - vy).abs() < 1e-11 && (found.wz - wz).abs() < 1e-11);
            let back = motion.then(&motion.inverse());
            prop_assert!(back.shift().norm() < 1e-12 && back.angle().abs() < 1e-12);
        }

        #[test]
        fn when_turning_expect_the_centre_to_stay(vx in -1.0..1.0, vy in -1.0..1.0, wz in 0.1..3.0f64, t in 0.0..2.0f64) {
            let twist = Twist::new(vx, vy, wz);
            let centre = twist.turning_centre().unwrap();
            prop_assert!((twist.motion(t).apply(centre) - centre).norm() < 1e-9);
            prop_assert!(twist.velocity_at(centre).norm() < 1e-12);
        }
    }
}
