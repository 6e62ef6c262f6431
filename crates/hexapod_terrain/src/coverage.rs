//! Where a sensor has seen anything: what lies there and is not seen is not there.

use crate::align::COMPARED;
use hexapod_kinematics::math::atan2;
use nalgebra::{Isometry3, Point3, Vector3};
use std::f64::consts::TAU;

/// Ways about the body.
const WAYS: usize = 72;
/// Fraction by which the edge of the view follows a point beyond it: one wild point does not move it far.
const FOLLOW: f64 = 0.2;
/// Share of the view at either edge that does not count: poses are not exact.
const EDGE: f64 = 0.1;
/// Beyond this share of the distance of the farthest point that was seen, nothing need be.
const SURELY: f64 = 0.9;

/// A cell that gets fewer rays of a cloud than this, on the mean, need not be seen: it lies between them.
const LEAST_RAYS: f64 = 0.15;

/// The least and greatest slope along which points have been seen.
#[derive(Clone, Copy, Debug)]
struct View {
    lowest: f64,
    highest: f64,
}

impl View {
    fn learn(&mut self, slope: f64) {
        self.lowest += FOLLOW * (slope - self.lowest).min(0.0);
        self.highest += FOLLOW * (slope - self.highest).max(0.0);
    }

    fn holds(&self, slope: f64) -> bool {
        let edge = EDGE * self.breadth();
        self.lowest + edge < slope && slope < self.highest - edge
    }

    fn breadth(&self) -> f64 {
        self.highest - self.lowest
    }
}

/// The view of a sensor, learnt from what it has seen: so it need not be described, nor the parts of the robot before it.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    views: [Option<View>; WAYS],
    farthest_m: f64,
    /// Points of a cloud for each way in which there are any, followed over the clouds.
    points_a_way: f64,
    /// The frame of the last cloud.
    turned_from_odom: Isometry3<f64>,
}

impl Coverage {
    pub(crate) fn new() -> Self {
        Self { views: [None; WAYS], farthest_m: 0.0, points_a_way: 0.0, turned_from_odom: Isometry3::identity() }
    }

    pub(crate) fn forget(&mut self) {
        *self = Self::new();
    }

    /// Takes down where the sensor has seen points, in its frame, m, which stands so in the odometry frame, as does the one that is
    /// turned as the body.
    pub(crate) fn learn(
        &mut self,
        points: &[[f32; 3]],
        sensor_in_odom: &Isometry3<f64>,
        turned_from_odom: &Isometry3<f64>,
    ) {
        self.turned_from_odom = *turned_from_odom;
        let turned_from_sensor = turned_from_odom * sensor_in_odom;
        for point in points.iter().step_by(points.len().div_ceil(COMPARED).max(1)) {
            let from_sensor = (turned_from_sensor * Point3::from(point.map(f64::from))).coords;
            let Some((way, slope)) = direction(&from_sensor) else { continue };
            if let Some(view) = self.views.get_mut(way) {
                view.get_or_insert(View { lowest: slope, highest: slope }).learn(slope);
                self.farthest_m = self.farthest_m.max(from_sensor.norm());
            }
        }
        let ways = self.views.iter().flatten().count();
        self.points_a_way += FOLLOW * (points.len() as f64 / ways.max(1) as f64 - self.points_a_way);
    }

    /// Whether the sensor looks the way in which a place of the odometry frame lies, be it far off.
    pub(crate) fn looks_towards(&self, place: &Point3<f64>) -> bool {
        let way = direction(&(self.turned_from_odom * place).coords).map(|(way, _)| way);
        way.is_some_and(|way| self.views[way].is_some())
    }

    /// Whether the sensor would see something at a cell so broad, at this place from its own in that frame, m, if nothing was before
    /// it.
    pub(crate) fn shows(&self, from_sensor: &Vector3<f64>, cell_m: f64) -> bool {
        let Some((way, slope)) = direction(from_sensor) else { return false };
        // The outermost ways are seen in part.
        let is_seen = |way: usize| self.views[way % WAYS].is_some_and(|view| view.holds(slope));
        from_sensor.norm() < SURELY * self.farthest_m
            && [way + WAYS - 1, way, way + 1].into_iter().all(is_seen)
            && self.rays(way, slope, cell_m / from_sensor.xy().norm()) >= LEAST_RAYS
    }

