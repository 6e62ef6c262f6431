//! `joint_states` and `odom`: messages that are kept and filled anew.

use crate::joints::JointTable;
use hexapod_odometry::{Estimate, TWIST_VARIANCE};
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::geometry_msgs::msg as geometry;
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use nalgebra::{UnitQuaternion, Vector3};

pub(crate) fn vector(v: &Vector3<f64>) -> geometry::Vector3 {
    geometry::Vector3 { x: v.x, y: v.y, z: v.z }
}

pub(crate) fn quaternion(q: &UnitQuaternion<f64>) -> geometry::Quaternion {
    geometry::Quaternion { x: q.i, y: q.j, z: q.k, w: q.w }
}

/// A `joint_states` message with all names in place.
pub(crate) fn joint_states(table: &JointTable) -> JointState {
    let zeros = vec![0.0; table.len()];
    JointState { name: table.names().to_vec(), position: zeros.clone(), velocity: zeros, ..Default::default() }
}

/// An `odom` message with all that never changes in place.
pub(crate) fn odometry(odom_frame: &str, base_frame: &str) -> Odometry {
    let mut message = Odometry { child_frame_id: base_frame.into(), ..Default::default() };
    message.header.frame_id = odom_frame.into();
    message.pose.covariance = vec![0.0; 36];
    message.twist.covariance = vec![0.0; 36];
    set_diagonal(&mut message.twist.covariance, &TWIST_VARIANCE);
    message
}

/// Fills an `odom` message.
pub(crate) fn fill_odometry(message: &mut Odometry, estimate: &Estimate) {
    message.header.stamp = to_stamp(estimate.time);
    let at = &estimate.odom_from_body.translation.vector;
    message.pose.pose.position = geometry::Point { x: at.x, y: at.y, z: at.z };
    message.pose.pose.orientation = quaternion(&estimate.odom_from_body.rotation);
    message.twist.twist.linear = vector(&estimate.linear);
    message.twist.twist.angular = vector(&estimate.angular);
    set_diagonal(&mut message.pose.covariance, &estimate.pose_variance());
}

fn set_diagonal(covariance: &mut [f64], variances: &[f64; 6]) {
    for (entry, &variance) in covariance.iter_mut().step_by(7).zip(variances) {
        *entry = variance;
    }
}
