//! What walking asks for: each foot on a small circle below its hip, the body swaying, step by step.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench has nothing to recover from")]

use hexapod_kinematics::{Lanes3, LegAngles, Robot};
use nalgebra::{Isometry3, Vector3};

const URDF: &str = include_str!("../../../../urdf/hexapod.urdf");
pub const STEPS: usize = 64;
pub const LEGS: usize = 6;

/// Feet in the world and the body's pose.
pub struct Walk {
    pub robot: Robot,
    pub feet: Vec<[Vector3<f64>; LEGS]>,
    /// The same feet, a lane for each leg.
    pub lanes: Vec<Lanes3>,
    pub body_from_world: Vec<Isometry3<f64>>,
}

impl Walk {
    pub fn new() -> Self {
        let robot = Robot::from_urdf(URDF).unwrap();
        let rest: Vec<Vector3<f64>> =
            robot.legs().iter().map(|leg| leg.foot_in_body(&LegAngles::from([0.0, 0.6, -1.7]))).collect();
        let turn = |step: usize| std::f64::consts::TAU * step as f64 / STEPS as f64;
        let feet: Vec<[Vector3<f64>; LEGS]> = (0..STEPS)
            .map(|s| std::array::from_fn(|i| rest[i] + Vector3::new(0.03 * turn(s).cos(), 0.0, 0.02 * turn(s).sin())))
            .collect();
        let body_from_world = (0..STEPS)
            .map(|s| {
                let sway = Vector3::new(0.03 * turn(s).cos(), 0.02 * turn(s).sin(), 0.0);
                Isometry3::new(Vector3::new(0.0, 0.0, 0.005 * turn(s).sin()), sway)
            })
            .collect();
        let lanes = feet.iter().map(lanes_of).collect();
        Self { robot, feet, lanes, body_from_world }
    }
}

fn lanes_of(feet: &[Vector3<f64>; LEGS]) -> Lanes3 {
    let mut lanes = Lanes3::default();
    feet.iter().enumerate().for_each(|(leg, foot)| lanes.set(leg, (*foot).into()));
    lanes
}
