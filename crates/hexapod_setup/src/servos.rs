//! `servos.yaml`.

use hexapod_config::{ConfigError, Document};
use hexapod_kinematics::{JointLimits, Leg, Robot};
use hexapod_servo::calibration::{RawBoard, RawPoint, RawServo, RawServoConfig, RawTiming, ServoConfig, ServoMap};
use std::path::Path;

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

/// How an owner gets a file that fits.
const NEW: &str =
    "if the file is for another robot, `hexapod new ROBOT.urdf` writes one with simulated servos for this one";

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
pub fn read_servos(path: &Path, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    check_servos(&Document::read(path)?, robot)
}

/// As [`read_servos`], of a file that was read or is about to be written.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn check_servos(document: &Document, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    check(document, raw(document)?, robot)
}

/// The same for a simulated bus: a file that names none of the robot's joints is for another robot, and each joint
/// gets a servo of its own whose pulses cover the joint's range. A file that names some of them is checked as it is.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn simulated_servos(path: &Path, robot: &Robot) -> Result<Servos, ConfigError> {
    let document = Document::read(path)?;
    let raw = raw(&document)?;
    let names = joint_names(robot);
    if raw.servos.0.iter().any(|(joint, _)| names.contains(&joint.as_str())) {
        return Ok(Servos { config: check(&document, raw, robot)?, remark: None });
    }
    // What is wrong in the file itself is still told.
    let timing = raw.timing.clone();
    checked(&document, raw)?;
    let config = within_limits(&document, checked(&document, made_up(robot, timing))?, robot)?;
    let remark = format!(
        "{} is for another robot: each of the {} joints gets a simulated servo",
        path.display(),
        config.servos().len()
    );
    Ok(Servos { config, remark: Some(remark) })
}

fn raw(document: &Document) -> Result<RawServoConfig, ConfigError> {
    document.deserialize()
}

fn checked(document: &Document, raw: RawServoConfig) -> Result<ServoConfig, ConfigError> {
    ServoConfig::try_from(raw).map_err(|error| document.error_at(&error.key_path(), error.to_string(), ""))
}

fn joint_names(robot: &Robot) -> Vec<&str> {
    robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name()).collect()
}

fn check(document: &Document, raw: RawServoConfig, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    let config = checked(document, raw)?;
    let joints = joint_names(robot);
    if let Some(servo) = config.servos().iter().find(|servo| !joints.contains(&servo.joint())) {
        let help = format!("the robot's joints are {}; {NEW}", joints.join(", "));
        return Err(document.error_at(&format!("servos.{}", servo.joint()), "the robot has no such joint", help));
    }
    if let Some(joint) = joints.iter().find(|joint| config.joint_index(joint).is_none()) {
        let help = format!("give every joint its board, channel and points; {NEW}");
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

/// A file of simulated servos for a robot, as it may be written for its owner to go on with.
#[must_use]
pub fn servos_text(robot: &Robot) -> String {
    let RawServoConfig { boards, servos, .. } = made_up(robot, RawTiming::default());
    let mut out = String::from("boards:\n");
    for board in boards {
        let (address, frequency) = (board.address, board.pwm_frequency_hz);
        out +=
            &format!("  - {{address: {address:#04x}, pwm_frequency_hz: {frequency:.1}, oscillator_hz: 25000000.0}}\n");
    }
    out += "servos:\n";
    for (joint, servo) in servos.0 {
        let point = |p: &RawPoint| format!("{{angle_rad: {:.4}, pulse_us: {:.1}}}", p.angle_rad, p.pulse_us);
        let points: Vec<String> = servo.points.iter().map(point).collect();
        let (joint, group) = (joint.replace('\'', "''"), servo.group.unwrap_or_default().replace('\'', "''"));
        out += &format!(
            "  '{joint}':\n    board: {}\n    channel: {}\n    points: [{}]\n    direction: 1\n    min_pulse_us: {:.1}\n    \
             max_pulse_us: {:.1}\n    speed_limit_rad_s: {:.3}\n    group: '{group}'\n",
            servo.board,
            servo.channel,
            points.join(", "),
            servo.min_pulse_us,
            servo.max_pulse_us,
            servo.speed_limit_rad_s,
        );
    }
    out
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
