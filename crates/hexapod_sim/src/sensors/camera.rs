//! A depth camera: rays that fan out from a picture.

use super::points::{Noise, PointSensorModel};
use hexapod_kinematics::math::tan;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::f64::consts::FRAC_PI_2;

/// What a depth camera sees, and how well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraModel {
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
    /// Pictures each second; none at 0.
    pub rate_hz: f64,
}

impl CameraModel {
    /// The sensor, whose frame looks along z with x to the right and y down (an optical frame of REP 103).
    #[must_use]
    pub fn sensor(&self) -> PointSensorModel {
        let (ahead, down) = (FRAC_PI_2, self.down_rad);
        let optical = UnitQuaternion::from_euler_angles(-ahead, 0.0, -ahead);
        let across = |n: usize, count: usize, angle: f64| {
            let edge = tan(0.5 * angle);
            if count > 1 { edge * (2.0 * n as f64 / (count - 1) as f64 - 1.0) } else { 0.0 }
        };
        let row = |y: usize| (0..self.columns).map(move |x| (x, y));
        let ray =
            |(x, y)| Vector3::new(across(x, self.columns, self.width_rad), across(y, self.rows, self.height_rad), 1.0);
        PointSensorModel {
            link_from_sensor: Isometry3::from_parts(
                self.at.into(),
                UnitQuaternion::from_euler_angles(0.0, down, 0.0) * optical,
            ),
            rays: (0..self.rows).flat_map(row).map(ray).collect(),
            nearest_m: self.nearest_m,
            farthest_m: self.farthest_m,
            noise: Noise::Squared(self.noise_m),
            rate_hz: self.rate_hz,
        }
    }
}
