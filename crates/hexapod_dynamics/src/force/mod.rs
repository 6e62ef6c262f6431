//! Force of the ground on a foot, from joint torques: directly, and by the observer.

mod motors;
mod observer;
mod pulses;
mod settings;
mod solve;

use hexapod_kinematics::{JointMotion, MAX_LEG_JOINTS};
use nalgebra::{Matrix3, Vector3};

pub use observer::MomentumObserver;
pub use settings::{EffortSource, ForceSettings, SettingsError};

use crate::base::BaseMotion;
use crate::leg::{JointVector, LegDynamics, PlacedLeg};
use crate::normal::normal_cdf;
use motors::{Motor, Spent};
use pulses::Pulses;
use solve::{Certainty, Equations, Solver};

/// Torques of contact beyond so many times what the weight makes at the length of the leg are taken for no measurement.
const IMPLAUSIBLE: f64 = 100.0;
/// Fraction of what was before the observer's first sample with which it has settled, and that makes no difference any
/// more.
const SETTLED: f64 = 0.05;
const FORGOTTEN: f64 = 1e-4;

/// A foot that stands has lost the ground below this part of what it has borne, and at the latest below so many times the
/// threshold of contact: it has more to lose than one that comes down has to gain.
const BORNE_PART: f64 = 0.6;
const LOST: f64 = 2.0;
/// A fall of the load is known to this part of what the foot has borne.
const FALL_PART: f64 = 0.2;
/// How long what a foot bears is remembered, s.
const REMEMBERED_S: f64 = 0.5;

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
    motors: [Motor; MAX_LEG_JOINTS],
    /// What the motors have spent of late, N m, and what the ground seems to have had of that.
    last: Option<(Spent, JointVector)>,
    /// Where servos move by jerks.
    pulses: Option<Pulses>,
    /// Mean force against gravity of late, N.
    borne_n: f64,
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
        let motors = Motor::of(&dynamics, &settings, 0.0);
        let placed = dynamics.unplaced();
        let most_nm = IMPLAUSIBLE * settings.prior_n * dynamics.length();
        Ok(Self {
            dynamics,
            settings,
            solver,
            observer,
            motors,
            last: None,
            pulses: None,
            borne_n: 0.0,
            most_nm,
            placed,
        })
    }

    /// The leg.
    pub fn dynamics(&self) -> &LegDynamics {
        &self.dynamics
    }

    /// Forgets what came before, as after a gap in the samples.
    pub fn reset(&mut self) {
        self.observer.reset();
        self.last = None;
        self.borne_n = 0.0;
        self.pulses.iter_mut().for_each(Pulses::reset);
    }

    /// Takes friction and rotors for no better known than servos of this kind are without being measured, until swings have
    /// shown them. Said again, it changes nothing.
    pub(crate) fn doubt_motors(&mut self) {
        if self.pulses.is_some() {
            return;
        }
        self.pulses = Some(Pulses::default());
        self.motors = Motor::of(&self.dynamics, &self.settings, 1.0);
    }

    /// Sets what the efforts to come are made of. What was learned of motors from others is forgotten.
    pub(crate) fn set_effort_source(&mut self, efforts: EffortSource) {
        if efforts != self.settings.efforts {
            self.settings.efforts = efforts;
            let unknown = if self.pulses.is_some() { 1.0 } else { 0.0 };
            self.motors = Motor::of(&self.dynamics, &self.settings, unknown);
        }
    }

    /// The foot is planned to be in the air: what it has borne is over.
    pub(crate) fn unload(&mut self) {
        self.borne_n = 0.0;
    }

    /// Learns friction and rotors from the sample taken last, which is of a leg in the air.
    pub(crate) fn learn(&mut self) {
        let Some((spent, contact)) = self.last else { return };
        motors::learn(&mut self.motors, self.dynamics.joint_count(), &spent, &contact);
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
        self.dynamics.place(&motion.angles, &mut self.placed);
        let torques = JointVector::from_fn(|joint, _| if joint < count { torques[joint] } else { 0.0 });
        let links = self.placed.inverse_dynamics(&motion.speeds, &motion.accelerations, base);
        let spent = Spent::new(&(torques - links), motion, self.placed.jacobian());
        let spent = self.pulses.as_mut().map_or(spent, |pulses| pulses.mean(&spent, step_s));
        let of_motors = |of: fn(&Motor, &Vector3<f64>) -> f64, else_: f64| {
            JointVector::from_fn(
                |joint, _| if joint < count { of(&self.motors[joint], &spent.row(joint)) } else { else_ },
            )
        };
        let variances = of_motors(Motor::variance_at, 1.0);
        let contact = of_motors(Motor::torque, 0.0) - spent.torques;
        let equations = self.solver.equations(&spent.jacobian, count);
        let up = base.up();
        let doubt = doubt * doubt;
        let certainty = equations.certainty(variances.map(|variance| (variance * doubt).recip()));
        let direct = self.estimate(&equations, certainty.as_ref(), &contact, &up);
        if direct.valid {
            self.borne_n += (direct.force.dot(&up) - self.borne_n) * (step_s / REMEMBERED_S).min(1.0);
        }
        let borne = spent.jacobian.transpose() * direct.force;
        self.last = direct.valid.then(|| (spent, JointVector::from_iterator(borne.iter().copied())));
        let torques = torques
            - JointVector::from_fn(|joint, _| {
                motion.speeds.get(joint).map_or(0.0, |speed| self.motors[joint].friction.torque(*speed))
            });
        let rotors = JointVector::from_fn(|joint, _| self.motors[joint].rotor);
        let jacobian = self.placed.jacobian();
        let equations = self.solver.equations(&jacobian, count);
        let mut momentum = self.placed.momentum(&motion.speeds, base);
        momentum.momentum += rotors.component_mul(&JointVector::from(*motion.speeds.padded()));
        let Some(residual) = self.observer.update(&momentum, &torques, step_s) else {
            return LegForces { direct, observer: self.unknown(), lags: true };
        };
        let memory = self.observer.memory().max();
        let certainty =
            if memory < FORGOTTEN { certainty } else { equations.certainty(self.observer_weights(&variances, doubt)) };
        let observer = self.estimate(&equations, certainty.as_ref(), &residual, &up);
        if !observer.valid {
            self.reset();
        }
        let rare = self.settings.gains_per_s.max() * step_s > 1.0;
        LegForces { direct, observer, lags: rare || self.pulses.is_some() || memory > SETTLED }
    }

    /// Inverse variances of the torques, so many times as great as usual, with what may have been before the first
    /// sample.
    #[inline]
    fn observer_weights(&self, variances: &JointVector, doubt: f64) -> JointVector {
        let before = self.settings.prior_n * self.dynamics.length();
        variances.zip_map(self.observer.memory(), |variance, memory| {
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
        ForceEstimate {
            force,
            covariance: certainty.covariance,
            contact_probability: self.contact_probability(&force, &certainty.covariance, up),
            singular_value_m: equations.singular_value_m,
            damped: equations.damped(),
            valid: true,
        }
    }

    /// Probability that a force of this covariance is above the threshold of contact. Friction that hides some of it has hidden
    /// as much of what the foot has borne: a fall of the load is surer than the load.
    fn contact_probability(&self, force: &Vector3<f64>, covariance: &Matrix3<f64>, up: &Vector3<f64>) -> f64 {
        let (least_n, borne_n) = (self.settings.contact_n, self.borne_n);
        let deviation = up.dot(&(covariance * up)).max(0.0).sqrt();
        let stands = borne_n > LOST * least_n;
        let deviation = if stands { deviation.min(FALL_PART * borne_n) } else { deviation };
        let threshold_n = (BORNE_PART * borne_n).clamp(least_n, LOST * least_n);
        normal_cdf((force.dot(up) - threshold_n) / deviation.max(f64::MIN_POSITIVE))
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
