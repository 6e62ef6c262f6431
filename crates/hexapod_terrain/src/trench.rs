//! Trenches ahead that are too wide to be stepped over.

use crate::map::ElevationMap;
use crate::planner::{Planning, StepOnMap, way_ahead};
use crate::slope::Slope;
use nalgebra::{Point2, Point3, Vector2};

/// A trench of this width or more stops the robot, in units of how far a foothold is looked for.
const WIDE: f64 = 0.8;
/// Its two sides differ in height by no more than this, in units of what a foot climbs: a higher one would hide ground that is there, and beyond a lower one ground
/// begins where it comes into view.
const LEVEL: f64 = 0.3;
/// It cuts the foot's way and two ways beside it, so far off, in the same units: what a single stone hides is narrow.
const ASIDE: f64 = 0.5;
/// Feet of a robot that turns faster than so much of how fast it goes swing aside, where the camera has seen little before.
const TURNING: f64 = 0.5;
/// It begins before where the foot swings to, or so far beyond, in the same units.
const BEYOND: f64 = 2.0;

impl Planning {
    /// Whether a foot is led to a trench: ground that is deep, or missing where it should be seen, between sides of one height.
    pub(crate) fn leads_into_trench(&self, on: &StepOnMap<'_>) -> bool {
        let StepOnMap { engine, map, odom_from_footprint, slope, step } = *on;
        let twist = engine.last().twist;
        let (turning_m_s, going_m_s) =
            (twist.wz.abs() * step.from.xy().norm(), Vector2::new(twist.vx, twist.vy).norm());
        if turning_m_s > TURNING * going_m_s {
            return false;
        }
        let [from, to] = [step.from, step.to.push(0.0)].map(|at| odom_from_footprint * Point3::from(at));
        let Some(ahead) = way_ahead(engine, odom_from_footprint, step) else { return false };
        let far_m = (to - from).xy().dot(&ahead).max(0.0) + BEYOND * self.search_radius_m;
        let aside = Vector2::new(-ahead.y, ahead.x) * (ASIDE * self.search_radius_m);
        map.looks_towards(&(from.xy() + ahead * far_m).coords.push(from.z).into())
            && [0.0, 1.0, -1.0].iter().all(|side| self.is_cut(map, slope, &(from.xy() + aside * *side), &ahead, far_m))
    }

    /// Whether a straight way is cut by a trench.
    fn is_cut(&self, map: &ElevationMap, slope: Slope, from: &Point2<f64>, ahead: &Vector2<f64>, far_m: f64) -> bool {
        let apart_m = 0.5 * map.layout().cell_m();
        let (mut near, mut deep, mut unseen) = (None::<f64>, 0_usize, 0_usize);
        for at in (0..(far_m / apart_m) as usize).map(|n| from + ahead * (apart_m * n as f64)) {
            let Some(index) = map.window().index(at.x, at.y) else { return false };
            // As high above the slope as that is above level ground.
            let height_m = map.height_m(index).map(|height_m| height_m + slope.descent_m(from, &at));
            match (height_m, near) {
                (Some(height_m), Some(near_m)) if height_m < near_m - self.most_climb_m => deep += 1,
                (Some(height_m), _) => {
                    let is_level = near.is_some_and(|near_m| (height_m - near_m).abs() < LEVEL * self.most_climb_m);
                    let is_wide = (deep + unseen) as f64 * apart_m > WIDE * self.search_radius_m;
                    if is_level && is_wide && deep >= unseen {
                        return true;
                    }
                    (near, deep, unseen) = (Some(height_m), 0, 0);
                }
                (None, Some(_)) if map.is_missing(index) => deep += 1,
                (None, Some(_)) => unseen += 1,
                (None, None) => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ground of these heights ahead of the robot.
    fn ground(height_m: impl Fn(f64, f64) -> f64) -> ElevationMap {
        let mut map = ElevationMap::default();
        for (x, y) in (-25..25).flat_map(|x| (-25..25).map(move |y| (0.015 * f64::from(x), 0.015 * f64::from(y)))) {
            map.felt(&Point3::new(x, y, height_m(x, y)), 1e-6, 0.0);
        }
        map
    }

    fn is_cut(map: &ElevationMap) -> bool {
        Planning::default().is_cut(map, Slope::default(), &Point2::origin(), &Vector2::x(), 0.25)
    }

    #[test]
    fn when_a_trench_is_wider_than_a_step_expect_the_way_cut_and_not_by_a_gap_a_hollow_or_a_step() {
        let between = |from: f64, to: f64, depth_m: f64| {
            move |x: f64, _: f64| if (from..to).contains(&x) { -depth_m } else { 0.0 }
        };
        assert!(is_cut(&ground(between(0.07, 0.18, 0.3))));
        assert!(!is_cut(&ground(between(0.07, 0.12, 0.3))), "a gap");
        assert!(!is_cut(&ground(between(0.07, 0.18, 0.06))), "a hollow");
        assert!(!is_cut(&ground(|x, _| if x > 0.07 { -0.3 } else { 0.0 })), "the far side is not in sight: a brink");
        assert!(!is_cut(&ground(|x, _| if x > 0.16 { 0.05 } else { 0.0 })));
    }
}
