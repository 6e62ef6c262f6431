//! The regressor: joint torques as a matrix times the inertial parameters (Atkeson, An & Hollerbach 1986; Khalil).

use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS};
use nalgebra::{Matrix3, SMatrix, Vector3};

use crate::base::BaseMotion;
use crate::inertia::LINK_PARAMETERS;
use crate::inverse::BodyMotion;
use crate::leg::{JointVector, LegDynamics, PlacedBody};

/// Regressor of a leg: a row per joint, ten columns per link in the order of
/// [`PARAMETER_NAMES`](crate::PARAMETER_NAMES); unused rows and columns zero.
pub type Regressor = SMatrix<f64, MAX_LEG_JOINTS, { MAX_LEG_JOINTS * LINK_PARAMETERS }>;

impl LegDynamics {
    /// The regressor `Y` with `inverse_dynamics = Y * parameters`, exact for any parameters.
    pub fn regressor(
        &self,
        angles: &LegAngles,
        speeds: &LegAngles,
        accelerations: &LegAngles,
        base: &BaseMotion,
    ) -> Regressor {
        let placed = self.at(angles);
        let mut regressor = Regressor::zeros();
        let mut motion = BodyMotion::of_base(base);
        let of_bodies = |rates: &LegAngles| placed.of_bodies(&JointVector::from(*rates.padded()));
        let (speeds, accelerations) = (of_bodies(speeds), of_bodies(accelerations));
        let rates = speeds.iter().zip(&accelerations);
        for ((link, body), (speed, acceleration)) in placed.bodies().enumerate().zip(rates) {
            motion = motion.next(body, *speed, *acceleration);
            for (k, (force, mut moment)) in link_wrenches(body, &motion).into_iter().enumerate() {
                for (joint, inner) in placed.bodies().take(link + 1).enumerate().rev() {
                    regressor[(joint, link * LINK_PARAMETERS + k)] = inner.axis.dot(&moment);
                    moment += inner.arm.cross(&force);
                }
            }
        }
        placed.of_motors(regressor)
    }
}

/// Force and moment about the joint's point that a unit of each parameter of a body takes to move it like this.
fn link_wrenches(body: &PlacedBody, motion: &BodyMotion) -> [(Vector3<f64>, Vector3<f64>); LINK_PARAMETERS] {
    let BodyMotion { spin, spin_rate, acceleration } = motion;
    let [x, y, z] = [0, 1, 2].map(|i| body.turn.column(i).into_owned());
    let of_mass = (*acceleration, Vector3::zeros());
    let of_moment = |e: Vector3<f64>| {
        let force = spin_rate.cross(&e) + spin.cross(&spin.cross(&e));
        (force, e.cross(acceleration))
    };
    let of_tensor = |a: &Vector3<f64>, b: &Vector3<f64>| {
        let unit: Matrix3<f64> = if a == b { a * a.transpose() } else { a * b.transpose() + b * a.transpose() };
        (Vector3::zeros(), unit * spin_rate + spin.cross(&(unit * spin)))
    };
    [
        of_mass,
        of_moment(x),
        of_moment(y),
        of_moment(z),
        of_tensor(&x, &x),
        of_tensor(&x, &y),
        of_tensor(&y, &y),
        of_tensor(&x, &z),
        of_tensor(&y, &z),
        of_tensor(&z, &z),
    ]
}
