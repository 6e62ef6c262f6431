//! A robot that sees the ground with a depth camera or a lidar, and knows where it is, or reckons that with its odometry.

use super::shipped::config;
use hexapod_dynamics::ImuReader;
use hexapod_gait::{Engine, Foothold};
use hexapod_kinematics::MAX_LEGS;
use hexapod_odometry::Odometry;
use hexapod_sim::{PointSensor, World};
use hexapod_terrain::Sight;
use nalgebra::Isometry3;
use std::time::Duration;

pub struct Seeing {
    sensor: PointSensor,
    pub sight: Sight,
    points: Vec<[f32; 3]>,
    /// Where it does not know where it is.
    odometry: Option<Odometry>,
    /// The body where the map has it.
    pub odom_from_body: Isometry3<f64>,
}

impl Seeing {
    /// With a depth camera.
    pub fn new(world: &World, seed: u64) -> Self {
        let config = config("");
        Self::with(PointSensor::new(config.camera.sensor(), config.camera_link, world, seed), world)
    }

    /// With a lidar that turns ten times a second.
    pub fn spinning(world: &World, seed: u64) -> Self {
        let config = config("sensors: {lidar: {rate_hz: 10.0}}");
        Self::with(PointSensor::new(config.lidar.sensor(), config.lidar_link, world, seed), world)
    }

    fn with(sensor: PointSensor, world: &World) -> Self {
        Self { sensor, sight: Sight::new(1.0), points: Vec::new(), odometry: None, odom_from_body: world.base() }
    }

    pub fn reckoning(self, legs: usize) -> Self {
        Self { odometry: Some(Odometry::new(legs)), ..self }
    }

    pub fn footholds(&mut self, engine: &Engine, world: &World, imu: &mut ImuReader) -> [Option<Foothold>; MAX_LEGS] {
        let (base, now) = (world.base(), Duration::from_secs_f64(world.time_s()));
        self.odom_from_body = base;
        if let Some(odometry) = &mut self.odometry {
            let tick = engine.last();
            odometry.sense_imu(imu, now);
            let estimate = odometry.update_joints(now, engine.legs(), &tick.angles, Some(&tick.contacts)).unwrap();
            self.odom_from_body = estimate.odom_from_body;
        }
        if self.sensor.is_due(now) {
            self.sensor.read(world, &mut self.points);
            let odom_from_sensor = self.odom_from_body * base.inverse() * self.sensor.pose(world);
            self.sight.see(engine, &self.points, &self.odom_from_body, &odom_from_sensor);
        }
        self.sight.footholds(engine, &self.odom_from_body)
    }
}
