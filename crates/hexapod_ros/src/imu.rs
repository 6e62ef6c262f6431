//! What a message of an IMU tells, whichever node listens.

use r2r::geometry_msgs::msg::Vector3;
use r2r::sensor_msgs::msg::Imu;

/// The frame, the angular velocity, rad/s, and the specific force, m/s^2, in the axes of the frame. Of an IMU without an
/// accelerometer the covariance begins with -1 (sensor_msgs/Imu), and there is no force.
#[must_use]
pub fn imu_parts(message: &Imu) -> (&str, [f64; 3], Option<[f64; 3]>) {
    let numbers = |reported: &Vector3| [reported.x, reported.y, reported.z];
    let has_accelerometer = message.linear_acceleration_covariance.first() != Some(&-1.0);
    let force = has_accelerometer.then(|| numbers(&message.linear_acceleration));
    (&message.header.frame_id, numbers(&message.angular_velocity), force)
}
