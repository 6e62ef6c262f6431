//! The ball that a foot stands on: a foot is a point, but what touches the ground is round.

use crate::angles::MAX_LEG_JOINTS;
use crate::chain::{LegJoint, turn};
use nalgebra::Vector3;

/// A ball at a foot, fixed to what the leg's last joint carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its centre in the last joint's frame, m.
    pub centre: Vector3<f64>,
    /// Its radius, m.
    pub radius: f64,
}

impl Ball {
    /// How high a point of the last joint's frame is above the ball's lowest one, m, with `up` in the body frame.
    pub(super) fn below(
        &self,
        point: &Vector3<f64>,
        joints: &[LegJoint],
        angles: &[f64; MAX_LEG_JOINTS],
        up: &Vector3<f64>,
    ) -> f64 {
        let joints = joints.iter().zip(angles).rev();
        let centre_from_point = joints
            .fold(self.centre - point, |at, (joint, angle)| joint.origin.rotation * turn(&joint.axis, *angle, &at));
        self.radius - up.dot(&centre_from_point)
    }
}
