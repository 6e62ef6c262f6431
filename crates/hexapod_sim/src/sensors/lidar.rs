//! A lidar that spins: rays all around, a ring for each of its channels.

use super::points::{Noise, PointSensorModel};
use hexapod_kinematics::math::sin_cos;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::f64::consts::TAU;

/// What a spinning lidar sees, and how well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LidarModel {
    /// Where it is on its link, m.
    pub at: Vector3<f64>,
    /// How far its axis leans ahead, rad.
    pub down_rad: f64,
    /// Rings.
    pub channels: usize,
    /// The lowest ring's angle above the plane in which it spins, rad; negative below it.
    pub lowest_rad: f64,
    /// The highest ring's, rad.
    pub highest_rad: f64,
    /// Rays in each ring.
    pub columns: usize,
    /// Nearer ranges are not measured, m.
    pub nearest_m: f64,
    /// Nor are farther ones, m.
    pub farthest_m: f64,
    /// Standard deviation of a range, m.
    pub noise_m: f64,
    /// Turns each second, whose points count as measured at once; none at 0.
    pub rate_hz: f64,
}

impl LidarModel {
    /// The sensor, whose frame has x ahead and z up, along the axis.
    #[must_use]
    pub fn sensor(&self) -> PointSensorModel {
        let ring = |channel: usize| (0..self.columns).map(move |column| (channel, column));
        let ray = |(channel, column): (usize, usize)| {
            let share = if self.channels > 1 { channel as f64 / (self.channels - 1) as f64 } else { 0.5 };
            let (up, level) = sin_cos(self.lowest_rad + share * (self.highest_rad - self.lowest_rad));
            let (left, ahead) = sin_cos(TAU * column as f64 / self.columns as f64);
            Vector3::new(level * ahead, level * left, up)
        };
        PointSensorModel {
            link_from_sensor: Isometry3::from_parts(
                self.at.into(),
                UnitQuaternion::from_euler_angles(0.0, self.down_rad, 0.0),
            ),
            rays: (0..self.channels).flat_map(ring).map(ray).collect(),
            nearest_m: self.nearest_m,
            farthest_m: self.farthest_m,
            noise: Noise::Constant(self.noise_m),
            rate_hz: self.rate_hz,
        }
    }
}
