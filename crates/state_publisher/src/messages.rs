//! `joint_states` and `odom`: messages that are kept and filled anew.

use crate::joints::JointTable;
use hexapod_odometry::Estimate;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::geometry_msgs::msg as geometry;
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

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
    message
}

/// Fills an `odom` message: pose and velocity of the base frame, which is fixed in the root link.
pub(crate) fn fill_odometry(message: &mut Odometry, estimate: &Estimate, root_from_base: &Isometry3<f64>) {
    message.header.stamp = to_stamp(estimate.time);
    let pose = estimate.odom_from_body * root_from_base;
    let at = &pose.translation.vector;
    message.pose.pose.position = geometry::Point { x: at.x, y: at.y, z: at.z };
    message.pose.pose.orientation = quaternion(&pose.rotation);
    let base_from_root = root_from_base.rotation.inverse();
    let linear = estimate.linear + estimate.angular.cross(&root_from_base.translation.vector);
    message.twist.twist.linear = vector(&(base_from_root * linear));
    message.twist.twist.angular = vector(&(base_from_root * estimate.angular));
    set_diagonal(&mut message.pose.covariance, &estimate.pose_variance());
    set_diagonal(&mut message.twist.covariance, &estimate.twist_variance());
}

fn set_diagonal(covariance: &mut [f64], variances: &[f64; 6]) {
    for (entry, &variance) in covariance.iter_mut().step_by(7).zip(variances) {
        *entry = variance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Translation3;
    use std::f64::consts::FRAC_PI_2;
    use std::time::Duration;

    #[test]
    fn when_the_base_is_not_the_root_expect_its_own_pose_and_velocity() {
        let turned = |angle| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let estimate = Estimate {
            time: Duration::from_secs(5),
            odom_from_body: Isometry3::from_parts(Translation3::new(1.0, 2.0, 0.0), turned(FRAC_PI_2)),
            linear: Vector3::new(0.1, 0.0, 0.0),
            angular: Vector3::new(0.0, 0.0, 0.5),
            ..Estimate::default()
        };
        let mut message = odometry("odom", "trunk");
        let root_from_base = Isometry3::from_parts(Translation3::new(0.2, 0.0, 0.1), turned(-FRAC_PI_2));
        fill_odometry(&mut message, &estimate, &root_from_base);
        let (at, way) = (&message.pose.pose.position, &message.twist.twist.linear);
        for (found, expected) in [(at.x, 1.0), (at.y, 2.2), (at.z, 0.1), (way.x, -0.1), (way.y, 0.1), (way.z, 0.0)] {
            assert!((found - expected).abs() < 1e-12, "{message:?}");
        }
        assert!((message.pose.pose.orientation.w - 1.0).abs() < 1e-12);
        assert!((message.twist.twist.angular.z - 0.5).abs() < 1e-12);
    }
}
