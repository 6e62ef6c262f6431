//! `servo_states` of servos that measure.

use crate::snapshot::Snapshot;
use hexapod_dynamics::EffortSource;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_servo::backend::{Measured, Sample};

/// Puts in what servos measured: a position takes the place of the commanded one, which stays where none is known; speed and
/// torque are NaN where none is known, and the frame says what torques are made of. The message names the joints that are
/// commanded, in their order, with where.
pub(crate) fn fill(message: &mut JointState, newest: &Snapshot) {
    let held = || (0..).filter(|joint| newest.commanded(*joint).is_some()).map(|joint| newest.measured(joint));
    for (position, measured) in message.position.iter_mut().zip(held()) {
        *position = measured.position_rad.map_or(*position, |sample| sample.value);
    }
    let count = message.position.len();
    let extend = |numbers: &mut Vec<f64>, number: fn(Measured) -> Option<Sample>| {
        numbers.clear();
        // Listeners take an empty list for what nobody measures.
        if held().take(count).any(|measured| number(measured).is_some()) {
            numbers.extend(held().take(count).map(|measured| number(measured).map_or(f64::NAN, |sample| sample.value)));
        }
    };
    extend(&mut message.velocity, |measured| measured.velocity_rad_s);
    extend(&mut message.effort, |measured| measured.torque_nm);
    let is_of_error = held().take(count).any(|measured| measured.torque_is_of_error);
    let label = if is_of_error { EffortSource::AngleError } else { EffortSource::Torque }.frame_id();
    if message.header.frame_id != label {
        message.header.frame_id = label.into();
    }
}
