//! What the planner sees of the ground, with a camera or a lidar.

use hexapod_gait::{Engine, Foothold, Twist, size_of};
use hexapod_kinematics::{MAX_LEGS, Robot};
use hexapod_terrain::Sight;
use nalgebra::Isometry3;
use simulator::{PointSensor, World};
use std::time::Duration;

/// Sensors, a map and footholds on it.
pub struct Seen {
    sensors: Vec<PointSensor>,
    sight: Sight,
    points: Vec<[f32; 3]>,
}

impl Seen {
    pub fn new(sensors: Vec<PointSensor>, robot: &Robot) -> Self {
        Self { sensors, sight: Sight::new(size_of(robot)), points: Vec::new() }
    }

    /// Where the feet are to be put down, as far as the ground has been seen.
    pub fn footholds(
        &mut self,
        world: &World,
        engine: &Engine,
        now: Duration,
        odom_from_body: &Isometry3<f64>,
    ) -> [Option<Foothold>; MAX_LEGS] {
        for sensor in self.sensors.iter_mut() {
            if sensor.is_due(now) {
                sensor.read(world, &mut self.points);
                let body_from_sensor = world.base().inverse() * sensor.pose(world);
                self.sight.see(engine, &self.points, odom_from_body, &(odom_from_body * body_from_sensor));
            }
        }
        self.sight.footholds(engine, odom_from_body)
    }

    /// What is left of a twist that is wanted: nothing on the way to where the ground drops away.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        self.sight.allowed(wanted, dt)
    }

    /// Whether it is held back from there.
    pub fn is_at_brink(&self) -> bool {
        self.sight.is_at_brink()
    }
}
