//! What a joint's motor spends before its torque is that of the joint: friction of its gears, and its own rotor. A swinging
//! leg shows both, since the ground asks nothing of it: what its own motion does not explain is the motor's.

use hexapod_kinematics::{JointMotion, Matrix3xN};
use nalgebra::{Matrix3, Vector3};

use super::settings::{EffortSource, ForceSettings};
use crate::friction::Friction;
use crate::leg::{JointVector, LegDynamics};

/// What is not known of the friction of gears, as a part of the servo's stall torque: those of hobby servos have 2 to 15 %.
const FRICTION_PART: f64 = 0.1;
/// What its torque is off by otherwise.
const NOISE_PART: f64 = 0.02;
/// A rotor is not known by as much as the stall torque brings to full speed in this time, s.
const RUN_UP_S: f64 = 0.008;
/// The same two where efforts are angle errors, whose gears' play is noise, too; and the part of the stall torque that is not
/// known of what is lost at full speed: all that the motor's own voltage takes, and more for goals that come late.
const ERROR_NOISE_PART: f64 = 0.05;
const ERROR_RUN_UP_S: f64 = 0.1;
const ERROR_SPEED_PART: f64 = 1.5;
/// Samples that what is known beforehand of a torque's error counts for, and those that are remembered.
const PRIOR_SAMPLES: f64 = 10.0;
const REMEMBERED: f64 = 300.0;
/// A sample moves what is known by no more than one that is so many deviations off: the leg may have hit something.
const OUTLIER: f64 = 2.5;

/// A joint that moves more slowly than this, rad/s, may stand, its servo in its dead band: that says nothing of friction.
const MOVES_RAD_S: f64 = 0.5;

/// The motor of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motor {
    pub friction: Friction,
    /// Inertia of the rotor, seen through the gears, kg m².
    pub rotor: f64,
    /// Variance of the torque that is left for the joint, (N m)².
    pub variance: f64,
    /// Variance below which nothing measured brings it, (N m)².
    least: f64,
    /// Friction and rotor as estimated, not held to what is possible, with their covariance, and what that grows by with a
    /// sample.
    estimate: Vector3<f64>,
    covariance: Matrix3<f64>,
    forgets: Matrix3<f64>,
    /// Mean square of what a swing's torques miss the estimate by, (N m)².
    misses: f64,
    samples: f64,
}

impl Motor {
    /// The motors of a leg with these settings; what they do not say is known to within `unknown` of what the servos of the
    /// leg's description may have.
    pub(crate) fn of(
        leg: &LegDynamics,
        settings: &ForceSettings,
        unknown: f64,
    ) -> [Self; hexapod_kinematics::MAX_LEG_JOINTS] {
        std::array::from_fn(|joint| {
            let of = |of: &JointVector| Some(of[joint]).filter(|most| most.is_finite()).unwrap_or(0.0);
            let (torque, speed) = (of(leg.greatest_torques()), of(leg.greatest_speeds()));
            let (friction, rotor) = (settings.friction[joint], settings.rotor_inertias[joint]);
            let dry = unknown * FRICTION_PART * torque;
            let per_speed = |part: f64| if speed > 0.0 { part / speed } else { 0.0 };
            let (run_up_s, viscous, noise_part) = match settings.efforts {
                EffortSource::Torque => (RUN_UP_S, dry, NOISE_PART),
                EffortSource::AngleError => (ERROR_RUN_UP_S, unknown * ERROR_SPEED_PART * torque, ERROR_NOISE_PART),
            };
            let deviations = Vector3::new(dry, per_speed(viscous), per_speed(unknown * torque * run_up_s));
            let covariance = Matrix3::from_diagonal(&deviations.component_mul(&deviations));
            let least = settings.torque_deviations_nm[joint] * settings.torque_deviations_nm[joint];
            let noise = unknown * noise_part * torque;
            let variance = least + noise * noise;
            Self {
                friction,
                rotor,
                variance,
                least,
                estimate: Vector3::new(friction.coulomb_nm, friction.viscous_nm_s, rotor),
                covariance,
                forgets: covariance / (REMEMBERED * REMEMBERED),
                misses: variance,
                samples: PRIOR_SAMPLES,
            }
        })
    }

