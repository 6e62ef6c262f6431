//! `servos.yaml`.

use crate::config_file::ConfigFile;
use crate::idle_defaults::{outranked, refuse_misfits};
use crate::mimics::not_a_motor;
use crate::simulated_servos::made_up;
use crate::touch::{SERVO2040, check_touch, need_servo2040};
use hexapod_config::ros_params::hint_for;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::calibration::{
    Motor, Origins, RawServoConfig, ServoConfig, ServoConfigError, ServoFile, Touch, is_placeholder,
};
use std::collections::BTreeMap;

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

/// Reads and checks the servo map of a real robot: every joint of its legs has a servo, every servo a joint, and none is
/// made up.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn read_servos(file: impl Into<ConfigFile>, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    let document = file.into().read_on()?;
    let mut faults = Faults::default();
    let file = written(&document, robot, &mut faults);
    file.iter().for_each(|file| refuse_placeholders(&document, file, robot, &mut faults));
    let config = file.and_then(|file| check(&document, file, robot, &mut faults));
    faults.or(config)
}

/// As [`read_servos`], of the servos of a Servo2040: those of its own section, which take kinds and defaults as others do; and
/// the touch inputs under feet, if there are any.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn read_servo2040(file: impl Into<ConfigFile>, robot: &Robot) -> Result<(ServoConfig, Option<Touch>), ConfigError> {
    let document = file.into().read_on()?;
    let file: ServoFile = document.deserialize()?;
    need_servo2040(&document, &file)?;
    let mut faults = Faults::default();
    let touch = file.touch().map(|touch| check_touch(&document, touch, robot, &mut faults));
    let document = document.with_moved(&format!("{SERVO2040}.servos"), "servos");
    let file = written(&document, robot, &mut faults).map(ServoFile::on_servo2040);
    file.iter().for_each(|file| refuse_placeholders(&document, file, robot, &mut faults));
    let config = file.and_then(|file| check(&document, file, robot, &mut faults));
    let is_of_servos = |error: &ConfigError| error.key().is_some_and(|key| key.split('.').next() == Some("servos"));
    let checked = faults.or(config).map_err(|error| error.below(&format!("{SERVO2040}."), is_of_servos))?;
    Ok((checked, touch))
}

/// Notes servos of which nobody has said which they are: the pulses of one kind turn another by half or twice the angle.
fn refuse_placeholders(document: &Document, file: &ServoFile, robot: &Robot, faults: &mut Faults) {
    const PULSES: &str = "these servos are placeholders, with made-up pulses";
    if file.is_simulated() {
        let help = "`hexapod new` of this version writes one that takes the kind of your servos; or give each servo its kind, \
                    board and channel in place of points and pulses, then take this line out";
        faults.add(document.error_at("simulated", PULSES, help));
    }
    // Each kind is reported once, with all its joints.
    let mut made_up: BTreeMap<String, (String, Vec<&str>)> = BTreeMap::new();
    for joint in joint_names(robot) {
        if let Some(motor) = file.motor(joint, layer_in(document)).filter(Motor::is_placeholder) {
            made_up.entry(motor.kind).or_insert((motor.path, vec![])).1.push(joint);
        }
    }
    for (kind, (path, joints)) in made_up {
        let known = file.kinds().filter(|kind| !is_placeholder(kind)).collect::<Vec<_>>().join(", ");
        let help = format!(
            "in place of `{kind}` say which servos they are, as in `kind: mg996r` (there are {known}; or describe yours under \
             `kinds`), plug them in as board and channel say, then run `hexapod calibrate --bus i2c`; of this kind are {}",
            joints.join(", ")
        );
        faults.add(document.error_at(&path, PULSES, help));
    }
}

/// Of each key of a document, its layer.
fn layer_in(document: &Document) -> impl Fn(&str) -> usize {
    |path| document.layer(path).unwrap_or_default()
}

