//! `servos.yaml`.

use crate::files::ConfigFile;
use hexapod_config::{ConfigError, Document};
use hexapod_kinematics::{JointLimits, Leg, Robot};
use hexapod_servo::ServoConfigError;
use hexapod_servo::calibration::{
    Origins, RawBoard, RawPoint, RawServo, RawServoConfig, RawTiming, ServoConfig, ServoFile, ServoMap,
};

/// Joint angles servos can be set up for, rad: a turn either way.
const TURN: f64 = std::f64::consts::TAU;
/// Half the least range a simulated servo turns, rad.
const NARROWEST: f64 = 0.1;
/// Pulses of a simulated servo at the ends of its joint's range, us, and the limits a little beyond them.
const ENDS_US: [f64; 2] = [500.0, 2500.0];
const LIMITS_US: [f64; 2] = [490.0, 2510.0];
/// Frequency of simulated boards, Hz: their pulses are finer the higher it is, and fit in one period.
const FREQUENCY_HZ: f64 = 333.0;
const CHANNELS: usize = 16;
const FIRST_ADDRESS: i64 = 0x40;

/// A servo map and how it came about.
#[derive(Clone, Debug)]
pub struct Servos {
    /// The checked map.
    pub config: ServoConfig,
    /// What to tell the user when the map is not that of the file.
    pub remark: Option<String>,
}

/// Reads and checks the servo map, and that every joint of the robot's legs has a servo and every servo a joint.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn read_servos(file: impl Into<ConfigFile>, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    check_servos(&file.into().read()?, robot)
}

/// As [`read_servos`], of a file that was read or is about to be written.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn check_servos(document: &Document, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    check(document, written(document, robot)?, robot)
}

/// Every key of every servo of a file, kinds and defaults filled in, as far as the file holds.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn raw_servos(document: &Document, robot: &Robot) -> Result<RawServoConfig, ConfigError> {
    resolved(document, written(document, robot)?).map(|(raw, _)| raw)
}

/// The same for a simulated bus: a file that names none of the robot's joints is for another robot, and each joint
/// gets a servo of its own whose pulses cover the joint's range. A file that names some of them is checked as it is.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn simulated_servos(file: impl Into<ConfigFile>, robot: &Robot) -> Result<Servos, ConfigError> {
    let file = file.into();
    let document = file.read()?;
    let written = written(&document, robot)?;
    let names = joint_names(robot);
    if written.joints().any(|joint| names.contains(&joint)) {
        return Ok(Servos { config: check(&document, written, robot)?, remark: None });
    }
    // What is wrong in the file itself is still told.
    let (raw, origins) = resolved(&document, written)?;
    let timing = raw.timing.clone();
    checked(&document, raw, &origins)?;
    let config = checked(&document, made_up(robot, timing), &Origins::default())?;
    let config = within_limits(&document, config, robot)?;
    let remark = format!(
        "{} is for another robot: each of the {} joints gets a simulated servo",
        file.path().display(),
        config.servos().len()
    );
    Ok(Servos { config, remark: Some(remark) })
}

/// The file as it is written. Of an owner's file for another robot the shipped servos are none of its own: those of
/// joints that the robot does not have are left out.
fn written(document: &Document, robot: &Robot) -> Result<ServoFile, ConfigError> {
    let mut file: ServoFile = document.deserialize()?;
    let names = joint_names(robot);
    let layer = |joint: &str| document.layer(&format!("servos.{joint}")).unwrap_or_default();
    if file.joints().any(|joint| layer(joint) > 0 && names.contains(&joint)) {
        file.retain(|joint| layer(joint) > 0 || names.contains(&joint));
    }
    Ok(file)
}

/// Every key of every servo, and where each stands.
fn resolved(document: &Document, file: ServoFile) -> Result<(RawServoConfig, Origins), ConfigError> {
    file.resolve(|path| document.layer(path).unwrap_or_default()).map_err(|error| wrong(document, &error, None))
}

