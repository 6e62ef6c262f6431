//! What a robot's joints and its IMU tell odometry.

use crate::estimate::Estimate;
use crate::odometry::Odometry;
use crate::sample::SampleError;
use crate::unseen::Inertial;
use hexapod_dynamics::{BaseMotion, ImuReader};
use hexapod_kinematics::{Leg, LegAngles, MAX_LEGS};
use nalgebra::Vector3;
use std::time::Duration;

impl From<BaseMotion> for Inertial {
    fn from(motion: BaseMotion) -> Self {
        Self { spin: motion.angular_velocity, acceleration: motion.acceleration, up: motion.up() }
    }
}

impl Odometry {
    /// Takes what an IMU has reported since this was asked last, see [`sense`](Self::sense).
    pub fn sense_imu(&mut self, imu: &mut ImuReader, now: Duration) {
        let believed = imu.take_inertial().filter(|_| imu.up().is_some());
        if let Some(since_s) = believed.and_then(|last| last.since_s) {
            self.sense(&imu.motion(now).into(), since_s);
        }
    }

    /// Takes in a sample of the joints' angles, see [`update`](Self::update) and [`set_foot_heights`](Self::set_foot_heights).
    ///
    /// # Errors
    /// The sample does not hold; it is dropped as a whole.
    pub fn update_joints(
        &mut self,
        time: Duration,
        legs: &[Leg],
        angles: &[LegAngles],
        contacts: Option<&[bool]>,
    ) -> Result<&Estimate, SampleError> {
        let (up, mut feet) = (self.up_in_body(), [Vector3::zeros(); MAX_LEGS]);
        let count = legs.len().min(MAX_LEGS);
        let each = || legs.iter().zip(angles);
        self.set_foot_heights(each().map(|(leg, angles)| leg.foot_above_ground(angles, &up)));
        feet.iter_mut().zip(each()).for_each(|(foot, (leg, angles))| *foot = leg.foot_in_body(angles));
        self.update(time, feet.get(..count).unwrap_or(&feet), contacts.and_then(|contacts| contacts.get(..count)))
    }
}
