//! How a foot crosses from lift-off to touch-down.

use hexapod_kinematics::math;
use serde::{Deserialize, Serialize};

/// Shape of a swing over its progress `s` in [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SwingProfile {
    /// Leaves and meets the ground with no velocity or acceleration against it (C2 across and up), and keeps to one
    /// speed between, which asks less of the joints than minimum jerk does.
    #[default]
    Smooth,
    /// Constant speed across, half a sine up: the classic profile, which scuffs at both ends.
    Sine,
}

impl SwingProfile {
    /// Fraction of the way from lift-off to touch-down, 0 to 1, seen from the ground.
    #[must_use]
    pub fn travel(self, s: f64) -> f64 {
        match self {
            Self::Smooth => blended(s),
            Self::Sine => s,
        }
    }

    /// How far a foot that has been lifted still goes back with the ground before its swing is the faster, in units of
    /// the way that the ground goes in a cycle of which the swing takes `part`.
    pub(crate) fn drift(self, part: f64) -> f64 {
        match self {
            // Where the slope of `blended` is the part: a smooth step, which is turned about by thirds of an angle.
            Self::Smooth => {
                let slope = part * (1.0 - BLEND);
                let x = 0.5 - math::sin(math::asin(1.0 - 2.0 * slope) / 3.0);
                part * BLEND * x - blended(BLEND * x)
            }
            Self::Sine => 0.0,
        }
    }

    /// Fraction of the step height, 0 at both ends and 1 at half way.
    #[must_use]
    pub fn lift(self, s: f64) -> f64 {
        match self {
            Self::Smooth => {
                let bump = 4.0 * s * (1.0 - s);
                bump * bump * bump
            }
            Self::Sine => math::sin(std::f64::consts::PI * s),
        }
    }
}

/// Part of the swing that a foot takes to come up to speed, and again to slow down.
const BLEND: f64 = 0.4;

/// From 0 to 1 with a speed that rises and falls as a smooth step and is constant between; clamps `s`.
fn blended(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    let rest = s.min(1.0 - s);
    let x = (rest / BLEND).min(1.0);
    let blend = BLEND * x * x * x * (1.0 - 0.5 * x);
    let way = (blend + (rest - BLEND).max(0.0)) / (1.0 - BLEND);
    if s <= 0.5 { way } else { 1.0 - way }
}

/// Greatest velocity and acceleration of [`minimum_jerk`] in one second.
pub(crate) const MINIMUM_JERK_VELOCITY: f64 = 1.875;
pub(crate) const MINIMUM_JERK_ACCELERATION: f64 = 5.774;

/// The quintic from 0 to 1 whose first two derivatives vanish at both ends (Flash and Hogan 1985); clamps `s`.
#[must_use]
pub fn minimum_jerk(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

/// How quickly a touch-down point follows a change of course at lift-off, in units of the swing.
const TOUCH_DOWN_GAIN: f64 = 10.0;

/// Part of the way a touch-down point goes towards where it is wanted between two moments of the swing. The rate
/// fades to nothing at touch-down, so that the foot meets the ground without moving over it.
#[inline]
pub(crate) fn follow_part(before: f64, now: f64) -> f64 {
    let left = |s: f64| (1.0 - s) * (1.0 - s) * (1.0 - s);
    1.0 - math::exp(TOUCH_DOWN_GAIN / 3.0 * (left(now) - left(before)))
}

/// Height added to a swing so that it meets the ground at a speed of one: nothing up to the apex, C2, at rest in
/// acceleration at both ends.
#[inline]
pub(crate) fn touch_down_shape(progress: f64) -> f64 {
    let x = (2.0 * progress - 1.0).max(0.0);
    0.5 * x * x * x * (4.0 - x * (7.0 - 3.0 * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_lifted_expect_the_foot_to_drift_as_far_as_any_moment_of_the_swing_shows() {
        for profile in [SwingProfile::Smooth, SwingProfile::Sine] {
            for part in [0.05, 0.1, 1.0 / 6.0, 0.25, 0.5, 0.7] {
                let behind = (0..=10_000).map(|k| f64::from(k) / 10_000.0).map(|s| part * s - profile.travel(s));
                let farthest = behind.fold(0.0, f64::max);
                assert!((profile.drift(part) - farthest).abs() < 1e-7, "{profile:?} {part}: {farthest}");
            }
        }
    }

    #[test]
    fn when_at_the_ends_expect_no_lift_and_at_half_way_the_apex() {
        for profile in [SwingProfile::Smooth, SwingProfile::Sine] {
            assert!(profile.lift(0.0).abs() < 1e-15 && profile.lift(1.0).abs() < 1e-15);
            assert!((profile.lift(0.5) - 1.0).abs() < 1e-15);
            assert_eq!((profile.travel(0.0), profile.travel(1.0)), (0.0, 1.0));
        }
    }

    #[test]
    fn when_smooth_expect_no_velocity_or_acceleration_against_the_ground_at_the_ends() {
        let h = 1e-4;
        for f in [SwingProfile::travel, SwingProfile::lift] {
            for end in [0.0, 1.0 - 2.0 * h] {
                let [a, b, c] = [0.0, h, 2.0 * h].map(|d| f(SwingProfile::Smooth, end + d));
                assert!(((c - a) / (2.0 * h)).abs() < 1e-5);
                assert!(((a - 2.0 * b + c) / (h * h)).abs() < 0.1);
            }
        }
    }
}
