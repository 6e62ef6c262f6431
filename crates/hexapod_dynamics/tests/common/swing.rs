//! A leg in motion, for the tests of forces.
#![allow(dead_code, clippy::unwrap_used)]

use hexapod_dynamics::{
    BaseMotion, ForceEstimator, ForceSettings, Friction, JointVector, LegDynamics, STANDARD_GRAVITY,
};
use hexapod_kinematics::{JointMotion, LegAngles, MAX_LEG_JOINTS};
use nalgebra::Vector3;

use super::leg;

pub const WEIGHT_N: f64 = 2.0 * STANDARD_GRAVITY;

/// A leg that swings as sines do, known exactly.
pub struct Swing {
    pub leg: LegDynamics,
    pub middle: LegAngles,
    size: f64,
    turn: f64,
}

impl Swing {
    pub fn of(text: &str) -> Self {
        let leg = leg(text);
        let middle = LegAngles::from_slice(&[0.1, 0.5, -1.3, 0.4, 0.3, 0.0][..leg.joint_count()]).unwrap();
        Self { leg, middle, size: 0.3, turn: 2.0 * std::f64::consts::PI }
    }

    pub fn still(self) -> Self {
        Self { size: 0.0, ..self }
    }

    pub fn motion(&self, t: f64) -> JointMotion {
        let phase = |i: usize| self.turn * t * (1.0 + 0.3 * i as f64) + i as f64;
        let of = |f: &dyn Fn(usize) -> f64| LegAngles::from_fn(self.leg.joint_count(), f);
        let rate = |i: usize| self.turn * (1.0 + 0.3 * i as f64);
        JointMotion {
            angles: of(&|i| self.middle[i] + self.size * phase(i).sin()),
            speeds: of(&|i| self.size * rate(i) * phase(i).cos()),
            accelerations: of(&|i| -self.size * rate(i) * rate(i) * phase(i).sin()),
            valid: true,
        }
    }

    /// Torques of the servos with this force on the foot.
    pub fn torques(&self, t: f64, force: &Vector3<f64>, base: &BaseMotion) -> JointVector {
        let motion = self.motion(t);
        let placed = self.leg.at(&motion.angles);
        let own = placed.inverse_dynamics(&motion.speeds, &motion.accelerations, base);
        own - placed.jacobian().transpose() * force
    }

    /// For the torques above, which are those of joints without friction.
    pub fn settings(&self, step_s: f64) -> ForceSettings {
        let friction = [Friction::default(); MAX_LEG_JOINTS];
        ForceSettings { friction, ..ForceSettings::for_robot(&self.leg, WEIGHT_N, step_s) }
    }

    pub fn estimator(&self, step_s: f64) -> ForceEstimator {
        ForceEstimator::try_new(self.leg.clone(), self.settings(step_s)).unwrap()
    }
}
