//! The servos of a Feetech bus in `servos.yaml`.

use crate::config_file::ConfigFile;
use hexapod_config::ros_params::hint_for;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::calibration::ServoFile;
use hexapod_servo::feetech::FeetechConfig;

const SECTION: &str = "feetech";
const HELP: &str = "name the servo of every joint with its ID, as in \
                    feetech: {servos: {left_front_coxa: {id: 1, direction: 1, zero_step: 2048, speed_limit_rad_s: 4.0}}}";

/// Reads and checks the servos of a Feetech bus: every joint of the robot's legs has one, and every servo a joint. Each is
/// narrowed to its joint's limits.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn read_feetech(file: impl Into<ConfigFile>, robot: &Robot) -> Result<FeetechConfig, ConfigError> {
    let document = file.into().read_on()?;
    let mut faults = Faults::default();
    let config = document.deserialize_on(&mut faults).and_then(|file| check(&document, &file, robot, &mut faults));
    faults.or(config)
}

fn check(document: &Document, file: &ServoFile, robot: &Robot, faults: &mut Faults) -> Option<FeetechConfig> {
    let timing = file.timing().map_err(|found| {
        found.iter().for_each(|error| faults.add(document.error_at(&error.key_path(), error.to_string(), "")));
    });
    let Some(raw) = file.feetech() else {
        faults.add(document.error_at("", "there is no section `feetech`, and bus feetech needs one", HELP));
        return None;
    };
    let path = |key: &str| format!("{SECTION}.{key}");
    let joints: Vec<&str> = robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name()).collect();
    let is_written = |joint: &str| raw.servos.iter().any(|(name, _)| name == joint);
    for (joint, _) in raw.servos.iter().filter(|(joint, _)| !joints.contains(&joint.as_str())) {
        let help = hint_for(joint, &joints);
        faults.add(document.error_at(&path(&format!("servos.{joint}")), "the robot has no such joint", help));
    }
    for joint in joints.iter().filter(|joint| !is_written(joint)) {
        faults.add(document.error_at(&path("servos"), format!("joint `{joint}` has no servo"), HELP));
    }
    let config = FeetechConfig::check(&raw.servos, timing.ok()?).map_err(|found| {
        found.iter().for_each(|error| faults.add(document.error_at(&path(&error.path), error.to_string(), "")));
    });
    let mut config = config.ok()?;
    for joint in robot.legs().iter().flat_map(Leg::joints).filter(|joint| is_written(joint.name())) {
        let limits = joint.limits();
        if !config.limit_joint(joint.name(), limits.lower, limits.upper) {
            let message = format!("the servo reaches no angle from {:.3} to {:.3} rad", limits.lower, limits.upper);
            let help = "these are the joint's limits in the URDF or robot.yaml; check zero_step, direction, min_step, max_step";
            faults.add(document.error_at(&path(&format!("servos.{}", joint.name())), message, help));
        }
    }
    Some(config)
}
