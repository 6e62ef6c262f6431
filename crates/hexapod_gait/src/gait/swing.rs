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
    /// Up quickly, over its place early, then down at an even and slow speed: for feet that feel the ground, which may
    /// be higher than planned, and that press on until contact is reported. C2 as `Smooth`. Named for the searching
    /// movements of insects that step into a gap (Dürr 2001).
    Searching,
}

impl SwingProfile {
    /// Fraction of the way from lift-off to touch-down, 0 to 1, seen from the ground.
    #[must_use]
    pub fn travel(self, s: f64) -> f64 {
        match self {
            Self::Smooth => blended(s, BLEND),
            Self::Sine => s,
            Self::Searching => blended(s / OVER_PLACE, BLEND),
        }
    }

    /// How far a foot that has been lifted still goes back with the ground before its swing is the faster, in units of
    /// the way that the ground goes in a cycle of which the swing takes `fraction`.
    pub(crate) fn drift(self, fraction: f64) -> f64 {
        match self {
            // Where the slope of `blended` is the part: a smooth step, which is turned about by thirds of an angle.
            Self::Smooth => {
                let slope = fraction * (1.0 - BLEND);
                let x = 0.5 - math::sin(math::asin(1.0 - 2.0 * slope) / 3.0);
                fraction * BLEND * x - blended(BLEND * x, BLEND)
            }
            _ => greatest(|s| fraction * s - self.travel(s)),
        }
    }

    /// Its greatest speed across, in units of that of `Smooth`: as much more a foot is accelerated whose touch-down point
    /// follows a change of course.
    pub(crate) fn speed_scale(self) -> f64 {
        match self {
            Self::Smooth => 1.0,
            _ => greatest(|s| (self.travel(s) - self.travel(s - STEP)) / STEP) * (1.0 - BLEND),
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
            Self::Searching if s < APEX => blended(s / APEX, BLEND),
            Self::Searching => {
                let down = (s - APEX) / (1.0 - APEX);
                let slow = (1.0 - DROP) * blended(down, SLOW_BLEND);
                1.0 - slow - DROP * blended(down / DROP, BLEND)
            }
        }
    }
}

/// All that the path of a swing takes from its gait. A foot keeps that with which it was lifted until it is down, whatever
/// gait is walked by then: over another path it would be elsewhere at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SwingShape {
    pub profile: SwingProfile,
    /// m/s.
    pub touch_down_speed: f64,
}

impl SwingShape {
    /// Where a foot is when this part of its swing, which takes `seconds`, is over.
    #[inline]
    pub(crate) fn at(&self, progress: f64, seconds: f64) -> SwingPoint {
        SwingPoint {
            travel: self.profile.travel(progress),
            lift: self.profile.lift(progress),
            descent: self.touch_down_speed * seconds * touch_down_shape(progress),
        }
    }
}

/// Where a foot is on its way from lift-off to touch-down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SwingPoint {
    /// Fraction of the way across.
    pub travel: f64,
    /// Fraction of the step height, and what is added to it for the touch-down speed, m.
    pub lift: f64,
    pub descent: f64,
}

impl SwingPoint {
    /// Height, m, of a foot that is lifted by `height` over the way from `lift_off` to `touch_down`.
    #[inline]
    pub(crate) fn height(&self, height: f64, lift_off: f64, touch_down: f64) -> f64 {
        height * self.lift + lift_off * (1.0 - self.travel) + touch_down * self.travel + self.descent
    }
}

/// Fraction of the swing that a foot takes to come up to speed, and again to slow down.
const BLEND: f64 = 0.4;
/// Fractions of a searching swing after which the foot is at its apex, and over its place.
const APEX: f64 = 0.45;
pub(crate) const OVER_PLACE: f64 = 0.8;
/// Fraction of its height that such a foot comes down quickly, above what ground there may be, and of its time for
/// that; and the part of the rest in which it comes up to its speed.
const DROP: f64 = 0.25;
const SLOW_BLEND: f64 = 0.2;

/// From 0 to 1 with a speed that rises and falls as a smooth step, each in this part of the way, and is constant between;
/// clamps `s`.
#[inline]
fn blended(s: f64, blend: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    let rest = s.min(1.0 - s);
    let x = (rest / blend).min(1.0);
    let slow = blend * x * x * x * (1.0 - 0.5 * x);
    let way = (slow + (rest - blend).max(0.0)) / (1.0 - blend);
    if s <= 0.5 { way } else { 1.0 - way }
}

