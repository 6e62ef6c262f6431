//! The size of a robot. The engine walks one whose legs are as long as those of the shipped robot, so that each length in it,
//! from the margin of balance to the depth at which ground is sought, is in the measure of the robot; `engine/base.rs` turns
//! what comes in into that measure, and back what goes out.

use crate::plane::limits::TwistLimits;
use crate::plane::twist::Twist;
use hexapod_kinematics::{Leg, Robot};
use nalgebra::Isometry3;
use std::sync::Arc;

/// Length of the shipped robot's legs, m.
const LEG_M: f64 = 0.251;
/// Sizes that differ by less are one.
const SAME: f64 = 1e-6;

/// How many times as large as the shipped robot one is, by its shortest leg.
#[must_use]
pub fn size_of(robot: &Robot) -> f64 {
    let size = robot.legs().iter().map(Leg::length).fold(f64::INFINITY, f64::min) / LEG_M;
    if size.is_finite() && (size - 1.0).abs() > SAME { size } else { 1.0 }
}

/// The robot that the engine walks: of the size of the shipped one, with its base frame in the middle of its hips.
pub(crate) fn own_robot(robot: &Arc<Robot>) -> Arc<Robot> {
    let size = size_of(robot);
    if *robot.base_from_hips() == Isometry3::identity() && size == 1.0 {
        return Arc::clone(robot);
    }
    Arc::new(robot.about_hips().enlarged(1.0 / size))
}

/// What has a length, of a robot of another size. Times stay as they are.
pub(crate) trait Enlarged {
    /// The same of a robot `times` as large.
    fn enlarged(&self, times: f64) -> Self;
}

impl Enlarged for Twist {
    fn enlarged(&self, times: f64) -> Self {
        Self { vx: self.vx * times, vy: self.vy * times, ..*self }
    }
}

impl Enlarged for TwistLimits {
    fn enlarged(&self, times: f64) -> Self {
        Self {
            linear_velocity: self.linear_velocity * times,
            linear_acceleration: self.linear_acceleration * times,
            linear_jerk: self.linear_jerk * times,
            ..*self
        }
    }
}

impl Enlarged for Isometry3<f64> {
    fn enlarged(&self, times: f64) -> Self {
        Self::from_parts((self.translation.vector * times).into(), self.rotation)
    }
}
