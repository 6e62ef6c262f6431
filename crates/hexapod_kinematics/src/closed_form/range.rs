//! The range of a joint, kept small for the inverse.

use std::f64::consts::PI;

use super::solutions::fit_angle;
use crate::angles::MAX_LEG_JOINTS;
use crate::math;
use crate::model::JointLimits;

/// Ranges of a leg's joints.
pub(crate) type Ranges = [Range; MAX_LEG_JOINTS];

/// Least and greatest angle, rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Range {
    lower: f64,
    upper: f64,
    /// The middle as a direction, when the range is shorter than half a turn; else zero.
    middle: [f64; 2],
}

impl Range {
    pub(crate) fn new(limits: &JointLimits) -> Self {
        let (sin, cos) = math::sin_cos(limits.middle());
        let short = limits.upper - limits.lower < 0.99 * PI;
        Self { lower: limits.lower, upper: limits.upper, middle: if short { [cos, sin] } else { [0.0; 2] } }
    }

    /// True when the angle of a direction, given by its cosine and sine times a length, is surely outside.
    #[inline(always)]
    pub(crate) fn excludes(&self, cos: f64, sin: f64) -> bool {
        let [middle_cos, middle_sin] = self.middle;
        cos * middle_cos + sin * middle_sin < 0.0
    }

    /// The same for angles that are counted from `zero` and in the sense given by the sign of `sense`.
    pub(crate) fn counted(&self, sense: f64, zero: f64) -> Self {
        let [cos, sin] = self.middle;
        let (zero_sin, zero_cos) = math::sin_cos(zero);
        Self { middle: [cos * zero_cos - sense * sin * zero_sin, sense * sin * zero_cos + cos * zero_sin], ..*self }
    }

    /// `angle` plus the whole turns that bring it inside and nearest to `near`; `None` when none do.
    #[inline(always)]
    pub(crate) fn fit(&self, angle: f64, near: f64) -> Option<f64> {
        let inside = angle >= self.lower && angle <= self.upper && (angle - near).abs() <= PI;
        if inside { Some(angle) } else { self.turned(angle, near) }
    }

    #[cold]
    #[inline(never)]
    fn turned(&self, angle: f64, near: f64) -> Option<f64> {
        let limits =
            JointLimits { lower: self.lower, upper: self.upper, velocity: 1.0, effort: 0.0, acceleration: None };
        let fitted = fit_angle(angle, &limits, near);
        limits.contains(fitted).then_some(fitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_fitting_any_angle_expect_what_the_careful_way_gives() {
        for (lower, upper) in [(-1.0, 0.5), (2.0, 4.0), (-7.0, 9.0), (-3.2, 3.2), (5.0, 6.0)] {
            let limits = JointLimits { lower, upper, velocity: 1.0, effort: 0.0, acceleration: None };
            let range = Range::new(&limits);
            for k in -800..800 {
                let angle = f64::from(k) * 0.01;
                for near in [-5.0, 0.0, 3.0, 8.0] {
                    let careful = fit_angle(angle, &limits, near);
                    assert!(!range.excludes(angle.cos(), angle.sin()) || !limits.contains(careful));
                    match range.fit(angle, near) {
                        Some(fitted) => assert!((fitted - careful).abs() < 1e-9, "{lower} {upper} {angle} {near}"),
                        None => assert!(!limits.contains(careful), "{lower} {upper} {angle} {near} {careful}"),
                    }
                }
            }
        }
    }

    #[test]
    fn when_angles_are_counted_otherwise_expect_none_of_the_range_excluded_and_what_is_opposite() {
        let limits = JointLimits { lower: -2.6, upper: 0.3, velocity: 1.0, effort: 0.0, acceleration: None };
        for sense in [1.0, -1.0] {
            for zero in [-2.0, 0.0, 0.7, 3.0] {
                let range = Range::new(&limits).counted(sense, zero);
                let excluded = |angle: f64| {
                    let (sin, cos) = (sense * angle + zero).sin_cos();
                    range.excludes(cos, sin)
                };
                assert!((-26..=3).all(|k| !excluded(f64::from(k) * 0.1)), "{sense} {zero}");
                assert!(excluded(limits.middle() + PI) && excluded(1.0), "{sense} {zero}");
            }
        }
    }
}
