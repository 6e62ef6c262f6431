//! The range of a joint, kept small for the inverse.

use std::f64::consts::{PI, TAU};

use super::solutions::fit_angle;
use crate::angles::MAX_LEG_JOINTS;
use crate::model::JointLimits;

/// Ranges of a leg's joints.
pub(crate) type Ranges = [Range; MAX_LEG_JOINTS];

/// Least and greatest angle, rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Range {
    lower: f64,
    upper: f64,
}

impl Range {
    pub(crate) fn new(limits: &JointLimits) -> Self {
        Self { lower: limits.lower, upper: limits.upper }
    }

    /// `angle` plus the whole turns that bring it inside and nearest to `near`; `None` when none do.
    #[inline(always)]
    pub(crate) fn fit(&self, angle: f64, near: f64) -> Option<f64> {
        let inside = angle >= self.lower && angle <= self.upper;
        if inside && (angle - near).abs() <= PI {
            return Some(angle);
        }
        // No turn can help an angle that is outside by less than the turn is longer than the range.
        if angle > self.upper - TAU && angle < self.lower + TAU && !inside {
            let close = angle - self.upper < 1e-12 && self.lower - angle < 1e-12;
            return if close { Some(angle.max(self.lower).min(self.upper)) } else { None };
        }
        self.turned(angle, near)
    }

    #[cold]
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
                    match range.fit(angle, near) {
                        Some(fitted) => assert!((fitted - careful).abs() < 1e-9, "{lower} {upper} {angle} {near}"),
                        None => assert!(!limits.contains(careful), "{lower} {upper} {angle} {near} {careful}"),
                    }
                }
            }
        }
    }
}
