//! The velocity of the body by its IMU: an extended Kalman filter that begins from rest.
//!
//! The gyroscope turns the direction up, the accelerometer less gravity is summed up to the velocity, in the axes of the body.
//! What sensors read too much, and how wrong up is, are states beside it, since their errors are what the velocity drifts by.
//! A robot that stands still shows its gyroscope's bias, and the sum of what its accelerometer and up are wrong by.

use super::inputs::Inertial;
use crate::base::STANDARD_GRAVITY;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// Velocity (m/s), turn of up (rad), biases of accelerometer (m/s²) and gyroscope (rad/s).
const STATES: usize = 12;
const VELOCITY: usize = 0;
const TURN: usize = 3;
const FORCE_BIAS: usize = 6;
const SPIN_BIAS: usize = 9;
type Covariance = SMatrix<f64, STATES, STATES>;

/// Standard deviations at the start: of a velocity that nobody knows, m/s, and of the others.
const UNKNOWN_M_S: f64 = 0.2;
const LEANS_RAD: f64 = 0.02;
const FORCE_BIAS_M_S2: f64 = 0.05;
const SPIN_BIAS_RAD_S: f64 = 5e-3;
/// Noise of accelerometer and gyroscope, m/s² and rad/s per root of a hertz.
const FORCE_NOISE: f64 = 4e-3;
const SPIN_NOISE: f64 = 1e-4;
/// Noise of a gyroscope at rest in a sample, rad/s.
const SPIN_AT_REST_RAD_S: f64 = 1e-3;

#[derive(Clone, Debug)]
pub(super) struct Velocity {
    /// Of the body in its own axes, m/s.
    velocity: Vector3<f64>,
    /// Unit vector.
    up: Vector3<f64>,
    force_bias: Vector3<f64>,
    spin_bias: Vector3<f64>,
    /// What the gyroscope read last, less its bias, rad/s.
    spin: Vector3<f64>,
    covariance: Covariance,
}

impl Velocity {
    /// The velocity of a body of which this is the first sample.
    pub fn new(reported: &Inertial) -> Self {
        let up = reported.force.try_normalize(1e-9).unwrap_or_else(Vector3::z);
        let zero = Vector3::zeros();
        let mut known =
            Self { velocity: zero, up, force_bias: zero, spin_bias: zero, spin: zero, covariance: Covariance::zeros() };
        for (first, deviation) in
            [(VELOCITY, UNKNOWN_M_S), (TURN, LEANS_RAD), (FORCE_BIAS, FORCE_BIAS_M_S2), (SPIN_BIAS, SPIN_BIAS_RAD_S)]
        {
            known.widen(first, deviation);
        }
        known
    }

    /// In the axes of the body, m/s.
    pub fn get(&self) -> Vector3<f64> {
        self.velocity
    }

    /// Its variance along a direction, m²/s².
    pub fn variance(&self, along: &Vector3<f64>) -> f64 {
        along.dot(&(self.covariance.fixed_view::<3, 3>(VELOCITY, VELOCITY) * along)).max(0.0)
    }

    /// Nothing is known of the velocity any more, and less of the rest.
    pub fn doubt(&mut self) {
        for (first, deviation) in [(VELOCITY, UNKNOWN_M_S), (TURN, LEANS_RAD), (FORCE_BIAS, FORCE_BIAS_M_S2)] {
            self.covariance.fixed_rows_mut::<3>(first).fill(0.0);
            self.covariance.fixed_columns_mut::<3>(first).fill(0.0);
            self.widen(first, deviation);
        }
    }

    fn widen(&mut self, first: usize, deviation: f64) {
        (first..first + 3).for_each(|state| self.covariance[(state, state)] = deviation * deviation);
    }

    /// Goes on by a sample, so many seconds after the one before.
    pub fn follow(&mut self, reported: &Inertial, seconds: f64) {
        let (spin, force) = (reported.spin - self.spin_bias, reported.force - self.force_bias);
        let mut rate = SMatrix::<f64, STATES, STATES>::identity();
        let mut block = |row: usize, column: usize, of: Matrix3<f64>| {
            let mut view = rate.fixed_view_mut::<3, 3>(row, column);
            view += of * seconds;
        };
        block(VELOCITY, VELOCITY, -spin.cross_matrix());
        block(VELOCITY, TURN, -STANDARD_GRAVITY * self.up.cross_matrix());
        block(VELOCITY, FORCE_BIAS, -Matrix3::identity());
        block(VELOCITY, SPIN_BIAS, -self.velocity.cross_matrix());
        block(TURN, TURN, -spin.cross_matrix());
        block(TURN, SPIN_BIAS, -Matrix3::identity());
        self.covariance = rate * self.covariance * rate.transpose();
        for state in 0..3 {
            self.covariance[(VELOCITY + state, VELOCITY + state)] += FORCE_NOISE * FORCE_NOISE * seconds;
            self.covariance[(TURN + state, TURN + state)] += SPIN_NOISE * SPIN_NOISE * seconds;
        }
        self.velocity += (force - self.up * STANDARD_GRAVITY - spin.cross(&self.velocity)) * seconds;
        let up = self.up - spin.cross(&self.up) * seconds;
        self.up = up.try_normalize(1e-9).unwrap_or(self.up);
        self.spin = spin;
    }

    /// The body moves like this, m/s, by its legs, with such a deviation of each sample.
    pub fn by_legs(&mut self, velocity: &Vector3<f64>, deviation_m_s: f64) {
        for axis in 0..3 {
            self.correct(VELOCITY + axis, velocity[axis] - self.velocity[axis], deviation_m_s);
        }
    }

    /// The body does not turn: what the gyroscope reads is its bias.
    pub fn at_rest(&mut self) {
        let read = self.spin;
        for axis in 0..3 {
            self.correct(SPIN_BIAS + axis, read[axis], SPIN_AT_REST_RAD_S);
        }
    }

    /// A state is off by so much, as measured with such a deviation.
    fn correct(&mut self, state: usize, off: f64, deviation: f64) {
        let column = self.covariance.column(state).into_owned();
        let gain: SVector<f64, STATES> = column / (column[state] + deviation * deviation);
        self.covariance -= gain * column.transpose();
        // Rounding makes it unsymmetric, and that grows.
        self.covariance = 0.5 * (self.covariance + self.covariance.transpose());
        let by = |first: usize| gain.fixed_rows::<3>(first) * off;
        self.velocity += by(VELOCITY);
        let up = self.up + self.up.cross(&by(TURN));
        self.up = up.try_normalize(1e-9).unwrap_or(self.up);
        self.force_bias += by(FORCE_BIAS);
        self.spin_bias += by(SPIN_BIAS);
        self.spin -= by(SPIN_BIAS);
    }
}
