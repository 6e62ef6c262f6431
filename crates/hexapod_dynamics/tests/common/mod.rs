//! Robots and numbers for the tests.
#![allow(dead_code, clippy::unwrap_used)]

pub mod swing;

use hexapod_dynamics::LegDynamics;
use hexapod_kinematics::{LegAngles, Robot};
use nalgebra::Vector3;

pub const SHIPPED: &str = include_str!("../../../../urdf/hexapod.urdf");
pub const FIVE_JOINTS: &str = include_str!("../golden/five_joints.urdf");

pub fn robot(text: &str) -> Robot {
    Robot::from_urdf(text).unwrap()
}

/// The first leg of a robot.
pub fn leg(text: &str) -> LegDynamics {
    let robot = robot(text);
    LegDynamics::new(robot.model(), &robot.legs()[0])
}

/// Deterministic numbers: splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn range(&mut self, size: f64) -> f64 {
        size * (2.0 * self.unit() - 1.0)
    }

    pub fn angles(&mut self, count: usize, size: f64) -> LegAngles {
        LegAngles::from_fn(count, |_| self.range(size))
    }

    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.range(size))
    }

    /// A normal number of this deviation (Box & Muller).
    pub fn normal(&mut self, deviation: f64) -> f64 {
        let (radius, turn) = ((-2.0 * (1.0 - self.unit()).ln()).sqrt(), std::f64::consts::TAU * self.unit());
        deviation * radius * turn.cos()
    }

    /// Any number at all.
    pub fn any(&mut self) -> f64 {
        match (self.unit() * 12.0) as u32 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 => f64::MAX,
            4 => -f64::MIN_POSITIVE / 8.0,
            5 => 0.0,
            6 => self.range(1e9),
            _ => self.range(3.0),
        }
    }
}
