//! A robot that sees the ground with a depth camera, and knows where it is, or reckons that with its odometry.

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
    camera: PointSensor,
    pub sight: Sight,
    points: Vec<[f32; 3]>,
    /// Where it does not know where it is.
    odometry: Option<Odometry>,
    /// The body where the map has it.
    pub odom_from_body: Isometry3<f64>,
}

impl Seeing {
    pub fn new(world: &World, seed: u64) -> Self {
        let config = config("");
        Self {
            camera: PointSensor::new(config.camera.sensor(), config.camera_link, world, seed),
            sight: Sight::new(1.0),
            points: Vec::new(),
            odometry: None,
            odom_from_body: world.base(),
        }
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
        if self.camera.is_due(now) {
            self.camera.read(world, &mut self.points);
            let odom_from_camera = self.odom_from_body * base.inverse() * self.camera.pose(world);
            self.sight.see(engine, &self.points, &self.odom_from_body, &odom_from_camera);
        }
        self.sight.footholds(engine, &self.odom_from_body)
    }
}
