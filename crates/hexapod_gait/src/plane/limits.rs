//! Limits that keep the path: the whole twist is scaled, so the turning centre stays where the driver put it.

use crate::plane::grid::GRID_S;
use crate::plane::reach::Reach;
use crate::plane::twist::Twist;
use nalgebra::{SVector, Vector2};
use serde::{Deserialize, Serialize};

/// What held a command back, least severe first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LimitedBy {
    /// Nothing: the command is walked as it is.
    #[default]
    Nothing,
    /// The acceleration limit, for now.
    Acceleration,
    /// The configured greatest velocity.
    Velocity,
    /// The longest step of the outermost foot.
    Stride,
    /// A foot near the edge of its reach: of a step, or with the body in the pose that is asked for.
    Reach,
    /// The centre of mass near the edge of the support polygon.
    Stability,
    /// A joint at its greatest acceleration, over a whole cycle.
    JointAcceleration,
    /// A joint at its greatest velocity.
    JointVelocity,
    /// A leg that cannot get where the path goes.
    Kinematics,
    /// A leg that would come too near to another, or to the body.
    Clearance,
    /// More to be worked out than a tick has time for: the robot holds its pose.
    Planning,
}

impl LimitedBy {
    /// The limit in words, for diagnostics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Acceleration => "acceleration",
            Self::Velocity => "velocity",
            Self::Stride => "stride",
            Self::Reach => "reach",
            Self::Stability => "stability",
            Self::JointAcceleration => "joint acceleration",
            Self::JointVelocity => "joint velocity",
            Self::Kinematics => "kinematics",
            Self::Clearance => "leg clearance",
            Self::Planning => "planning",
        }
    }
}

/// Configured bounds of the body's velocity and acceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwistLimits {
    /// m/s.
    pub linear_velocity: f64,
    /// rad/s.
    pub angular_velocity: f64,
    /// m/s^2.
    pub linear_acceleration: f64,
    /// rad/s^2.
    pub angular_acceleration: f64,
    /// m/s^3.
    pub linear_jerk: f64,
    /// rad/s^3.
    pub angular_jerk: f64,
}

/// A twist after a limiter, and the limit that changed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited {
    /// What may be walked.
    pub twist: Twist,
    /// The most severe limit.
    pub by: LimitedBy,
}

impl Limited {
    /// A twist no limit has touched.
    #[must_use]
    pub fn unlimited(twist: Twist) -> Self {
        Self { twist, by: LimitedBy::Nothing }
    }

    pub(crate) fn scaled(self, factor: f64, by: LimitedBy) -> Self {
        if factor < 1.0 { Self { twist: self.twist.scaled(factor.max(0.0)), by: self.by.max(by) } } else { self }
    }
}

impl TwistLimits {
    /// These bounds, with one of `others` for each that is negative or no number.
    pub(crate) fn or(&self, others: &Self) -> Self {
        let sound = |bound: f64, other: f64| if bound >= 0.0 { bound } else { other };
        Self {
            linear_velocity: sound(self.linear_velocity, others.linear_velocity),
            angular_velocity: sound(self.angular_velocity, others.angular_velocity),
            linear_acceleration: sound(self.linear_acceleration, others.linear_acceleration),
            angular_acceleration: sound(self.angular_acceleration, others.angular_acceleration),
            linear_jerk: sound(self.linear_jerk, others.linear_jerk),
            angular_jerk: sound(self.angular_jerk, others.angular_jerk),
        }
    }

    /// The same velocities, reached in a longer time: `fraction` of the acceleration and of the jerk.
    pub(crate) fn gentler(self, fraction: f64) -> Self {
        Self {
            linear_acceleration: self.linear_acceleration * fraction,
            angular_acceleration: self.angular_acceleration * fraction,
            linear_jerk: self.linear_jerk * fraction,
            angular_jerk: self.angular_jerk * fraction,
            ..self
        }
    }

    /// Keeps linear and angular velocity below their greatest.
    #[must_use]
    pub fn velocity(&self, wanted: Limited) -> Limited {
        let linear = self.linear_velocity / wanted.twist.speed();
        let angular = self.angular_velocity / wanted.twist.wz.abs();
        wanted.scaled(linear.min(angular), LimitedBy::Velocity)
    }

    /// The twist `dt` seconds after `present` on the way to `wanted`, all components arriving together.
    #[must_use]
    pub fn acceleration(&self, present: Twist, wanted: Limited, dt: f64) -> Limited {
        let change =
            Twist::new(wanted.twist.vx - present.vx, wanted.twist.vy - present.vy, wanted.twist.wz - present.wz);
        let linear = self.linear_acceleration * dt / change.speed();
        let angular = self.angular_acceleration * dt / change.wz.abs();
        let fraction = linear.min(angular);
        if fraction >= 1.0 || change.is_zero() {
            return wanted;
        }
        let twist = Twist::new(
            present.vx + change.vx * fraction,
            present.vy + change.vy * fraction,
            present.wz + change.wz * fraction,
        );
        Limited { twist, by: wanted.by.max(LimitedBy::Acceleration) }
    }
}

/// Fraction of the acceleration limit that is counted on when a boundary comes near.
pub(crate) const BRAKING_FRACTION: f64 = 0.9;
/// What is kept of a foot's reach for braking, m.
const SPARE_M: f64 = 0.002;

/// A boundary something moves towards as the body goes: the edge of a foot's reach, an edge of the support polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    /// What is left, m.
    pub room: f64,
    /// Speed towards it at the wanted twist, m/s.
    pub speed: f64,
    /// Seconds until it no longer counts.
    pub time_left: f64,
}