    /// Points of a cloud that a level cell gets, which has this share of its distance as its breadth.
    fn rays(&self, way: usize, slope: f64, share: f64) -> f64 {
        let breadth = self.views.get(way).copied().flatten().map_or(f64::INFINITY, |view| view.breadth());
        self.points_a_way * (share * WAYS as f64 / TAU) * (slope.abs() * share / breadth)
    }
}

/// The frame at the sensor that is turned as the body, which carries the sensor, from the odometry frame.
pub(crate) fn turned_from_odom(sensor_in_odom: &Isometry3<f64>, body_in_odom: &Isometry3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(sensor_in_odom.translation, body_in_odom.rotation).inverse()
}

/// Which way a place lies, and its height for each metre along it.
fn direction(from_sensor: &Vector3<f64>) -> Option<(usize, f64)> {
    let slope = from_sensor.z / from_sensor.xy().norm();
    let turns = atan2(from_sensor.y, from_sensor.x) / TAU;
    slope.is_finite().then(|| ((turns.rem_euclid(1.0) * WAYS as f64) as usize % WAYS, slope))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Translation3, UnitQuaternion};

    /// What a camera on a body at this pose sees of a floor, 60 degrees wide and from 15 to 60 degrees down, in its frame.
    fn cone() -> Vec<[f32; 3]> {
        let ways = (-30..=30).flat_map(|aside| (15..=60).map(move |down| (f64::from(aside), f64::from(down))));
        let towards = |(aside, down): (f64, f64)| {
            UnitQuaternion::from_euler_angles(0.0, down.to_radians(), aside.to_radians()) * Vector3::new(0.5, 0.0, 0.0)
        };
        ways.map(|way| towards(way).cast::<f32>().into()).collect()
    }

    const CELL_M: f64 = 0.015;

    #[test]
    fn when_rays_are_sparse_expect_only_what_is_near_to_be_seen_for_sure() {
        let sensor = Isometry3::translation(0.0, 0.0, 0.2);
        let level = turned_from_odom(&sensor, &Isometry3::identity());
        let shows = |every: usize, at: f64| {
            let (mut coverage, cloud) = (Coverage::new(), cone());
            let sparse: Vec<_> = cloud.iter().step_by(every).copied().collect();
            (0..20).for_each(|_| coverage.learn(&sparse, &sensor, &level));
            coverage.shows(&(level * Point3::new(at, 0.0, 0.0)).coords, CELL_M)
        };
        assert!(shows(1, 0.2) && shows(1, 0.4));
        assert!(!shows(60, 0.4) && !shows(60, 0.3));
    }

    #[test]
    fn when_the_body_leans_back_expect_its_view_to_lean_with_it() {
        let mut coverage = Coverage::new();
        let sensor = Isometry3::from_parts(Translation3::new(0.1, 0.0, 0.2), UnitQuaternion::identity());
        for _ in 0..20 {
            coverage.learn(&cone(), &sensor, &turned_from_odom(&sensor, &Isometry3::identity()));
        }
        let shows = |pitch: f64, at: Vector3<f64>| {
            let body = Isometry3::rotation(Vector3::y() * pitch);
            let sensor = Isometry3::from_parts(sensor.translation, body.rotation);
            coverage.shows(&(turned_from_odom(&sensor, &body) * Point3::from(at)).coords, CELL_M)
        };
        let near = Vector3::new(0.25, 0.0, 0.0);
        assert!(shows(0.0, near) && !shows(-0.5, near), "53 degrees down, and out of view for one that looks up");
        assert!(
            coverage.looks_towards(&Point3::new(9.0, 1.0, 0.0))
                && !coverage.looks_towards(&Point3::new(-1.0, 0.0, 0.0))
        );
        let ahead = Vector3::new(0.4, 0.0, 0.2);
        assert!(!shows(0.0, ahead) && shows(-0.5, ahead), "as high as the camera, and in view for that one");
    }
}
