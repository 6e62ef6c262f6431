//! Least squares for base parameters from samples of a leg that swings free (Gautier & Khalil 1992; Swevers et al. 1997).
//!
//! Each sample gives an equation per joint. They are summed into one normal matrix per joint as they come, so that a
//! log of any length takes no memory. Before that, equations of successive samples may be averaged: noise of
//! accelerations is fast and biases whatever it multiplies, and averaging both sides of an equation keeps it true
//! (parallel filtering and decimation). After a first solution each joint is weighted by the inverse of its residual's
//! variance, and solved again.

use hexapod_kinematics::LegAngles;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::base_parameters::BaseParameters;
use crate::base::BaseMotion;
use crate::friction::Friction;
use crate::leg::{JointVector, LegDynamics};

/// Least eigenvalue of the normal matrix with columns of length one at which parameters are still distinguished.
const LEAST_EIGENVALUE: f64 = 1e-12;
/// Equations per unknown, at least.
const EQUATIONS_PER_UNKNOWN: usize = 2;

/// A leg that swings free, at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegSample {
    /// rad.
    pub angles: LegAngles,
    /// rad/s.
    pub speeds: LegAngles,
    /// rad/s².
    pub accelerations: LegAngles,
    /// Torques of the servos on the joints, N m.
    pub torques: JointVector,
    /// Motion of the body.
    pub base: BaseMotion,
}

/// How to identify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentifyOptions {
    /// Also find Coulomb and viscous friction of each joint, which would otherwise bias the parameters.
    pub friction: bool,
    /// How many successive samples are averaged to one equation: about a sixth of the period of the fastest motion.
    pub average: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Identified {
    /// Base parameters, in the order of [`BaseParameters::grouping`].
    pub values: Vec<f64>,
    /// Standard deviation of each.
    pub deviations: Vec<f64>,
    /// Friction per joint; zero where it was not asked for.
    pub friction: Vec<Friction>,
    /// Ratio of the greatest to the least singular value of the equations, with columns of length one. Above 100 the
    /// motion says little about some combination of parameters.
    pub condition: f64,
    /// Root mean square of what is not explained of an averaged torque, per joint, N m.
    pub residuals_nm: JointVector,
    /// Samples used.
    pub used: usize,
    /// Samples left out because a number in them is missing or not finite.
    pub left_out: usize,
}

/// Samples from which nothing can be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IdentifyError {
    /// Fewer equations than needed.
    #[error("{used} usable samples ({left_out} left out), and {needed} are needed")]
    TooFew {
        /// Usable.
        used: usize,
        /// Not finite or of the wrong length.
        left_out: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The motion does not show some parameter.
    #[error("the motion does not show {unknown}; move every joint, fast and slowly, over its whole range")]
    NotExcited {
        /// The unknown that weighs most in what is not shown.
        unknown: String,
    },
}

/// Finds base parameters from samples in the order of their times.
///
/// # Errors
/// [`IdentifyError`] when there are too few samples or their motion does not tell the parameters apart.
pub fn identify(
    leg: &LegDynamics,
    parameters: &BaseParameters,
    options: IdentifyOptions,
    samples: impl IntoIterator<Item = LegSample>,
) -> Result<Identified, IdentifyError> {
    let mut equations = Equations::new(leg.joint_count(), parameters.count(), options);
    for sample in samples {
        equations.add(leg, parameters, &sample);
    }
    let n = leg.joint_count();
    let needed = (EQUATIONS_PER_UNKNOWN * equations.unknowns()).div_ceil(n) * equations.average;
    let (used, left_out) = (equations.used, equations.left_out);
    if equations.unknowns() == 0 {
        return Err(IdentifyError::NotExcited { unknown: "any parameter".to_owned() });
    }
    if equations.rows * equations.average < needed {
        return Err(IdentifyError::TooFew { used, left_out, needed });
    }
    let first = equations.solve(&vec![1.0; n]).map_err(|k| not_excited(parameters, k))?;
    let variances = equations.variances(&first.unknowns);
    let floor = variances.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE) * 1e-6;
    let weights: Vec<f64> = variances.iter().map(|variance| 1.0 / variance.max(floor)).collect();
    let last = equations.solve(&weights).map_err(|k| not_excited(parameters, k))?;
    let variances = equations.variances(&last.unknowns);
    let count = parameters.count();
    let of_joint = |j: usize| Friction {
        coulomb_nm: last.unknowns.get(count + 2 * j).copied().unwrap_or(0.0),
        viscous_nm_s: last.unknowns.get(count + 2 * j + 1).copied().unwrap_or(0.0),
    };
    Ok(Identified {
        values: last.unknowns.iter().take(count).copied().collect(),
        deviations: last.deviations.iter().take(count).copied().collect(),
        friction: (0..n).map(of_joint).collect(),
        condition: last.condition,
        residuals_nm: JointVector::from_fn(|j, _| variances.get(j).map_or(0.0, |variance| variance.sqrt())),
        used,
        left_out,
    })
}

/// Normal equations of each joint.
struct Equations {
    normal: Vec<DMatrix<f64>>,
    right: Vec<DVector<f64>>,
    squares: Vec<f64>,
    /// Sum of equations that are averaged: unknowns of each joint, then its torque.
    sum: DMatrix<f64>,
    summed: usize,
    average: usize,
    /// Averages taken in.
    rows: usize,
    used: usize,
    left_out: usize,
}

