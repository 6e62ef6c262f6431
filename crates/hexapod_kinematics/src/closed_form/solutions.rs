//! Lists of solutions of fixed capacity.

use std::f64::consts::TAU;

use crate::angles::LegAngles;
use crate::model::JointLimits;

/// Farthest a returned pose may be from its target, m.
pub(crate) const REACH_TOLERANCE: f64 = 1e-10;
/// Most solutions that are returned.
pub const MAX_SOLUTIONS: usize = 8;
/// Solutions nearer than this in every joint, in rad, are one solution.
const SAME: f64 = 1e-6;
/// How far past a limit rounding may put an angle that belongs on it, rad.
const LIMIT_ROUNDING: f64 = 1e-12;

/// One solution of the inverse kinematics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// Angles, rad.
    pub angles: LegAngles,
    /// True when all of them are inside the limits.
    pub within_limits: bool,
}

/// Distinct solutions for one target, without allocation; derefs to a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solutions {
    list: [Solution; MAX_SOLUTIONS],
    len: usize,
}

impl Default for Solutions {
    fn default() -> Self {
        let none = Solution { angles: LegAngles::zeros(0), within_limits: false };
        Self { list: [none; MAX_SOLUTIONS], len: 0 }
    }
}

impl std::ops::Deref for Solutions {
    type Target = [Solution];
    fn deref(&self) -> &[Solution] {
        self.list.get(..self.len).unwrap_or(&[])
    }
}

impl Solutions {
    /// Adds a solution unless it is there already or the list is full.
    pub(crate) fn insert(&mut self, solution: Solution) {
        let known = self.iter().any(|s| s.angles.iter().zip(solution.angles.iter()).all(|(a, b)| same(*a, *b)));
        if let (false, Some(slot)) = (known, self.list.get_mut(self.len)) {
            *slot = solution;
            self.len += 1;
        }
    }

    pub(crate) fn sort_by_nearness(&mut self, seed: &LegAngles) {
        let key = |s: &Solution| (!s.within_limits, s.angles.distance_squared(seed));
        if let Some(list) = self.list.get_mut(..self.len) {
            list.sort_unstable_by(|a, b| {
                let ((ka, da), (kb, db)) = (key(a), key(b));
                ka.cmp(&kb).then(da.total_cmp(&db))
            });
        }
    }
}

/// Equal up to whole turns.
pub(crate) fn same(a: f64, b: f64) -> bool {
    let difference = a - b;
    (difference - TAU * (difference / TAU).round()).abs() < SAME
}

/// Angles of a closed form, before whole turns and limits: at most four for three joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Candidates {
    list: [[f64; 3]; 4],
    len: usize,
}

impl Candidates {
    /// Adds one unless the list is full.
    pub(crate) fn push(&mut self, angles: [f64; 3]) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = angles;
            self.len += 1;
        }
    }

    /// Adds one unless it is there already.
    pub(crate) fn push_distinct(&mut self, angles: [f64; 3]) {
        if !self.iter().any(|known| known.iter().zip(angles).all(|(a, b)| same(*a, b))) {
            self.push(angles);
        }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, [f64; 3]> {
        self.list.get(..self.len).unwrap_or(&[]).iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// `angle` plus the whole turns that bring it into the limits and as near to `seed` as they allow; when no choice is
/// inside, the one that is least outside. An angle past a limit by rounding is put on the limit.
pub(crate) fn fit_angle(angle: f64, limits: &JointLimits, seed: f64) -> f64 {
    let near = angle + TAU * ((limits.clamp(seed) - angle) / TAU).round();
    let mut fitted = near;
    if near < limits.lower - LIMIT_ROUNDING && near + TAU - limits.upper < limits.lower - near {
        fitted = near + TAU;
    } else if near > limits.upper + LIMIT_ROUNDING && limits.lower - (near - TAU) < near - limits.upper {
        fitted = near - TAU;
    }
    if limits.margin(fitted) > -LIMIT_ROUNDING { limits.clamp(fitted) } else { fitted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(lower: f64, upper: f64) -> JointLimits {
        JointLimits::try_new(lower, upper, 1.0, 1.0, None).unwrap()
    }

    #[test]
    fn when_an_angle_fits_after_a_turn_expect_that_turn() {
        assert!((fit_angle(-3.0, &limits(3.0, 4.0), 0.0) - (TAU - 3.0)).abs() < 1e-12);
        assert!((fit_angle(3.5, &limits(-3.0, -1.0), 0.0) - (3.5 - TAU)).abs() < 1e-12);
        assert_eq!(fit_angle(0.5, &limits(-1.0, 1.0), 100.0), 0.5);
        assert!((fit_angle(0.5, &limits(-10.0, 10.0), 7.0) - (0.5 + TAU)).abs() < 1e-12);
    }

    #[test]
    fn when_no_turn_fits_expect_the_least_outside() {
        assert_eq!(fit_angle(1.2, &limits(-1.0, 1.0), 0.0), 1.2);
        assert!((fit_angle(-2.0, &limits(1.0, 4.0), 4.0) - (TAU - 2.0)).abs() < 0.5);
    }

    #[test]
    fn when_a_solution_comes_twice_expect_it_once() {
        let mut list = Solutions::default();
        let one = |a: f64| Solution { angles: LegAngles::from([a, 0.0, 0.0]), within_limits: true };
        list.insert(one(0.1));
        list.insert(one(0.1 + TAU));
        list.insert(one(0.2));
        assert_eq!(list.len(), 2);
    }
}
