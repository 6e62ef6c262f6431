//! Where the ground ends: a robot that sees it stops there.

use crate::clearance::cells_between;
use crate::map::ElevationMap;
use crate::planner::{LEAST_M_S, Planning, StepOnMap, ahead, way_ahead};
use crate::slope::{STEEPEST, Slope};
use hexapod_gait::NextStep;
use nalgebra::{Point2, Point3, Vector2};

/// What drops away from so far on, in units of how far a place is looked for, and for so far, is no gap but a brink.
const NARROW: f64 = 0.4;
const BROAD: f64 = 2.0;
/// Ground that goes on is seen within so far of any foot, in the same units, of those beside the body, too.
const FAR: f64 = 5.0;
/// For each cell that is deep or missing there, so many may never have been in view.
const UNSEEN: usize = 4;

/// A foot that is farther above the ground, in units of what one climbs, is in the air.
const IN_THE_AIR: f64 = 0.5;

impl Planning {
    /// Whether a foot stands where it felt no ground, none stands ahead of it, and none is known farther on where the robot goes and the camera looks: a camera
    /// that has never seen so far does not show that ground is missing there.
    pub(crate) fn ends_at(&self, on: &StepOnMap<'_>) -> bool {
        let StepOnMap { engine, map, odom_from_footprint, slope, step } = *on;
        if !step.over_nothing {
            return false;
        }
        let from = odom_from_footprint * Point3::from(step.from);
        let Some(ahead) = way_ahead(engine, odom_from_footprint, step) else { return false };
        let beyond = from.xy() + ahead * (FAR * self.search_radius_m);
        let is_deep = |index| {
            let descent_m = slope.descent_m(&from.xy(), &map.window().centre_of(index));
            map.height_m(index).is_none_or(|height_m| height_m + descent_m < from.z - self.most_climb_m)
        };
        !self.stands_ahead_of(on)
            && map.looks_towards(&beyond.coords.push(from.z).into())
            && cells_between(map, from.xy(), beyond, self.foot_radius_m).all(is_deep)
    }

    /// Whether a foot stands on ground farther on where the robot goes: ground that it feels, or that the map has there though its
    /// switch may be dead.
    pub(crate) fn stands_ahead_of(&self, on: &StepOnMap<'_>) -> bool {
        let StepOnMap { engine, map, odom_from_footprint, step, .. } = *on;
        let way = engine.last().twist.velocity_at(step.from.xy());
        let Some(ahead) = way.try_normalize(LEAST_M_S) else { return false };
        let is_seen = |other: &NextStep| {
            let at = odom_from_footprint * Point3::from(other.from);
            map.height(&at.xy()).is_some_and(|height| (height.mean_m - at.z).abs() < self.most_climb_m)
        };
        let stands = |other: &NextStep| other.swung.is_none() && (!other.over_nothing || is_seen(other));
        let is_ahead = |other: &NextStep| (other.from - step.from).xy().dot(&ahead) > self.search_radius_m;
        engine.next_steps().iter().flatten().any(|other| stands(other) && is_ahead(other))
    }

    /// Whether the ground drops away where a foot would come down by itself, and stays so deep for twice as far as a place is
    /// looked for, or is out of sight: the bottom of a hole, or, where nothing is known of the place, ground that should be seen
    /// and is not. Over narrower gaps feet find their way by what they feel. Where too little is in view ahead of a foot, which
    /// stands at the side, it goes by what is ahead of the body's middle. Where the foot `follows` another one that stands there, what
    /// is missing is hidden by the robot itself.
    pub(crate) fn drops(
        &self,
        (map, slope): (&ElevationMap, Slope),
        (from, nominal): (&Point3<f64>, &Point3<f64>),
        (way, under): (&Vector2<f64>, &Point3<f64>),
        follows: bool,
    ) -> bool {
        let ahead = ahead(from, nominal, way);
        // A foot of a body that leans may be in the air.
        let ground_m = map.height(&from.xy()).map_or(from.z, |height| height.mean_m.max(under.z)).min(from.z);
        let middle = under.xy() + ahead * (nominal - under).xy().dot(&ahead);
        // A foot that is so little above the map's ground stands on that.
        let on_map_m = map.height(&from.xy()).map(|height| height.mean_m);
        let stands_m =
            on_map_m.filter(|on_map_m| ground_m - on_map_m < IN_THE_AIR * self.most_climb_m).unwrap_or(ground_m);
        // From where a foot would come down, if the ground goes down there no more steeply than feet hold.
        let descent_m = |at: &Point2<f64>| {
            let there_m = map.height(at).map(|height| height.mean_m);
            let is_slope = |there_m: &f64| stands_m - there_m <= STEEPEST * (at - from.xy()).norm();
            let on_slope_m = there_m.filter(is_slope).map(|there_m| (ground_m - there_m).max(0.0));
            on_slope_m.unwrap_or_else(|| slope.descent_m(&from.xy(), at))
        };
        let ends = |at: Point2<f64>| {
            let lowest_m = ground_m - descent_m(&at) - self.most_climb_m;
            let goes_on = |cell: &Point2<f64>, height_m| height_m + slope.descent_m(&at, cell) >= lowest_m;
            self.ends_beyond(map, (at, &ahead), follows, goes_on)
        };
        match ends(nominal.xy()) {
            Some(ends) => ends,
            None => ends(middle) == Some(true),
        }
    }