struct Solved {
    unknowns: DVector<f64>,
    deviations: DVector<f64>,
    condition: f64,
}

impl Equations {
    fn new(joints: usize, parameters: usize, options: IdentifyOptions) -> Self {
        let unknowns = parameters + if options.friction { 2 * joints } else { 0 };
        Self {
            normal: vec![DMatrix::zeros(unknowns, unknowns); joints],
            right: vec![DVector::zeros(unknowns); joints],
            squares: vec![0.0; joints],
            sum: DMatrix::zeros(joints, unknowns + 1),
            summed: 0,
            average: options.average.max(1),
            rows: 0,
            used: 0,
            left_out: 0,
        }
    }

    fn unknowns(&self) -> usize {
        self.right.first().map_or(0, |right| right.len())
    }

    fn add(&mut self, leg: &LegDynamics, parameters: &BaseParameters, sample: &LegSample) {
        let LegSample { angles, speeds, accelerations, torques, base } = sample;
        let n = leg.joint_count();
        let regressor = parameters.regressor(leg, angles, speeds, accelerations, base);
        let whole = [angles, speeds, accelerations].iter().all(|part| part.len() == n);
        let finite = regressor.iter().chain(torques.iter().take(n)).all(|x| x.is_finite());
        if !(whole && finite) {
            self.left_out += 1;
            return;
        }
        self.used += 1;
        let (count, unknowns) = (parameters.count(), self.unknowns());
        self.sum += DMatrix::from_fn(n, unknowns + 1, |joint, k| match k.checked_sub(count) {
            None => regressor[(joint, k)],
            Some(_) if k == unknowns => torques[joint],
            Some(of) if of == 2 * joint && speeds[joint] != 0.0 => speeds[joint].signum(),
            Some(of) if of == 2 * joint + 1 => speeds[joint],
            Some(_) => 0.0,
        });
        self.summed += 1;
        if self.summed == self.average {
            self.take_in();
        }
    }

    /// Takes the average in as an equation per joint.
    fn take_in(&mut self) {
        let (unknowns, average) = (self.unknowns(), &self.sum / self.average as f64);
        let joints = self.normal.iter_mut().zip(&mut self.right).zip(&mut self.squares);
        for (((normal, right), squares), equation) in joints.zip(average.row_iter()) {
            let (row, torque) = (equation.columns(0, unknowns).transpose(), equation[unknowns]);
            normal.ger(1.0, &row, &row, 1.0);
            right.axpy(torque, &row, 1.0);
            *squares += torque * torque;
        }
        self.rows += 1;
        self.sum.fill(0.0);
        self.summed = 0;
    }

    /// Mean of the squared residuals of each joint.
    fn variances(&self, unknowns: &DVector<f64>) -> Vec<f64> {
        let equations = self.normal.iter().zip(&self.right).zip(&self.squares);
        let spent = self.unknowns() as f64 / self.normal.len().max(1) as f64;
        let freedom = (self.rows as f64 - spent).max(1.0);
        let sums = equations
            .map(|((normal, right), squares)| squares - 2.0 * unknowns.dot(right) + unknowns.dot(&(normal * unknowns)));
        sums.map(|sum| sum.max(0.0) / freedom).collect()
    }

    /// The solution with a weight per joint, or the unknown that weighs most in what the motion does not show.
    fn solve(&self, weights: &[f64]) -> Result<Solved, usize> {
        let unknowns = self.unknowns();
        let (mut normal, mut right) = (DMatrix::zeros(unknowns, unknowns), DVector::zeros(unknowns));
        for ((part, part_right), weight) in self.normal.iter().zip(&self.right).zip(weights) {
            normal += part * *weight;
            right.axpy(*weight, part_right, 1.0);
        }
        let sizes = normal.diagonal().map(f64::sqrt);
        if let Some((silent, _)) = sizes.iter().enumerate().find(|(_, size)| !size.is_finite() || **size <= 0.0) {
            return Err(silent);
        }
        let scaled = DMatrix::from_fn(unknowns, unknowns, |i, j| normal[(i, j)] / (sizes[i] * sizes[j]));
        let eigen = SymmetricEigen::new(scaled);
        let (weakest, least) = eigen.eigenvalues.argmin();
        if least.is_nan() || least <= LEAST_EIGENVALUE {
            return Err(eigen.eigenvectors.column(weakest).iamax());
        }
        let inverse = &eigen.eigenvectors
            * DMatrix::from_diagonal(&eigen.eigenvalues.map(|value| 1.0 / value))
            * eigen.eigenvectors.transpose();
        let scaled_right = right.component_div(&sizes);
        let solution = (&inverse * scaled_right).component_div(&sizes);
        let deviations = inverse.diagonal().map(f64::sqrt).component_div(&sizes);
        Ok(Solved { unknowns: solution, deviations, condition: (eigen.eigenvalues.max() / least).sqrt() })
    }
}

fn not_excited(parameters: &BaseParameters, unknown: usize) -> IdentifyError {
    let beyond = unknown.saturating_sub(parameters.count());
    let friction = format!("the friction of joint {}", beyond / 2 + 1);
    let named = parameters.grouping().into_iter().nth(unknown);
    IdentifyError::NotExcited { unknown: named.unwrap_or(friction) }
}
