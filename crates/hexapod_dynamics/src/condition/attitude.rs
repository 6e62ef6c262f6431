//! Which way is up, and how the velocity changes, through falls and pushes: by the gyroscope, which the accelerometer holds
//! slowly; a robot that stands still shows what the gyroscope reads at rest.

use super::inputs::Inertial;
use crate::base::STANDARD_GRAVITY;
use hexapod_kinematics::math::exp;
use nalgebra::{Rotation3, Vector3};

/// Time constants with which the direction follows the accelerometer, s: of a robot that moves, and of one that stands still
/// or whose accelerometer has long said something else.
const MOVING_S: f64 = 10.0;
const STILL_S: f64 = 0.5;
/// Time constant of the gyroscope's bias, s, and the greatest that is believed, rad/s.
const BIAS_S: f64 = 0.5;
const MOST_BIAS_RAD_S: f64 = 0.1;
/// Time constant of the accelerometer's mean, s.
const MEAN_S: f64 = 0.2;
/// The mean is gravity's if it is as long, to within this part.
const GRAVITY_FRACTION: f64 = 0.15;
/// Square of the distance of two directions, about 20 degrees, from which on the gyroscope is not believed.
const APART: f64 = 0.12;
/// The same from which on they are opposite to each other.
const OPPOSITE: f64 = 3.9;

#[derive(Clone, Debug)]
pub(super) struct Attitude {
    /// Unit vector.
    up: Vector3<f64>,
    /// m/s².
    mean: Vector3<f64>,
    bias: Vector3<f64>,
}

/// What a sample says of the motion: angular velocity, rad/s, and change of the velocity, m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moved {
    pub spin: Vector3<f64>,
    pub velocity: Vector3<f64>,
}

impl Attitude {
    pub fn new(reported: &Inertial) -> Self {
        let up = reported.force.try_normalize(1e-9).unwrap_or_else(Vector3::z);
        Self { up, mean: reported.force, bias: Vector3::zeros() }
    }

    /// Up in the body.
    pub fn up(&self) -> Vector3<f64> {
        self.up
    }

    /// Takes a sample, so many seconds after the one before, of a robot that moves or is commanded to be still.
    pub fn follow(&mut self, reported: &Inertial, since_s: f64, is_still: bool) -> Moved {
        let blend = |time_s: f64| 1.0 - exp(-since_s / time_s);
        if is_still && reported.spin.norm() < MOST_BIAS_RAD_S {
            self.bias += (reported.spin - self.bias) * blend(BIAS_S);
        }
        let spin = reported.spin - self.bias;
        let turn = Rotation3::new(-spin * since_s);
        self.mean = turn * self.mean;
        self.mean += (reported.force - self.mean) * blend(MEAN_S);
        let up = turn * self.up;
        self.up = self.held(up, is_still, &blend).try_normalize(1e-9).unwrap_or(self.up);
        Moved { spin, velocity: (reported.force - self.up * STANDARD_GRAVITY) * since_s }
    }

    /// The direction as the accelerometer holds it, where it reads gravity.
    fn held(&self, up: Vector3<f64>, is_still: bool, blend: &impl Fn(f64) -> f64) -> Vector3<f64> {
        let length = self.mean.norm();
        if (length / STANDARD_GRAVITY - 1.0).abs() > GRAVITY_FRACTION {
            return up;
        }
        let mut away = self.mean / length - up;
        if away.norm_squared() > OPPOSITE {
            // Straight towards it would be straight through zero.
            away += up.cross(&if up.x.abs() < up.y.abs() { Vector3::x() } else { Vector3::y() });
        }
        up + away * blend(if is_still || away.norm_squared() > APART { STILL_S } else { MOVING_S })
    }
}