    /// Whether no ground that `goes_on` is known from a place on that way; none where too little of it was in view.
    fn ends_beyond(
        &self,
        map: &ElevationMap,
        (at, ahead): (Point2<f64>, &Vector2<f64>),
        follows: bool,
        goes_on: impl Fn(&Point2<f64>, f64) -> bool,
    ) -> Option<bool> {
        // Past the cell of an edge, which has the height of the upper side.
        let [past, beyond] = [NARROW, BROAD].map(|far| at + ahead * (far * self.search_radius_m));
        let (mut deep, mut unseen) = (0_usize, 0_usize);
        for index in cells_between(map, past, beyond, self.foot_radius_m) {
            match map.height_m(index) {
                Some(height_m) if goes_on(&map.window().centre_of(index), height_m) => return Some(false),
                None if follows || !map.is_missing(index) => unseen += 1,
                _ => deep += 1,
            }
        }
        (deep > 0 && UNSEEN * deep >= unseen).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ground of these heights ahead of the robot, as far as it is known.
    fn ground(height_m: impl Fn(f64, f64) -> Option<f64>) -> ElevationMap {
        let mut map = ElevationMap::default();
        for (x, y) in (-25..25).flat_map(|x| (-25..25).map(move |y| (0.015 * f64::from(x), 0.015 * f64::from(y)))) {
            height_m(x, y).into_iter().for_each(|z| map.felt(&Point3::new(x, y, z), 1e-6, 0.0));
        }
        map
    }

    /// Whether it drops away for a foot that stands so high at the origin, swings there, and a body that goes ahead.
    fn drops(map: &ElevationMap, stands_m: f64, to: [f64; 2]) -> bool {
        let [from, nominal] = [[0.0, 0.0], to].map(|[x, y]| Point3::new(x, y, stands_m));
        let way = (&Vector2::new(0.07, 0.0), &Point3::origin());
        Planning::default().drops((map, Slope::default()), (&from, &nominal), way, false)
    }

    #[test]
    fn when_the_ground_ends_expect_it_to_drop_away_whether_the_foot_stands_or_is_in_the_air_over_it() {
        let table = ground(|x, _| Some(if x < 0.06 { 0.0 } else { -0.2 }));
        let gap = ground(|x, _| Some(if (0.04..0.1).contains(&x) { -0.2 } else { 0.0 }));
        for stands_m in [0.0, 0.05, 0.14] {
            assert!(drops(&table, stands_m, [0.05, 0.0]), "{stands_m}");
            assert!(
                !drops(&gap, stands_m, [0.05, 0.0]),
                "the body leans, and the foot is {stands_m} m above level ground"
            );
        }
    }

    #[test]
    fn when_it_walks_down_a_slope_or_across_one_expect_no_drop_but_where_the_slope_ends() {
        let drops = |map: &ElevationMap, slope: [f64; 2], from: [f64; 2], to: [f64; 2]| {
            let height_m = |[x, y]: [f64; 2]| slope[0] * x + slope[1] * y;
            let [from, nominal] = [from, to].map(|at| Point3::new(at[0], at[1], height_m(at)));
            let way = (&Vector2::new(0.07, 0.0), &Point3::origin());
            Planning::default().drops((map, Slope(slope.into())), (&from, &nominal), way, false)
        };
        // What is near is below the camera's view.
        let down = ground(|x, _| (x > 0.14).then_some(-0.6 * x));
        assert!(!drops(&down, [-0.6, 0.0], [0.0, 0.0], [0.05, 0.0]));
        assert!(drops(&down, [0.0, 0.0], [0.0, 0.0], [0.05, 0.0]), "as seen from level ground");
        let ends = ground(|x, _| Some(if x < 0.06 { -0.6 * x } else { -0.3 }));
        assert!(drops(&ends, [-0.6, 0.0], [0.0, 0.0], [0.05, 0.0]));
        // A foot on the upper side, beside what the camera sees.
        let across = ground(|_, y| (y.abs() < 0.1).then_some(0.5 * y));
        assert!(!drops(&across, [0.0, 0.5], [0.0, 0.2], [0.05, 0.2]));
    }

    #[test]
    fn when_a_foot_swings_aside_where_nothing_is_in_view_expect_what_is_ahead_to_count() {
        let beside_a_hole =
            ground(|x, y| (y < 0.06).then_some(if (0.0..0.05).contains(&x) && y > 0.03 { -0.2 } else { 0.0 }));
        assert!(!drops(&beside_a_hole, 0.0, [0.02, 0.045]));
    }
}
