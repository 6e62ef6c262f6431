//! Force of the ground on a foot, from joint torques: directly, and by the observer.

mod observer;
mod settings;
mod solve;

use hexapod_kinematics::JointMotion;
use nalgebra::{Matrix3, Vector3};

pub use observer::MomentumObserver;
pub use settings::{ForceSettings, SettingsError};

use crate::base::BaseMotion;
use crate::leg::{JointVector, LegDynamics, PlacedLeg};
use crate::normal::normal_cdf;
use solve::{Certainty, Equations, Solver};

/// Torques of contact beyond so many times what the weight makes at the length of the leg are taken for no measurement.
const IMPLAUSIBLE: f64 = 100.0;
/// Fraction of what was before the observer's first sample with which it has settled, and that makes no difference any
/// more.
const SETTLED: f64 = 0.05;
const FORGOTTEN: f64 = 1e-4;

/// An estimated force of the ground on a foot, in the body frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceEstimate {
    /// Force, N; zero while not valid.
    pub force: Vector3<f64>,
    /// Covariance of the force, N².
    pub covariance: Matrix3<f64>,
    /// Probability that the part of the force against gravity is above the threshold of contact; 0.5 while not valid.
    pub contact_probability: f64,
    /// Least singular value of the foot's Jacobian, m: near zero a force in some direction moves no joint. Far from
    /// singular poses a lower bound of it.
    pub singular_value_m: f64,
    /// True when the leg is so near to singular that the force is held back towards zero.
    pub damped: bool,
    /// True when all it is made from was there and finite.
    pub valid: bool,
}

/// Both estimates of one leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegForces {
    /// From the equation of motion, with joint accelerations: at once, and as noisy as those.
    pub direct: ForceEstimate,
    /// From the momentum observer: first-order, without accelerations.
    pub observer: ForceEstimate,
    /// True where the direct estimate is the better one. Just after its start, the observer's force is too low. With samples
    /// rarer than its time constant it filters nothing, but the force is that of half a sample ago.
    pub lags: bool,
}

impl LegForces {
    /// The one to go by: the observer, or where that lags the direct estimate; the other one where that is not valid.
    pub fn best(&self) -> Option<&ForceEstimate> {
        let both = [&self.observer, &self.direct];
        let [first, second] = if self.lags { [both[1], both[0]] } else { both };
        [first, second].into_iter().find(|estimate| estimate.valid)
    }
}

/// Estimates the force on one foot at a fixed rate. Never allocates.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceEstimator {
    dynamics: LegDynamics,
    settings: ForceSettings,
    solver: Solver,
    observer: MomentumObserver,
    variances: JointVector,
    /// Their inverses.
    weights: JointVector,
    /// Greatest torque of contact that is taken for one, N m.
    most_nm: f64,
    /// The leg at the last angles.
    placed: PlacedLeg,
}

impl ForceEstimator {
    /// An estimator for a leg.
    ///
    /// # Errors
    /// [`SettingsError`] for a setting that is not a finite number above zero.
    pub fn try_new(dynamics: LegDynamics, settings: ForceSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        let solver = Solver { singular_m: settings.singular_m, prior_n: settings.prior_n };
        let observer = MomentumObserver::new(&settings.gains_per_s);
        let variances = settings.torque_deviations_nm.map(|deviation| deviation * deviation);
        let weights = variances.map(f64::recip);
        let placed = PlacedLeg::empty(dynamics.joint_count());
        let most_nm = IMPLAUSIBLE * settings.prior_n * dynamics.length();
        Ok(Self { dynamics, settings, solver, observer, variances, weights, most_nm, placed })
    }

    /// The leg.
    pub fn dynamics(&self) -> &LegDynamics {
        &self.dynamics
    }

    /// Forgets what came before, as after a gap in the samples.
    pub fn reset(&mut self) {
        self.observer.reset();
    }