    /// The torque, N m, that goes into friction and rotor.
    #[inline]
    pub(crate) fn torque(&self, row: &Vector3<f64>) -> f64 {
        self.friction.coulomb_nm * row.x + self.friction.viscous_nm_s * row.y + self.rotor * row.z
    }

    /// Variance of what is left for the links: with what is not known of friction and rotor. At rest, friction pushes either
    /// way.
    #[inline]
    pub(crate) fn variance_at(&self, row: &Vector3<f64>) -> f64 {
        let sticks = self.friction.coulomb_nm * (1.0 - row.y.abs() / MOVES_RAD_S).max(1.0 - row.x.abs());
        self.variance + sticks * sticks + row.dot(&(self.covariance * row))
    }

    /// Learns from a leg in the air: torque that the links do not explain, N m, and what was taken for torque of contact, N m.
    fn learn(&mut self, row: &Vector3<f64>, torque: f64, contact: f64) {
        if row.y.abs() < MOVES_RAD_S {
            return;
        }
        let gain = self.covariance * row;
        let scatter = row.dot(&gain) + self.misses;
        let deviation = scatter.sqrt();
        let miss = (torque - row.dot(&self.estimate)).clamp(-OUTLIER * deviation, OUTLIER * deviation);
        let estimate = self.estimate + gain * (miss / scatter);
        if scatter <= 0.0 || !estimate.sum().is_finite() {
            return;
        }
        self.estimate = estimate;
        self.covariance += self.forgets - gain * gain.transpose() / scatter;
        self.friction = Friction { coulomb_nm: estimate.x.max(0.0), viscous_nm_s: estimate.y.max(0.0) };
        self.rotor = estimate.z.max(0.0);
        self.samples = (self.samples + 1.0).min(REMEMBERED);
        let most = OUTLIER * OUTLIER * self.variance;
        self.variance =
            (self.variance + ((contact * contact).min(most) - self.variance) / self.samples).max(self.least);
        self.misses = (self.misses + (miss * miss - self.misses) / self.samples).max(self.least);
    }
}

/// What the motors of a leg spend.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spent {
    /// Torques that the links do not explain, N m.
    pub torques: JointVector,
    /// What Coulomb friction, viscous friction and rotors are multiplied by.
    directions: JointVector,
    speeds: JointVector,
    accelerations: JointVector,
    /// Of the foot.
    pub jacobian: Matrix3xN,
}

impl Spent {
    pub(super) fn new(torques: &JointVector, motion: &JointMotion, jacobian: Matrix3xN) -> Self {
        let speeds = JointVector::from(*motion.speeds.padded());
        let accelerations = JointVector::from(*motion.accelerations.padded());
        Self { torques: *torques, directions: speeds.map(Friction::part), speeds, accelerations, jacobian }
    }

    /// The mean of some.
    pub(super) fn mean(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> &JointVector| all.iter().map(of).sum::<JointVector>() / all.len() as f64;
        Self {
            torques: mean(|spent| &spent.torques),
            directions: mean(|spent| &spent.directions),
            speeds: mean(|spent| &spent.speeds),
            accelerations: mean(|spent| &spent.accelerations),
            jacobian: all.iter().map(|spent| spent.jacobian).sum::<Matrix3xN>() / all.len() as f64,
        }
    }

    /// Of a joint.
    #[inline]
    pub(super) fn row(&self, joint: usize) -> Vector3<f64> {
        Vector3::new(self.directions[joint], self.speeds[joint], self.accelerations[joint])
    }
}

/// Has motors learn from a leg in the air: see [`Motor::learn`].
pub(super) fn learn(motors: &mut [Motor], joints: usize, spent: &Spent, contact: &JointVector) {
    for (joint, motor) in motors.iter_mut().enumerate().take(joints) {
        motor.learn(&spent.row(joint), spent.torques[joint], contact[joint]);
    }
}