/// The motors of a robot's joints, as far as `servos.yaml` names kinds for them.
#[must_use]
pub fn motors(file: &ConfigFile, robot: &Robot) -> Vec<(String, Motor)> {
    let Some((document, file)) = written_for(file, robot) else { return vec![] };
    let joints = joint_names(robot).into_iter();
    joints.filter_map(|joint| Some((joint.to_owned(), file.motor(joint, layer_in(&document))?))).collect()
}

/// What to say of an owner's defaults that count for no servo.
pub fn outranked_defaults(file: &ConfigFile, robot: &Robot) -> Vec<String> {
    let Some((document, file)) = written_for(file, robot) else { return vec![] };
    let given = file.defaults_given();
    file.resolve(layer_in(&document)).map_or_else(|_| vec![], |(_, origins)| outranked(&document, &given, &origins))
}

/// A file for this robot, as it is written. What does not hold is reported where servos are read.
fn written_for(file: &ConfigFile, robot: &Robot) -> Option<(Document, ServoFile)> {
    let document = file.read_on().ok().filter(|document| !is_for_another(document, file.is_shipped(), robot))?;
    written(&document, robot, &mut Faults::default()).map(|file| (document, file))
}

/// Checks a servo map that was read or is about to be written, be it for real or for simulated servos.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn check_servos(document: &Document, robot: &Robot) -> Result<ServoConfig, ConfigError> {
    let mut faults = Faults::default();
    let file = written(document, robot, &mut faults);
    let config = file.and_then(|file| check(document, file, robot, &mut faults));
    faults.or(config)
}

/// As [`check_servos`], as far as that can be done without knowing the robot.
///
/// # Errors
/// File, line and key of what does not hold for any robot.
pub fn check_servos_alone(file: impl Into<ConfigFile>) -> Result<(), ConfigError> {
    let document = file.into().read_on()?;
    let mut faults = Faults::default();
    let mut file: Option<ServoFile> = document.deserialize_on(&mut faults);
    let layer = |key: &str| layer_in(&document)(&format!("servos.{key}"));
    // Who says where servos are plugged in may have another robot than the shipped one.
    if let Some(file) = &mut file
        && file.joints().any(|joint| layer(&format!("{joint}.channel")) > 0)
    {
        file.retain(|joint| layer(joint) > 0);
    }
    if let Some((raw, origins)) = file.and_then(|file| resolved(&document, file, &mut faults)) {
        checked(&document, &raw, &origins, &mut faults);
    }
    faults.into_result()
}

/// Every key of every servo of a file, kinds and defaults filled in, as far as the file holds.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn raw_servos(document: &Document, robot: &Robot) -> Result<RawServoConfig, ConfigError> {
    let mut faults = Faults::default();
    let file = written(document, robot, &mut faults);
    let raw = file.and_then(|file| resolved(document, file, &mut faults)).map(|(raw, _)| raw);
    faults.or(raw)
}

/// As [`read_servos`], for a simulated bus: servos may be made up. Where the file is for another robot, each joint gets a
/// servo whose pulses cover the joint's range.
///
/// # Errors
/// File, line and key of what does not hold.
pub fn simulated_servos(file: impl Into<ConfigFile>, robot: &Robot) -> Result<Servos, ConfigError> {
    let file = file.into();
    let document = file.read_on()?;
    if !is_for_another(&document, file.is_shipped(), robot) {
        return Ok(Servos { config: check_servos(&document, robot)?, remark: None });
    }
    // What is wrong in the file itself is still reported.
    let mut faults = Faults::default();
    let written = written(&document, robot, &mut faults);
    let resolved = written.and_then(|written| resolved(&document, written, &mut faults));
    let timing = resolved.as_ref().map(|(raw, _)| raw.timing.clone()).unwrap_or_default();
    resolved.and_then(|(raw, origins)| checked(&document, &raw, &origins, &mut faults));
    faults.into_result()?;
    let mut faults = Faults::default();
    let made_up = checked(&document, &made_up(robot, timing), &Origins::default(), &mut faults);
    let config = made_up.map(|made_up| within_limits(&document, made_up, robot, &mut faults));
    let config = faults.or(config)?;
    let remark = format!(
        "{} is for another robot: each of the {} joints gets a simulated servo",
        file.path().display(),
        config.servos().len()
    );
    Ok(Servos { config, remark: Some(remark) })
}