    /// Takes one sample, a step after the one before: joint motion, torques of the servos on the joints, N m, and the
    /// body's motion. Motion that is not valid, and numbers that are not finite or far from possible, give estimates
    /// that are not valid and reset the observer.
    pub fn update(&mut self, motion: &JointMotion, torques: &JointVector, base: &BaseMotion) -> LegForces {
        self.update_after(motion, torques, base, self.settings.step_s, 1.0)
    }

    /// The same for a sample `step_s` seconds after the one before, whose torques have so many times the usual deviation,
    /// as when motion is known from samples far apart.
    pub fn update_after(
        &mut self,
        motion: &JointMotion,
        torques: &JointVector,
        base: &BaseMotion,
        step_s: f64,
        doubt: f64,
    ) -> LegForces {
        let count = self.dynamics.joint_count();
        if !(motion.valid && motion.angles.len() == count) {
            self.reset();
            return LegForces { direct: self.unknown(), observer: self.unknown(), lags: true };
        }
        // Of the motors' torques, what is left for the links.
        let torques = JointVector::from_fn(|joint, _| match motion.speeds.get(joint) {
            Some(speed) => torques[joint] - self.settings.friction[joint].torque(*speed),
            None => 0.0,
        });
        self.dynamics.place(&motion.angles, &mut self.placed);
        let jacobian = self.placed.jacobian();
        let equations = self.solver.equations(&jacobian, count);
        let up = base.up();
        let rotors = &self.settings.rotor_inertias;
        let own = self.placed.inverse_dynamics(&motion.speeds, &motion.accelerations, base)
            + rotors.component_mul(&JointVector::from(*motion.accelerations.padded()));
        let doubt = doubt * doubt;
        let certainty = equations.certainty(self.weights / doubt);
        let direct = self.estimate(&equations, certainty.as_ref(), &(own - torques), &up);
        let mut momentum = self.placed.momentum(&motion.speeds, base);
        momentum.momentum += rotors.component_mul(&JointVector::from(*motion.speeds.padded()));
        let Some(residual) = self.observer.update(&momentum, &torques, step_s) else {
            return LegForces { direct, observer: self.unknown(), lags: true };
        };
        let memory = self.observer.memory().max();
        let certainty = if memory < FORGOTTEN { certainty } else { equations.certainty(self.observer_weights(doubt)) };
        let observer = self.estimate(&equations, certainty.as_ref(), &residual, &up);
        if !observer.valid {
            self.reset();
        }
        let rare = self.settings.gains_per_s.max() * step_s > 1.0;
        LegForces { direct, observer, lags: rare || memory > SETTLED }
    }

    /// Inverse variances of the torques, so many times as great as usual, with what may have been before the first
    /// sample.
    #[inline]
    fn observer_weights(&self, doubt: f64) -> JointVector {
        let before = self.settings.prior_n * self.dynamics.length();
        self.variances.zip_map(self.observer.memory(), |variance, memory| {
            let unknown = memory * before;
            (variance * doubt + unknown * unknown).recip()
        })
    }

    #[inline]
    fn estimate(
        &self,
        equations: &Equations<'_>,
        certainty: Option<&Certainty>,
        torques: &JointVector,
        up: &Vector3<f64>,
    ) -> ForceEstimate {
        let plausible = torques.iter().all(|torque| torque.abs() < self.most_nm);
        let known = certainty.filter(|_| plausible);
        let Some((certainty, force)) = known.and_then(|known| Some((known, equations.force(torques, known)?))) else {
            return self.unknown();
        };
        let deviation = up.dot(&(certainty.covariance * up)).max(0.0).sqrt();
        let above = (force.dot(up) - self.settings.contact_n) / deviation.max(f64::MIN_POSITIVE);
        ForceEstimate {
            force,
            covariance: certainty.covariance,
            contact_probability: normal_cdf(above),
            singular_value_m: equations.singular_value_m,
            damped: equations.damped(),
            valid: true,
        }
    }

    fn unknown(&self) -> ForceEstimate {
        ForceEstimate {
            force: Vector3::zeros(),
            covariance: Matrix3::from_diagonal_element(self.settings.prior_n * self.settings.prior_n),
            contact_probability: 0.5,
            singular_value_m: 0.0,
            damped: false,
            valid: false,
        }
    }
}
