//! A robot that sees the ground: from clouds of points to footholds.

use crate::mapper::{Mapper, Taken};
use crate::planner::{FootholdPlanner, Planning};
use hexapod_gait::{Engine, Foothold, Twist};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Isometry3;

/// The map that a walking robot keeps of the ground about it, and the footholds that it chooses there.
#[derive(Clone, Debug)]
pub struct Sight {
    mapper: Mapper,
    planner: FootholdPlanner,
}

impl Sight {
    /// One that has seen nothing yet, for a robot so many times as large as the shipped one ([`hexapod_gait::size_of`]).
    #[must_use]
    pub fn new(size: f64) -> Self {
        Self { mapper: Mapper::new(size), planner: FootholdPlanner::new(Planning::default().enlarged(size)) }
    }

    /// Takes in a cloud of points that was taken now, see [`Mapper::see`].
    pub fn see(
        &mut self,
        engine: &Engine,
        points: &[[f32; 3]],
        odom_from_body: &Isometry3<f64>,
        odom_from_sensor: &Isometry3<f64>,
    ) -> usize {
        let (tick, odom_from_body, odom_from_sensor) = (engine.last(), *odom_from_body, *odom_from_sensor);
        let (angles, footprint_from_body) = (&tick.angles, tick.footprint_from_body);
        self.mapper.see(engine, points, &Taken { angles, footprint_from_body, odom_from_body, odom_from_sensor })
    }

    /// Where the feet of a walking robot are to be put down, for [`hexapod_gait::Input::footholds`], with the pose of its body
    /// in the odometry frame.
    pub fn footholds(&mut self, engine: &Engine, odom_from_body: &Isometry3<f64>) -> [Option<Foothold>; MAX_LEGS] {
        self.planner.plan(engine, self.mapper.map(), odom_from_body)
    }

    /// What is left of a twist that is wanted, see [`FootholdPlanner::allowed`].
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        self.planner.allowed(wanted, dt)
    }

    /// Whether it is held back so, see [`FootholdPlanner::is_at_brink`].
    #[must_use]
    pub fn is_at_brink(&self) -> bool {
        self.planner.is_at_brink()
    }
}