/// Whether the servos are those of another robot: none is of a joint of this one, or they are the shipped ones alone and of
/// other joints than its legs have. Names such as `left_front_coxa` are common, so some of these may be alike.
fn is_for_another(document: &Document, is_shipped: bool, robot: &Robot) -> bool {
    let names = joint_names(robot);
    let servos = document.entries("servos");
    if names.iter().any(|joint| document.error_at_null("servos", joint, "", "").is_some()) {
        return false;
    }
    let is_own = |joint: &str| !is_shipped || document.layer(&format!("servos.{joint}")).is_some_and(|layer| layer > 0);
    let (own, shipped): (Vec<&str>, Vec<&str>) =
        servos.iter().map(|entry| entry.key.as_str()).partition(|joint| is_own(joint));
    if own.iter().any(|joint| names.contains(joint)) {
        return false;
    }
    let is_known = |joint: &&str| names.contains(joint) || robot.model().joint_index(joint).is_some();
    !(names.iter().all(|name| shipped.contains(name)) && shipped.iter().all(is_known))
}

/// Where every key of every servo stands, as far as the file holds.
pub(crate) fn origins(document: &Document, robot: &Robot) -> Origins {
    let mut faults = Faults::default();
    let file = written(document, robot, &mut faults);
    file.and_then(|file| resolved(document, file, &mut faults)).map(|(_, origins)| origins).unwrap_or_default()
}

/// The file as it is written, without servos of joints that the robot has and none of its legs, unless they mimic those. Of an owner's file for another robot the shipped servos are none of its own: those of
/// joints that the robot does not have are left out.
fn written(document: &Document, robot: &Robot, faults: &mut Faults) -> Option<ServoFile> {
    let mut file: ServoFile = document.deserialize_on(faults)?;
    let names = joint_names(robot);
    let is_known = |joint: &str| names.contains(&joint) || not_a_motor(robot, joint).is_some();
    let is_idle = |joint: &str| robot.model().joint_index(joint).is_some() && !is_known(joint);
    file.retain(|joint| !is_idle(joint));
    let layer = |joint: &str| document.layer(&format!("servos.{joint}")).unwrap_or_default();
    if file.joints().any(|joint| layer(joint) > 0 && names.contains(&joint)) {
        file.retain(|joint| layer(joint) > 0 || names.contains(&joint));
    }
    Some(file)
}

/// Every key of every servo, and where each stands.
fn resolved(document: &Document, file: ServoFile, faults: &mut Faults) -> Option<(RawServoConfig, Origins)> {
    let implausible = file.implausible();
    if !implausible.is_empty() {
        implausible.iter().for_each(|error| faults.add(wrong(document, error, None)));
        return None;
    }
    let resolved = file.resolve(layer_in(document));
    faults.note(resolved.map_err(|error| wrong(document, &error, None)))
}

