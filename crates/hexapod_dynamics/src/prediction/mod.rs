//! Sensorless robots: what the feet and the servos will have to bear. Everything here is predicted, nothing measured.

mod balance;
mod qp;

use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Model, Robot};
use nalgebra::Vector3;

pub use balance::{BalanceError, Ground, Load, foot_forces};

use crate::base::BaseMotion;
use crate::leg::{JointVector, LegDynamics, PlacedLeg};

/// Predicts foot forces and joint torques of a standing or slowly walking robot.
#[derive(Clone, Debug)]
pub struct LoadPredictor {
    model: Model,
    legs: Vec<LegDynamics>,
    /// Per leg and joint: index of the joint's position in the model, and the greatest torque, N m.
    joints: Vec<[(usize, f64); MAX_LEG_JOINTS]>,
    positions: Vec<f64>,
    friction: f64,
}

/// A predicted load; legs in the order of the robot, entries past its legs zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Predicted forces of the ground on the feet, N, body frame.
    pub forces: [Vector3<f64>; MAX_LEGS],
    /// Predicted torques of the servos on the joints, N m.
    pub torques: [JointVector; MAX_LEGS],
}

/// A predicted torque above what a joint can give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overload {
    /// Index of the leg.
    pub leg: usize,
    /// Index of the joint in the leg, hip first.
    pub joint: usize,
    /// Predicted torque, N m.
    pub torque_nm: f64,
    /// Greatest torque, N m.
    pub limit_nm: f64,
}

impl LoadPredictor {
    /// A predictor for a robot on ground with this coefficient of friction.
    pub fn new(robot: &Robot, friction: f64) -> Self {
        let joints = robot.legs().iter().map(|leg| {
            std::array::from_fn(|i| {
                leg.joints().get(i).map_or((usize::MAX, 0.0), |joint| (joint.position_index(), joint.limits().effort))
            })
        });
        Self {
            model: robot.model().clone(),
            legs: robot.legs().iter().map(|leg| LegDynamics::new(robot.model(), leg)).collect(),
            joints: joints.collect(),
            positions: vec![0.0; robot.model().position_count()],
            friction,
        }
    }

    /// Predicts the load at these joint angles, rad, and with these feet on the ground, which is level across gravity.
    /// Legs that are missing count as in the air and at angle zero.
    ///
    /// # Errors
    /// [`BalanceError`] when these feet cannot hold the body.
    pub fn predict(
        &mut self,
        angles: &[LegAngles],
        on_ground: &[bool],
        base: &BaseMotion,
    ) -> Result<Prediction, BalanceError> {
        if !(base.is_finite() && angles.iter().all(LegAngles::is_finite)) {
            return Err(BalanceError::NotFinite);
        }
        for (joints, angles) in self.joints.iter().zip(angles) {
            for ((position, _), angle) in joints.iter().zip(angles.iter()) {
                if let Some(place) = self.positions.get_mut(*position) {
                    *place = *angle;
                }
            }
        }
        let placed = self.placed(angles);
        let mut feet = [None; MAX_LEGS];
        for ((foot, leg), _) in feet.iter_mut().zip(&placed).zip(on_ground).filter(|(_, on_ground)| **on_ground) {
            *foot = leg.as_ref().map(|leg| leg.foot_in_body());
        }
        let load = Load::of_robot(self.model.total_mass(), &self.model.centre_of_mass(&self.positions), base);
        let forces = foot_forces(&feet, &Ground { normal: base.up(), friction: self.friction }, &load)?;
        Ok(Prediction { forces, torques: torques(&placed, &forces, base) })
    }

    /// The load of a robot whose body is held by something else: legs bear themselves.
    pub fn hanging(&self, angles: &[LegAngles], base: &BaseMotion) -> Prediction {
        let forces = [Vector3::zeros(); MAX_LEGS];
        Prediction { forces, torques: torques(&self.placed(angles), &forces, base) }
    }

    fn placed(&self, angles: &[LegAngles]) -> [Option<PlacedLeg>; MAX_LEGS] {
        let (zero, mut placed) = (LegAngles::zeros(0), [None; MAX_LEGS]);
        for (k, (place, leg)) in placed.iter_mut().zip(&self.legs).enumerate() {
            *place = Some(leg.at(angles.get(k).unwrap_or(&zero)));
        }
        placed
    }

    /// Joints whose predicted torque is above `part` of what they can give (1: all of it). A joint whose description
    /// gives no effort is left out.
    pub fn overloads<'a>(&'a self, prediction: &'a Prediction, part: f64) -> impl Iterator<Item = Overload> + 'a {
        let legs = self.joints.iter().zip(&prediction.torques).enumerate();
        let all = legs.flat_map(|(leg, (joints, torques))| {
            let joints = joints.iter().zip(torques.iter()).enumerate();
            joints.map(move |(joint, ((_, limit_nm), torque_nm))| Overload {
                leg,
                joint,
                torque_nm: *torque_nm,
                limit_nm: *limit_nm,
            })
        });
        all.filter(move |load| load.limit_nm > 0.0 && load.torque_nm.abs() > part * load.limit_nm)
    }
}

/// Torques that hold legs still with these forces on their feet.
fn torques(
    legs: &[Option<PlacedLeg>; MAX_LEGS],
    forces: &[Vector3<f64>; MAX_LEGS],
    base: &BaseMotion,
) -> [JointVector; MAX_LEGS] {
    let still = LegAngles::zeros(0);
    let mut torques = [JointVector::zeros(); MAX_LEGS];
    for ((torques, leg), force) in torques.iter_mut().zip(legs).zip(forces) {
        if let Some(leg) = leg {
            *torques = leg.inverse_dynamics(&still, &still, base) - leg.jacobian().transpose() * force;
        }
    }
    torques
}
