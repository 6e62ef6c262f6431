//! `servos.yaml`.

use hexapod_config::{ConfigError, Document};
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::{RawServoConfig, ServoConfig};
use std::path::Path;

/// Reads and checks the servo map, and that every joint of the robot's legs has a servo and every servo a joint.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn read_servos(path: &Path, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    check_servos(&Document::read(path)?, robot)
}

/// As [`read_servos`], of a file that was read or is about to be written.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn check_servos(document: &Document, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    let raw: RawServoConfig = document.deserialize()?;
    let mut config =
        ServoConfig::try_from(raw).map_err(|error| document.error_at(&error.key_path(), error.to_string(), ""))?;
    let joints: Vec<&str> = robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name()).collect();
    if let Some(servo) = config.servos().iter().find(|servo| !joints.contains(&servo.joint())) {
        let help = format!("the robot's joints are {}", joints.join(", "));
        return Err(document.error_at(&format!("servos.{}", servo.joint()), "the robot has no such joint", help));
    }
    if let Some(joint) = joints.iter().find(|joint| config.joint_index(joint).is_none()) {
        let help = "give every joint its board, channel and points";
        return Err(document.error_at("servos", format!("joint `{joint}` has no servo"), help));
    }
    for joint in robot.legs().iter().flat_map(Leg::joints) {
        let limits = joint.limits();
        if !config.limit_joint(joint.name(), limits.lower, limits.upper) {
            let message = format!("the servo reaches no angle from {:.3} to {:.3} rad", limits.lower, limits.upper);
            let help = "these are the joint's limits in the URDF; check points, direction and trim_rad";
            return Err(document.error_at(&format!("servos.{}", joint.name()), message, help));
        }
    }
    Ok(config)
}