fn checked(document: &Document, raw: &RawServoConfig, origins: &Origins, faults: &mut Faults) -> Option<ServoConfig> {
    let found = match ServoConfig::check(raw) {
        Ok(config) => return Some(config),
        Err(found) => found,
    };
    // A board that could not be read is not missing.
    let follows = faults.has_wrong_form("boards") || found.contains(&ServoConfigError::NoBoards);
    let follows = |error: &&ServoConfigError| follows && matches!(error, ServoConfigError::UnknownBoard { .. });
    for error in found.iter().filter(|error| !follows(error)) {
        faults.add(wrong(document, error, Some(origins)));
    }
    None
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

fn check(document: &Document, mut file: ServoFile, robot: &Robot, faults: &mut Faults) -> Option<ServoConfig> {
    let joints = joint_names(robot);
    let mut misspelt = vec![];
    for joint in file.joints().filter(|joint| !joint.is_empty() && !joints.contains(joint)) {
        if let Some((found, help)) = not_a_motor(robot, joint) {
            misspelt.push(help.clone());
            faults.add(document.error_at(&format!("servos.{joint}"), found, help));
            continue;
        }
        let help = hint_for(joint, &joints);
        misspelt.push(help.clone());
        let help = format!("{help}; {NEW}");
        faults.add(document.error_at(&format!("servos.{joint}"), "the robot has no such joint", help));
    }
    refuse_misfits(document, &file, &joints, faults);
    let written = document.entries("servos");
    let is_meant = |joint: &str| misspelt.contains(&format!("did you mean `{joint}`?"));
    let is_written = |joint: &str| written.iter().any(|entry| entry.key == joint);
    for joint in joints.iter().filter(|joint| !is_written(joint) && !is_meant(joint)) {
        let null = "null takes the servo of this joint away, and a joint of a leg has one";
        let null =
            document.error_at_null("servos", joint, null, "take this line out, or give the servo's board and channel");
        let help = format!("give every joint at least its board and channel; {NEW}");
        let missing = || document.error_at("servos", format!("joint `{joint}` has no servo"), help);
        faults.add(null.unwrap_or_else(missing));
    }
    let is_simulated = file.is_simulated();
    // What a servo lacks is known once its joint is.
    if !misspelt.is_empty() {
        file.retain(|joint| joint.is_empty() || joints.contains(&joint));
    }
    let (raw, origins) = resolved(document, file, faults)?;
    let config = checked(document, &raw, &origins, faults)?;
    if !is_simulated {
        check_slopes(document, &raw, &origins, faults);
    }
    Some(within_limits(document, config, robot, faults))
}

/// Pulse that a servo takes for a radian, us: most take 640, and a third of it or twice as much is not believed.
const BELIEVED_US_PER_RAD: std::ops::RangeInclusive<f64> = 640.0 / 3.0..=640.0 * 2.0;

/// Notes neighbouring points that no servo has.
fn check_slopes(document: &Document, raw: &RawServoConfig, origins: &Origins, faults: &mut Faults) {
    for (joint, servo) in &raw.servos.0 {
        let spans = servo.points.windows(2).map(|pair| {
            let [us, rad] = [pair[1].pulse_us - pair[0].pulse_us, pair[1].angle_rad - pair[0].angle_rad].map(f64::abs);
            (us, rad)
        });
        let key = origins.of(&format!("servos.{joint}.points"));
        // One that stands in for a servo turns as far as the joint does.
        let stands_in = key.strip_prefix("kinds.").is_some_and(is_placeholder);
        let odd = |(us, rad): &(f64, f64)| !stands_in && !BELIEVED_US_PER_RAD.contains(&(us / rad));
        let Some((us, rad)) = spans.into_iter().find(odd) else { continue };
        let message = format!(
            "{us:.0} us for {:.1} degrees ({rad:.3} rad) is not what a servo does: most take about 1000 us for 90 degrees",
            rad.to_degrees()
        );
        let help = "measure the angle at two pulses far apart, or let `hexapod calibrate` do it; angle_rad is in radians, \
                    pulse_us in microseconds";
        faults.add(document.error_at(&key, message, help));
    }
}

/// Narrows every servo to its joint's limits.
fn within_limits(document: &Document, mut config: ServoConfig, robot: &Robot, faults: &mut Faults) -> ServoConfig {
    for joint in robot.legs().iter().flat_map(Leg::joints) {
        let limits = joint.limits();
        let is_there = config.joint_index(joint.name()).is_some();
        if is_there && !config.limit_joint(joint.name(), limits.lower, limits.upper) {
            let message = format!("the servo reaches no angle from {:.3} to {:.3} rad", limits.lower, limits.upper);
            let help = "these are the joint's limits in the URDF or robot.yaml; check points, direction and trim_rad";
            faults.add(document.error_at(&format!("servos.{}", joint.name()), message, help));
        }
    }
    config
}
