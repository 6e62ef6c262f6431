//! The servos of a serial bus in `servos.yaml`.

use crate::config_file::ConfigFile;
use crate::mimics::not_a_motor;
use hexapod_config::ros_params::hint_for;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::calibration::ServoFile;
use hexapod_servo::serial::{Family, SerialConfig};

/// Reads and checks the servos of a family's bus: every joint of the robot's legs has one, and every servo a joint. Each is
/// narrowed to its joint's limits.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn read_serial(
    family: &'static Family,
    file: impl Into<ConfigFile>,
    robot: &Robot,
) -> Result<SerialConfig, ConfigError> {
    let document = file.into().read_on()?;
    let mut faults = Faults::default();
    let config = document.deserialize_on(&mut faults);
    let config = config.and_then(|file| check(family, &document, &file, robot, &mut faults));
    faults.or(config)
}

fn check(
    family: &'static Family,
    document: &Document,
    file: &ServoFile,
    robot: &Robot,
    faults: &mut Faults,
) -> Option<SerialConfig> {
    let section = family.name;
    let raw = file.serial(section);
    let named = raw.and_then(|raw| family.named(raw.series.as_deref()?)).or(family.series.first().copied());
    let middle = named.map_or(0, |series| series.middle_step);
    let help = format!(
        "name the servo of every joint with its ID, as in \
         {section}: {{servos: {{left_front_coxa: {{id: 1, direction: 1, zero_step: {middle}, speed_limit_rad_s: 5.0}}}}}}"
    );
    let timing = file.timing().map_err(|found| {
        found.iter().for_each(|error| faults.add(document.error_at(&error.key_path(), error.to_string(), "")));
    });
    let Some(raw) = raw else {
        let message = format!("there is no section `{section}`, and bus {section} needs one");
        faults.add(document.error_at("", message, &help));
        return None;
    };
    let path = |key: &str| format!("{section}.{key}");
    let joints: Vec<&str> = robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name()).collect();
    // One that is written and does not hold was reported by what is wrong with it.
    let is_written = |joint: &str| document.location(&path(&format!("servos.{joint}"))).is_some();
    for (joint, _) in raw.servos.iter().filter(|(joint, _)| !joints.contains(&joint.as_str())) {
        let unknown = || ("the robot has no such joint".to_owned(), hint_for(joint, &joints));
        let (found, help) = not_a_motor(robot, joint).unwrap_or_else(unknown);
        faults.add(document.error_at(&path(&format!("servos.{joint}")), found, help));
    }
    for joint in joints.iter().filter(|joint| !is_written(joint)) {
        faults.add(document.error_at(&path("servos"), format!("joint `{joint}` has no servo"), &help));
    }
    // Servos that were left out, as they do not hold, are listed all the same.
    let is_listed = joints.iter().any(|joint| is_written(joint));
    let config = SerialConfig::check(family, raw, timing.ok()?).map_err(|found| {
        let found = found.iter().filter(|error| !(is_listed && error.path == "servos"));
        found.for_each(|error| faults.add(document.error_at(&path(&error.path), error.to_string(), "")));
    });
    let mut config = config.ok()?;
    let is_driven = |joint: &str| config.joints().index(joint).is_some();
    let driven: Vec<_> = robot.legs().iter().flat_map(Leg::joints).filter(|joint| is_driven(joint.name())).collect();
    for joint in driven {
        let limits = joint.limits();
        if !config.limit_joint(joint.name(), limits.lower, limits.upper) {
            let message = format!("the servo reaches no angle from {:.3} to {:.3} rad", limits.lower, limits.upper);
            let help = "these are the joint's limits in the URDF or robot.yaml; check zero_step, direction, min_step, max_step";
            faults.add(document.error_at(&path(&format!("servos.{}", joint.name())), message, help));
        }
    }
    Some(config)
}
