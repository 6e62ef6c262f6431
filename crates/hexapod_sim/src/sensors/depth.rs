//! A depth camera: what rays meet, as points.

use super::moment::Moment;
use crate::engine::{Seen, World};
use crate::random::Random;
use hexapod_kinematics::math::tan;
use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use std::f64::consts::FRAC_PI_2;
use std::time::Duration;

/// Rarer than this nothing is looked at, Hz.
const LEAST_HZ: f64 = 1e-3;

/// What a depth camera sees, and how well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthModel {
    /// Where it is on its link, m.
    pub at: Vector3<f64>,
    /// How far it looks down from straight ahead, rad.
    pub down_rad: f64,
    /// Rays across.
    pub columns: usize,
    /// And down.
    pub rows: usize,
    /// The angle between the outermost across, rad.
    pub width_rad: f64,
    /// And down, rad.
    pub height_rad: f64,
    /// Nearer depths are not measured, m.
    pub nearest_m: f64,
    /// Nor are farther ones, m.
    pub farthest_m: f64,
    /// Standard deviation of a depth of a metre, m; it grows with the square of the depth, as disparity between two pictures
    /// does.
    pub noise_m: f64,
    /// Pictures each second.
    pub rate_hz: f64,
}

impl DepthModel {
    /// Its optical frame, which looks along z with x to the right and y down (REP 103), on its link.
    #[must_use]
    pub fn link_from_camera(&self) -> Isometry3<f64> {
        let (ahead, down) = (FRAC_PI_2, self.down_rad);
        let optical = UnitQuaternion::from_euler_angles(-ahead, 0.0, -ahead);
        Isometry3::from_parts(self.at.into(), UnitQuaternion::from_euler_angles(0.0, down, 0.0) * optical)
    }
}

/// A depth camera on a link of the robot.
#[derive(Clone, Debug)]
pub struct DepthCamera {
    model: DepthModel,
    /// The part that carries it, and its optical frame there.
    part: usize,
    part_from_camera: Isometry3<f64>,
    /// Where the rays cross the plane a metre ahead, m.
    rays: Vec<[f64; 2]>,
    /// When the next picture is due.
    next: Duration,
    random: Random,
}

impl DepthCamera {
    /// One on a link (an index of the robot's model), or on the base where there is no such link.
    #[must_use]
    pub fn new(model: DepthModel, link: Option<usize>, world: &World, seed: u64) -> Self {
        let seat = link.and_then(|link| world.assembly().links.get(link).copied().flatten());
        let (part, part_from_link) = seat.unwrap_or((0, Isometry3::identity()));
        let across = |n: usize, count: usize, angle: f64| {
            let edge = tan(0.5 * angle);
            if count > 1 { edge * (2.0 * n as f64 / (count - 1) as f64 - 1.0) } else { 0.0 }
        };
        let row = |y: usize| (0..model.columns).map(move |x| (x, y));
        let rays = (0..model.rows)
            .flat_map(row)
            .map(|(x, y)| [across(x, model.columns, model.width_rad), across(y, model.rows, model.height_rad)]);
        let rays = rays.collect();
        let part_from_camera = part_from_link * model.link_from_camera();
        Self { model, part, part_from_camera, rays, next: Duration::ZERO, random: Random(seed) }
    }

    /// Where its optical frame is in the world, in truth.
    #[must_use]
    pub fn pose(&self, world: &World) -> Isometry3<f64> {
        let now = Moment::now(world, self.part, &self.part_from_camera);
        Isometry3::from_parts(now.place.into(), now.orientation)
    }

    /// Whether a picture is due at this time, which the next one then counts from.
    pub fn is_due(&mut self, now: Duration) -> bool {
        let is_due = now >= self.next;
        if is_due {
            self.next = now + Duration::from_secs_f64(self.model.rate_hz.max(LEAST_HZ).recip());
        }
        is_due
    }

    /// The points that it sees now, in its optical frame, m, in place of those in `points`: of the ground, and of the robot.
    pub fn read(&mut self, world: &World, points: &mut Vec<[f32; 3]>) {
        let pose = self.pose(world);
        let from = Point3::from(pose.translation.vector);
        points.clear();
        for [x, y] in &self.rays {
            let ray = Vector3::new(*x, *y, 1.0);
            let (along, length) = Unit::new_and_get(pose.rotation * ray);
            let Some(distance) = world.distance(&from, &along, self.model.farthest_m * length, Seen::AllBut(self.part))
            else {
                continue;
            };
            let depth = distance / length;
            let depth = depth + self.model.noise_m * depth * depth * self.random.normal();
            if (self.model.nearest_m..=self.model.farthest_m).contains(&depth) {
                points.push([x * depth, y * depth, depth].map(|value| value as f32));
            }
        }
    }
}
