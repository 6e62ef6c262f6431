//! The servos of a serial bus: what the section of their family in `servos.yaml` says, checked.

use serde::Deserialize;
use thiserror::Error;

use super::family::Family;
use super::series::Series;
use crate::joints::{DrivenJoint, JointConfig, Timing};
use crate::ordered;

/// The section of a family as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the servos of a serial bus, as in {servos: {left_front_coxa: {id: 1}}}")]
pub struct RawSerial {
    /// The series of all servos; that of most, if it is not given.
    #[serde(default)]
    pub series: Option<String>,
    /// The servos by their joints.
    #[serde(deserialize_with = "ordered::deserialize")]
    pub servos: Vec<(String, RawServo)>,
}

/// One servo as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "keys of a servo such as {id: 3, direction: -1}")]
pub struct RawServo {
    /// Its ID.
    pub id: i64,
    /// 1, or -1 for a servo mounted the other way round.
    #[serde(default = "one")]
    pub direction: i64,
    /// Step at which the joint's angle is 0.
    #[serde(default)]
    pub zero_step: Option<i64>,
    /// Lowest step that is ever commanded.
    #[serde(default)]
    pub min_step: i64,
    /// Highest step that is ever commanded.
    #[serde(default)]
    pub max_step: Option<i64>,
    /// Fastest motion ever commanded.
    pub speed_limit_rad_s: f64,
    /// Torque at the joint for each ampere that the motor gets, N m/A; without it no torque is reported.
    #[serde(default)]
    pub torque_nm_per_a: Option<f64>,
    /// Torque at the joint for each rad that the servo is away from its goal, N m/rad: for servos that measure no torque.
    #[serde(default)]
    pub torque_nm_per_rad: Option<f64>,
    /// Servos switched on together; by default the joint's name before its last `_`.
    #[serde(default)]
    pub group: Option<String>,
}

impl RawServo {
    /// Keys of numbers that cannot be, and why.
    fn numbers_out_of_range(&self) -> impl Iterator<Item = (&'static str, String)> {
        let all = [
            ("speed_limit_rad_s", "speed limit (rad/s)", Some(self.speed_limit_rad_s), 100.0),
            ("torque_nm_per_a", "torque (N m/A)", self.torque_nm_per_a, 100.0),
            ("torque_nm_per_rad", "stiffness (N m/rad)", self.torque_nm_per_rad, 1000.0),
        ];
        all.into_iter().filter_map(|(key, what, number, most)| {
            let number = number.filter(|number| !(*number > 0.0 && *number <= most))?;
            Some((key, format!("{what} {number} is out of range; use more than 0 and at most {most}")))
        })
    }
}

fn one() -> i64 {
    1
}

/// What does not hold, and at which key.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{message}")]
pub struct ConfigError {
    /// Path of the key below the section.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// One servo, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servo {
    /// What it is.
    pub series: &'static Series,
    /// Its ID.
    pub id: u8,
    direction: f64,
    zero_step: f64,
    steps: (u16, u16),
    /// Torque for each ampere, N m/A.
    pub torque_nm_per_a: Option<f64>,
    /// Torque for each rad away from its goal, N m/rad.
    pub torque_nm_per_rad: Option<f64>,
}

/// The servos of a bus, in the order of their joints.
#[derive(Clone, Debug, PartialEq)]
pub struct SerialConfig {
    family: &'static Family,
    series: &'static Series,
    servos: Vec<Servo>,
    joints: JointConfig,
}

impl Servo {
    /// The joint's angle at a step.
    pub fn angle_rad(&self, step: f64) -> f64 {
        self.direction * (step - self.zero_step) * self.series.rad_per_step
    }

    /// Anything the servo counts in its own direction, in the joint's.
    pub fn along(&self, value: f64) -> f64 {
        self.direction * value
    }

    /// The step at an angle of the joint. Targets are within the joint's limits; a servo that was found beyond them is led
    /// back from there, and would jump if its goals were not.
    pub fn step(&self, angle_rad: f64) -> u16 {
        let step = self.zero_step + self.direction * angle_rad / self.series.rad_per_step;
        step.round().clamp(0.0, f64::from(self.series.last_step)) as u16
    }

    /// Lowest and highest step that is ever commanded.
    pub fn steps(&self) -> (u16, u16) {
        self.steps
    }

    fn limits_rad(&self) -> (f64, f64) {
        let ends = [self.steps.0, self.steps.1].map(|step| self.angle_rad(f64::from(step)));
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    }
}

