//! A robot that sees the ground: from clouds of points to footholds.

use crate::mapper::Mapper;
use crate::planner::{FootholdPlanner, Planning};
use crate::sensor::Sensor;
use hexapod_gait::{Engine, Foothold};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Isometry3;

/// The map that a walking robot keeps of the ground about it, and the footholds that it chooses there.
#[derive(Clone, Debug)]
pub struct Sight {
    mapper: Mapper,
    planner: FootholdPlanner,
}

impl Sight {
    /// One that has seen nothing yet.
    #[must_use]
    pub fn new(sensor: Sensor, planning: Planning) -> Self {
        Self { mapper: Mapper::new(sensor), planner: FootholdPlanner::new(planning) }
    }

    /// Takes in a cloud of points that was taken now, see [`Mapper::see`].
    pub fn see(
        &mut self,
        engine: &Engine,
        points: &[[f32; 3]],
        odom_from_body: &Isometry3<f64>,
        odom_from_sensor: &Isometry3<f64>,
    ) -> usize {
        self.mapper.see((engine, &engine.last().angles), points, odom_from_body, odom_from_sensor)
    }

    /// Where the feet of a walking robot are to be put down, for [`hexapod_gait::Input::footholds`], with the pose of its body
    /// in the odometry frame.
    pub fn footholds(&mut self, engine: &Engine, odom_from_body: &Isometry3<f64>) -> [Option<Foothold>; MAX_LEGS] {
        self.planner.plan(engine, self.mapper.map(), odom_from_body)
    }
}