/// Distance of the moments at which a profile is looked at.
const STEP: f64 = 1.0 / 4096.0;

/// The greatest of all moments of a swing, and of those between about the greatest: not for a tick.
fn greatest(of: impl Fn(f64) -> f64) -> f64 {
    let around = |at: f64, step: f64| (-64..=64).map(move |k| (at + f64::from(k) * step).clamp(0.0, 1.0));
    let best = |at: f64, step: f64| around(at, step).max_by(|&a, &b| of(a).total_cmp(&of(b))).unwrap_or(at);
    of([1.0 / 128.0, STEP, STEP / 64.0, STEP / 4096.0].into_iter().fold(0.5, best))
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

/// Fraction of the way a touch-down point goes towards where it is wanted between two moments of the swing. The rate
/// fades to nothing at touch-down, so that the foot meets the ground without moving over it.
#[inline]
pub(crate) fn follow_fraction(before: f64, now: f64) -> f64 {
    let left = |s: f64| (1.0 - s) * (1.0 - s) * (1.0 - s);
    1.0 - math::exp(TOUCH_DOWN_GAIN / 3.0 * (left(now) - left(before)))
}

/// Height added to a swing so that it meets the ground at a speed of one: nothing up to the apex, C2, at rest in
/// acceleration at both ends.
#[inline]
fn touch_down_shape(progress: f64) -> f64 {
    let x = (2.0 * progress - 1.0).max(0.0);
    0.5 * x * x * x * (4.0 - x * (7.0 - 3.0 * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [SwingProfile; 3] = [SwingProfile::Smooth, SwingProfile::Sine, SwingProfile::Searching];

    #[test]
    fn when_lifted_expect_the_foot_to_drift_as_far_as_any_moment_of_the_swing_shows() {
        for profile in ALL {
            for fraction in [0.05, 0.1, 1.0 / 6.0, 0.25, 0.5, 0.7] {
                let behind = (0..=10_000).map(|k| f64::from(k) / 10_000.0).map(|s| fraction * s - profile.travel(s));
                let farthest = behind.fold(0.0, f64::max);
                assert!((profile.drift(fraction) - farthest).abs() < 1e-7, "{profile:?} {fraction}: {farthest}");
            }
        }
    }

    #[test]
    fn when_at_the_ends_expect_no_lift_and_between_the_apex() {
        for profile in ALL {
            assert!(profile.lift(0.0).abs() < 1e-15 && profile.lift(1.0).abs() < 1e-15);
            assert!((greatest(|s| profile.lift(s)) - 1.0).abs() < 1e-12, "{profile:?}");
            assert_eq!((profile.travel(0.0), profile.travel(1.0)), (0.0, 1.0));
        }
    }

    #[test]
    fn when_not_a_sine_expect_no_velocity_or_acceleration_against_the_ground_at_the_ends_and_no_jump_between() {
        let h = 1e-4;
        for (profile, f) in [SwingProfile::Smooth, SwingProfile::Searching]
            .into_iter()
            .flat_map(|profile| [(profile, SwingProfile::travel as fn(_, f64) -> f64), (profile, SwingProfile::lift)])
        {
            let bend = |at: f64| {
                let [a, b, c] = [0.0, h, 2.0 * h].map(|d| f(profile, at + d));
                ((c - a) / (2.0 * h), (a - 2.0 * b + c) / (h * h))
            };
            for end in [0.0, 1.0 - 2.0 * h] {
                let (velocity, acceleration) = bend(end);
                assert!(velocity.abs() < 1e-4 && acceleration.abs() < 1.0, "{profile:?}: {velocity}, {acceleration}");
            }
            let bends: Vec<f64> = (0..9998).map(|k| bend(f64::from(k) * h).1).collect();
            let jump = bends.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
            assert!(jump < 1.0, "{profile:?}: its acceleration jumps by {jump}");
        }
    }

    #[test]
    fn when_searching_expect_the_foot_slow_wherever_the_ground_may_be_and_over_its_place() {
        let profile = SwingProfile::Searching;
        for s in (0..=1000).map(|k| f64::from(k) / 1000.0).filter(|&s| s > 0.5 && profile.lift(s) < 0.6) {
            let speed = (profile.lift(s - 1e-6) - profile.lift(s)) / 1e-6;
            assert!(speed < 1.75 && profile.lift(s) >= profile.lift(s + 1e-3), "{speed} at {s}");
        }
        assert_eq!(profile.travel(0.8), 1.0);
        assert!((profile.speed_scale() - 1.0 / 0.8).abs() < 1e-3);
    }
}