impl Boundary {
    /// The boundary a little nearer, so that braking that comes a little late is no harder.
    pub(crate) fn short(self) -> Self {
        Self { room: self.room - SPARE_M, ..self }
    }

    /// The fraction of the wanted twist with which the boundary is left in time, or can be stopped short of by braking
    /// at `braking` m/s^2 after `lag` seconds.
    #[inline]
    pub(crate) fn factor(&self, braking: f64, lag: f64) -> f64 {
        let room = self.room.max(0.0);
        let in_time = room / self.time_left.max(1e-9);
        if self.speed <= in_time {
            return 1.0;
        }
        let ahead = braking * lag;
        let allowed = in_time.max((ahead * ahead + 2.0 * braking * room).sqrt() - ahead);
        if self.speed > allowed { allowed / self.speed } else { 1.0 }
    }

    /// The part with which no more than what is left is used up in `time` seconds.
    #[inline]
    pub(crate) fn hard_factor(&self, time: f64) -> f64 {
        let allowed = self.room.max(0.0) / time;
        if self.speed > allowed { allowed / self.speed } else { 1.0 }
    }
}

/// The greatest speed, m/s or rad/s, from which one comes to rest within `left`, changing it by no more than `greatest`
/// per second and only at the points of the grid.
#[inline]
pub(crate) fn stoppable(left: f64, greatest: f64) -> f64 {
    let step = greatest * GRID_S;
    ((0.25 * step * step + 2.0 * greatest * left).sqrt() - 0.5 * step).max(0.0)
}

/// A rate at most so far from the last one, and low enough to be at rest after `left`, that its change is at most
/// `greatest` per second.
pub(crate) fn rate_limited<const N: usize>(
    last: SVector<f64, N>,
    wanted: SVector<f64, N>,
    left: f64,
    greatest: f64,
) -> SVector<f64, N> {
    if greatest.is_infinite() {
        return wanted;
    }
    let step = greatest * GRID_S;
    let wanted = wanted.cap_magnitude(stoppable(left, greatest));
    last + (wanted - last).cap_magnitude(step)
}

/// The fraction of its reach within which a foot stays short of every boundary that is a little nearer.
#[inline]
pub(crate) fn short_fraction(reach: &Reach) -> f64 {
    1.0 - SPARE_M / reach.least()
}

/// How a foot on the ground comes nearer to the edge of its `reach` about `rest` (m), measured along its way.
pub(crate) fn reach(at: Vector2<f64>, rest: Vector2<f64>, reach: &Reach, time_left: f64, twist: Twist) -> Boundary {
    let offset = at - rest;
    let velocity = -twist.velocity_at(at);
    let (fraction, growth) = reach.fraction_and_growth(offset, velocity);
    // A foot on its way back is not bounded, however long the way is.
    let metres = if growth > 0.0 { reach.along(velocity) } else { reach.least() };
    Boundary { room: (1.0 - fraction) * metres, speed: growth * metres, time_left }
}

/// The same of a foot on its way back over its resting place, too: the whole way to the edge on the other side.
pub(crate) fn reach_across(
    at: Vector2<f64>,
    rest: Vector2<f64>,
    reach: &Reach,
    time_left: f64,
    twist: Twist,
) -> Boundary {
    let (offset, velocity) = (at - rest, -twist.velocity_at(at));
    if offset.dot(&velocity) >= 0.0 || reach.fraction(offset) >= 1.0 {
        return self::reach(at, rest, reach, time_left, twist);
    }
    Boundary { room: reach.chord(offset, velocity), speed: velocity.norm(), time_left }
}

/// Whether a foot on the ground is so far from the edge of its reach that it does not get there within `time` seconds,
/// whichever way it goes.
pub(crate) fn is_far_within(at: Vector2<f64>, rest: Vector2<f64>, reach: &Reach, time: f64, twist: Twist) -> bool {
    reach.fraction(at - rest) + time * reach.fraction(twist.velocity_at(at)) <= 1.0
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) const LIMITS: TwistLimits = TwistLimits {
        linear_velocity: 0.2,
        angular_velocity: 1.0,
        linear_acceleration: 0.4,
        angular_acceleration: 2.0,
        linear_jerk: 8.0,
        angular_jerk: 40.0,
    };

    proptest! {
        #[test]
        fn when_any_twist_is_limited_expect_its_direction_kept(vx in -1e6..1e6, vy in -1e6..1e6, wz in -1e6..1e6) {
            let wanted = Twist::new(vx, vy, wz);
            let got = LIMITS.velocity(Limited::unlimited(wanted)).twist;
            prop_assert!(got.speed() <= 0.2 * (1.0 + 1e-12) && got.wz.abs() <= 1.0 + 1e-12);
            prop_assert!((got.vx * wanted.wz - got.wz * wanted.vx).abs() <= 1e-9 * (wanted.vx * wanted.wz).abs().max(1.0));
        }

        #[test]
        fn when_accelerating_expect_the_bound_held(
            a in prop::array::uniform3(-0.2..0.2f64), b in prop::array::uniform3(-0.2..0.2f64), dt in 0.0..0.05f64,
        ) {
            let (from, to) = (Twist::new(a[0], a[1], a[2]), Twist::new(b[0], b[1], b[2]));
            let got = LIMITS.acceleration(from, Limited::unlimited(to), dt).twist;
            prop_assert!((got.vx - from.vx).hypot(got.vy - from.vy) <= 0.4 * dt * 1.001);
            prop_assert!((got.wz - from.wz).abs() <= 2.0 * dt * 1.001);
        }
    }
}