fn checked(document: &Document, raw: RawServoConfig, origins: &Origins) -> Result<ServoConfig, ConfigError> {
    ServoConfig::try_from(raw).map_err(|error| wrong(document, &error, Some(origins)))
}

fn wrong(document: &Document, error: &ServoConfigError, origins: Option<&Origins>) -> ConfigError {
    let path = error.key_path();
    let origin = origins.map_or(path.clone(), |origins| origins.of(&path));
    if origin == path {
        return document.error_at(&path, error.to_string(), "");
    }
    let layer = |path: &str| document.layer(path).unwrap_or_default();
    let entry = path.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    if layer(&entry) > layer(&origin) {
        // What is taken from a lower layer was in order before the owner changed this servo.
        let help = format!("`{path}` is taken from `{origin}` of a file below; give it here, too");
        return document.error_at(&entry, format!("{path}: {error}"), help);
    }
    let help = format!("`{path}` is taken from here");
    document.error_at(&origin, error.to_string(), help)
}

fn joint_names(robot: &Robot) -> Vec<&str> {
    robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name()).collect()
}

fn check(document: &Document, file: ServoFile, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    let joints = joint_names(robot);
    let help = || format!("the robot's joints are {}", joints.join(", "));
    if let Some(joint) = file.joints().find(|joint| !joints.contains(joint)) {
        return Err(document.error_at(&format!("servos.{joint}"), "the robot has no such joint", help()));
    }
    // Those that are shipped may be for other robots.
    let own = |key: &&str| document.layer(&format!("defaults.{key}")).is_some_and(|layer| layer > 0);
    if let Some(key) = file.idle_defaults(&joints).find(own) {
        let message = "no joint's name ends in this; `all` stands for every joint";
        return Err(document.error_at(&format!("defaults.{key}"), message, help()));
    }
    let (raw, origins) = resolved(document, file)?;
    let config = checked(document, raw, &origins)?;
    if let Some(joint) = joints.iter().find(|joint| config.joint_index(joint).is_none()) {
        let help = "give every joint its board, channel and points";
        return Err(document.error_at("servos", format!("joint `{joint}` has no servo"), help));
    }
    within_limits(document, config, robot)
}

/// Narrows every servo to its joint's limits.
fn within_limits(document: &Document, mut config: ServoConfig, robot: &Robot) -> Result<ServoConfig, ConfigError> {
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

/// A servo for each joint of the legs, on as many boards as it takes.
fn made_up(robot: &Robot, timing: RawTiming) -> RawServoConfig {
    let mut servos = Vec::new();
    for leg in robot.legs() {
        for joint in leg.joints() {
            let index = servos.len();
            let [board, channel] = [index / CHANNELS, index % CHANNELS].map(|n| i64::try_from(n).unwrap_or(0));
            servos.push((joint.name().to_owned(), servo(board, channel, leg.name(), joint.limits())));
        }
    }
    let boards = 0..i64::try_from(servos.len().div_ceil(CHANNELS)).unwrap_or(0);
    let board = |n: i64| RawBoard { address: FIRST_ADDRESS + n, pwm_frequency_hz: FREQUENCY_HZ, oscillator_hz: 25e6 };
    RawServoConfig { boards: boards.map(board).collect(), servos: ServoMap(servos), timing }
}

fn servo(board: i64, channel: i64, leg: &str, limits: &JointLimits) -> RawServo {
    // A range next to nothing would need more pulse for an angle than a servo map takes.
    let half = (0.5 * (limits.upper - limits.lower)).max(NARROWEST);
    let angles = [(limits.middle() - half).max(-TURN), (limits.middle() + half).min(TURN)];
    let points = angles.iter().zip(ENDS_US).map(|(&angle_rad, pulse_us)| RawPoint { angle_rad, pulse_us }).collect();
    RawServo {
        board,
        channel,
        points,
        direction: 1,
        trim_rad: 0.0,
        min_pulse_us: LIMITS_US[0],
        max_pulse_us: LIMITS_US[1],
        neutral_us: None,
        speed_limit_rad_s: limits.velocity.clamp(1e-3, 100.0),
        group: Some(leg.to_owned()),
    }
}
