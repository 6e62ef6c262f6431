//! A robot that sees the ground: from clouds of points to footholds.

use crate::capsule::Capsule;
use crate::map::{Drift, ElevationMap, Travel};
use crate::planner::{FootholdPlanner, Planning};
use crate::sensor::Sensor;
use hexapod_gait::{Engine, Foothold};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Isometry3, Point3};

/// Half of the thickness of a leg whose links count as lines, with a margin for joints that lag, m.
const LEG_RADIUS_M: f64 = 0.03;

/// The map that a walking robot keeps of the ground about it, and the footholds that it chooses there.
#[derive(Clone, Debug)]
pub struct Sight {
    map: ElevationMap,
    planner: FootholdPlanner,
    sensor: Sensor,
    drift: Drift,
    /// The legs, which clouds show, too.
    legs: Vec<Capsule>,
    last: Option<Isometry3<f64>>,
}

impl Sight {
    /// One that has seen nothing yet.
    #[must_use]
    pub fn new(sensor: Sensor, planning: Planning) -> Self {
        Self {
            map: ElevationMap::default(),
            planner: FootholdPlanner::new(planning),
            sensor,
            drift: Drift::default(),
            legs: Vec::new(),
            last: None,
        }
    }

    /// Takes in a cloud of points in the frame of the sensor, m, with the poses that body and sensor had then in the odometry
    /// frame. How many points count: those of the robot's own legs do not.
    pub fn see(
        &mut self,
        engine: &Engine,
        points: &[[f32; 3]],
        odom_from_body: &Isometry3<f64>,
        odom_from_sensor: &Isometry3<f64>,
    ) -> usize {
        let step = self.last.unwrap_or(*odom_from_body).inverse() * odom_from_body;
        self.last = Some(*odom_from_body);
        let travel = Travel { way_m: step.translation.vector.norm(), turn_rad: step.rotation.scaled_axis().z };
        self.map.follow(&odom_from_body.translation.vector.into(), travel, &self.drift);
        self.legs.clear();
        for (leg, angles) in engine.legs().iter().zip(&engine.last().angles) {
            let bends = || leg.bends(angles).map(|bend| odom_from_body * Point3::from(bend));
            self.legs.extend(bends().zip(bends().skip(1)).map(|(from, to)| Capsule::new(from, to, LEG_RADIUS_M)));
        }
        self.map.insert(points, odom_from_sensor, &self.sensor, &self.legs)
    }

    /// Where the feet of a walking robot are to be put down, for [`hexapod_gait::Input::footholds`], with the pose of its body
    /// in the odometry frame.
    pub fn footholds(&mut self, engine: &Engine, odom_from_body: &Isometry3<f64>) -> [Option<Foothold>; MAX_LEGS] {
        let odom_from_footprint = odom_from_body * engine.last().footprint_from_body.inverse();
        self.planner.plan(engine, &self.map, &odom_from_footprint)
    }
}