impl SerialConfig {
    /// The checked configuration of the servos of a family, each with the name of its joint.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn check(family: &'static Family, raw: &RawSerial, timing: Timing) -> Result<Self, Vec<ConfigError>> {
        let mut found = Vec::new();
        let known = family.series.iter().map(|series| series.name).collect::<Vec<_>>().join(", ");
        let series = raw.series.as_deref().map_or_else(|| family.series.first().copied(), |name| family.named(name));
        let Some(series) = series else {
            let message = format!("there is no such series of servos; there are {known}");
            return Err(vec![ConfigError { path: "series".into(), message }]);
        };
        let joints = JointConfig { joints: Vec::new(), groups: Vec::new(), timing };
        let mut config = Self { family, series, servos: Vec::new(), joints };
        if raw.servos.is_empty() {
            found.push(ConfigError { path: "servos".into(), message: "no servo is listed; name every joint".into() });
        }
        for (joint, servo) in &raw.servos {
            config.add(joint, servo, &mut found);
            if servo.torque_nm_per_a.is_some() && !series.measures_current() {
                let message = format!("servos of the series {} measure no current; leave it out", series.name);
                found.push(ConfigError { path: format!("servos.{joint}.torque_nm_per_a"), message });
            }
            if servo.torque_nm_per_a.is_some() && servo.torque_nm_per_rad.is_some() {
                let message = "there is torque_nm_per_a, too; a torque comes of one of them: leave out this one".into();
                found.push(ConfigError { path: format!("servos.{joint}.torque_nm_per_rad"), message });
            }
        }
        if found.is_empty() { Ok(config) } else { Err(found) }
    }

    fn add(&mut self, joint: &str, raw: &RawServo, found: &mut Vec<ConfigError>) {
        let before = found.len();
        let mut wrong = |key: &str, message: String| {
            found.push(ConfigError { path: format!("servos.{joint}.{key}"), message });
        };
        let (last, middle) = (i64::from(self.series.last_step), i64::from(self.series.middle_step));
        let (zero_step, max_step) = (raw.zero_step.unwrap_or(middle), raw.max_step.unwrap_or(last));
        let max_id = self.series.max_id;
        if !(0..=i64::from(max_id)).contains(&raw.id) {
            wrong("id", format!("ID {} is no servo's; use 0 to {max_id}", raw.id));
        }
        let taken = self.servos.iter().position(|servo| i64::from(servo.id) == raw.id);
        if let Some(other) = taken.and_then(|index| self.joints.joints.get(index)) {
            wrong("id", format!("ID {} is that of `{}` already; give every servo its own", raw.id, other.name));
        }
        if self.joints.index(joint).is_some() {
            wrong("id", format!("joint `{joint}` is listed twice; name every joint once"));
        }
        if ![1, -1].contains(&raw.direction) {
            let message = format!(
                "direction {} is neither 1 nor -1; give -1 for a servo mounted the other way round",
                raw.direction
            );
            wrong("direction", message);
        }
        for (key, step) in [("zero_step", zero_step), ("min_step", raw.min_step), ("max_step", max_step)] {
            if !(0..=last).contains(&step) {
                wrong(
                    key,
                    format!("step {step} does not exist; there are the steps 0 to {last}, the middle is {middle}"),
                );
            }
        }
        if raw.min_step >= max_step {
            let (min, max) = (raw.min_step, max_step);
            wrong("min_step", format!("limits are reversed: min_step {min} must be less than max_step {max}"));
        }
        raw.numbers_out_of_range().for_each(|(key, message)| wrong(key, message));
        if found.len() > before {
            return;
        }
        let servo = Servo {
            series: self.series,
            id: raw.id as u8,
            direction: raw.direction as f64,
            zero_step: zero_step as f64,
            steps: (raw.min_step as u16, max_step as u16),
            torque_nm_per_a: raw.torque_nm_per_a,
            torque_nm_per_rad: raw.torque_nm_per_rad,
        };
        let (name, group, limits_rad) = (joint.to_owned(), self.group(joint, raw), servo.limits_rad());
        self.joints.joints.push(DrivenJoint { name, group, limits_rad, speed_limit_rad_s: raw.speed_limit_rad_s });
        self.servos.push(servo);
    }

    fn group(&mut self, joint: &str, raw: &RawServo) -> usize {
        let derived = || joint.rsplit_once('_').map_or(joint, |(leg, _)| leg);
        let name = raw.group.as_deref().unwrap_or_else(derived);
        let groups = &mut self.joints.groups;
        groups.iter().position(|group| group == name).unwrap_or_else(|| {
            groups.push(name.into());
            groups.len() - 1
        })
    }

    /// The family that they are of.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// What they are.
    pub fn series(&self) -> &'static Series {
        self.series
    }

    /// What the state machine knows of them.
    pub fn joints(&self) -> &JointConfig {
        &self.joints
    }

    /// The servos, in the order of their joints.
    pub fn servos(&self) -> &[Servo] {
        &self.servos
    }

    /// These joints alone, in this order: the others need not be there.
    #[must_use]
    pub fn only(&self, joints: &[usize]) -> Self {
        let servos = joints.iter().filter_map(|&joint| self.servos.get(joint).copied()).collect();
        Self { servos, joints: self.joints.only(joints), ..*self }
    }

    /// Narrows a servo to its joint's limits (rad). False, and no change, when there is no such joint or nothing would be
    /// left.
    pub fn limit_joint(&mut self, joint: &str, lower_rad: f64, upper_rad: f64) -> bool {
        let Some(index) = self.joints.index(joint) else { return false };
        let (servo, joint) = (&mut self.servos[index], &mut self.joints.joints[index]);
        let limits = (joint.limits_rad.0.max(lower_rad), joint.limits_rad.1.min(upper_rad));
        let inside = |step: &u16| {
            let angle_rad = servo.angle_rad(f64::from(*step));
            angle_rad >= limits.0 - f64::EPSILON && angle_rad <= limits.1 + f64::EPSILON
        };
        let mut steps = servo.steps.0..=servo.steps.1;
        let Some((first, last)) = steps.clone().find(inside).zip(steps.rfind(inside)) else { return false };
        if first >= last {
            return false;
        }
        (servo.steps, joint.limits_rad) = ((first, last), limits);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn timing() -> Timing {
        Timing {
            command_timeout: Duration::from_millis(250),
            sit_after: None,
            relax_after: None,
            group_interval: Duration::ZERO,
            soft_start_rad_s: 0.5,
            pose_tolerance_rad: 1.6,
            stall_error_rad: 0.35,
            stall_after: None,
            fault_off_after: Duration::from_secs(5),
        }
    }

    fn check(yaml: &str) -> Result<SerialConfig, Vec<String>> {
        let raw = serde_yaml::from_str(&format!("{{servos: {yaml}}}")).expect("reads");
        SerialConfig::check(&crate::feetech::FAMILY, &raw, timing())
            .map_err(|found| found.into_iter().map(|error| format!("{}: {error}", error.path)).collect())
    }

    #[test]
    fn when_a_servo_is_mounted_either_way_expect_angles_and_steps_to_agree() {
        let yaml = "{a_x: { id: 1, speed_limit_rad_s: 5 }, b_x: { id: 2, direction: -1, zero_step: 1024, speed_limit_rad_s: 5 }}";
        let mut config = check(yaml).expect("holds");
        let quarter = std::f64::consts::FRAC_PI_2;
        let [a, b] = config.servos()[..] else { panic!("two servos") };
        assert_eq!((a.step(0.0), a.step(quarter), b.step(0.0), b.step(quarter)), (2048, 3072, 1024, 0));
        assert!((b.angle_rad(0.0) - quarter).abs() < 1e-12 && b.along(1024.0) < 0.0);
        assert_eq!(config.joints().groups, ["a", "b"]);
        assert!(config.limit_joint("b_x", -0.5, 0.25) && !config.limit_joint("b_x", 2.0, 3.0));
        let b = config.servos()[1];
        assert!(b.angle_rad(b.steps().0.into()) <= 0.25 && b.angle_rad(b.steps().1.into()) >= -0.5);
        assert_eq!(config.joints().joints[1].limits_rad, (-0.5, 0.25));
    }

    #[test]
    fn when_a_series_measures_no_current_expect_torque_from_it_refused() {
        let of = |series: &str| {
            let servos = "{a_x: { id: 1, speed_limit_rad_s: 5, torque_nm_per_a: 1 }}";
            let raw = serde_yaml::from_str(&format!("{{series: {series}, servos: {servos}}}")).expect("reads");
            SerialConfig::check(&crate::feetech::FAMILY, &raw, timing())
        };
        assert!(of("sts").is_ok());
        let wrong = of("scs").expect_err("no current");
        assert_eq!(wrong[0].path, "servos.a_x.torque_nm_per_a");
        assert!(wrong[0].message.contains("measure no current"), "{wrong:?}");
    }

    #[test]
    fn when_keys_do_not_hold_expect_each_named_and_what_would_be_right() {
        let wrong = |yaml: &str| check(yaml).expect_err("does not hold").join("\n");
        assert!(wrong("{}").contains("no servo is listed"));
        assert!(
            wrong("{a: { id: 254, speed_limit_rad_s: 5 }}").contains("servos.a.id: ID 254 is no servo's; use 0 to 253")
        );
        let twice = wrong("{a: { id: 3, speed_limit_rad_s: 5 }, b: { id: 3, speed_limit_rad_s: 5 }}");
        assert!(twice.contains("servos.b.id: ID 3 is that of `a` already"), "{twice}");
        let many = wrong(
            "{a: { id: 1, direction: 2, zero_step: 4096, min_step: 9, max_step: 9, speed_limit_rad_s: .nan, torque_nm_per_a: -1, torque_nm_per_rad: 2000 }}",
        );
        for key in ["direction", "zero_step", "min_step", "speed_limit_rad_s", "torque_nm_per_a", "torque_nm_per_rad"] {
            assert!(many.contains(&format!("servos.a.{key}: ")), "{key}: {many}");
        }
    }
}
