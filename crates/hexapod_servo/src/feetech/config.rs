//! The servos of a Feetech bus: what `feetech` in `servos.yaml` says, checked.

use std::f64::consts::TAU;
use std::ops::RangeInclusive;

use serde::Deserialize;
use thiserror::Error;

use super::registers::{MAX_ID, STEPS_PER_TURN};
use crate::joints::{DrivenJoint, JointConfig, Timing};
use crate::ordered;

/// `feetech` in `servos.yaml` as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the servos of a Feetech bus, as in {servos: {left_front_coxa: {id: 1}}}")]
pub struct RawFeetech {
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
    #[serde(default = "middle")]
    pub zero_step: i64,
    /// Lowest step that is ever commanded.
    #[serde(default)]
    pub min_step: i64,
    /// Highest step that is ever commanded.
    #[serde(default = "last")]
    pub max_step: i64,
    /// Fastest motion ever commanded.
    pub speed_limit_rad_s: f64,
    /// Servos switched on together; by default the joint's name before its last `_`.
    #[serde(default)]
    pub group: Option<String>,
}

fn one() -> i64 {
    1
}

/// The step in the middle of a turn.
pub const MIDDLE_STEP: u16 = 2048;

fn middle() -> i64 {
    i64::from(MIDDLE_STEP)
}

fn last() -> i64 {
    4095
}

/// What does not hold, and at which key.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{message}")]
pub struct ConfigError {
    /// Path of the key below `feetech`.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// One servo, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servo {
    /// Its ID.
    pub id: u8,
    direction: f64,
    zero_step: f64,
    steps: (u16, u16),
}

/// The servos of a bus, in the order of their joints.
#[derive(Clone, Debug, PartialEq)]
pub struct FeetechConfig {
    servos: Vec<Servo>,
    joints: JointConfig,
}

const RAD_PER_STEP: f64 = TAU / STEPS_PER_TURN;
const STEPS: RangeInclusive<i64> = 0..=4095;

impl Servo {
    /// The joint's angle at a step.
    pub fn angle_rad(&self, step: f64) -> f64 {
        self.direction * (step - self.zero_step) * RAD_PER_STEP
    }

    /// The joint's speed, or difference of angles, of so many steps.
    pub fn turned_rad(&self, steps: f64) -> f64 {
        self.along(steps) * RAD_PER_STEP
    }

    /// Anything the servo counts in its own direction, in the joint's.
    pub fn along(&self, value: f64) -> f64 {
        self.direction * value
    }

    /// Speed in steps a second at which the joint turns so fast; never 0, which would be no limit.
    pub fn step_speed(speed_rad_s: f64) -> u16 {
        (speed_rad_s / RAD_PER_STEP).ceil().clamp(1.0, 32767.0) as u16
    }

    /// The step at an angle of the joint. Targets are within the joint's limits; a servo that was found beyond them is led
    /// back from there, and would jump if its goals were not.
    pub fn step(&self, angle_rad: f64) -> u16 {
        let step = self.zero_step + self.direction * angle_rad / RAD_PER_STEP;
        step.round().clamp(0.0, 4095.0) as u16
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

impl FeetechConfig {
    /// The checked configuration of servos, each with the name of its joint.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn check(raw: &[(String, RawServo)], timing: Timing) -> Result<Self, Vec<ConfigError>> {
        let mut found = Vec::new();
        let mut config =
            Self { servos: Vec::new(), joints: JointConfig { joints: Vec::new(), groups: Vec::new(), timing } };
        if raw.is_empty() {
            found.push(ConfigError { path: "servos".into(), message: "no servo is listed; name every joint".into() });
        }
        for (joint, servo) in raw {
            config.add(joint, servo, &mut found);
        }
        if found.is_empty() { Ok(config) } else { Err(found) }
    }

    fn add(&mut self, joint: &str, raw: &RawServo, found: &mut Vec<ConfigError>) {
        let before = found.len();
        let mut wrong = |key: &str, message: String| {
            found.push(ConfigError { path: format!("servos.{joint}.{key}"), message });
        };
        if !(0..=i64::from(MAX_ID)).contains(&raw.id) {
            wrong("id", format!("ID {} is no servo's; use 0 to {MAX_ID}", raw.id));
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
        for (key, step) in [("zero_step", raw.zero_step), ("min_step", raw.min_step), ("max_step", raw.max_step)] {
            if !STEPS.contains(&step) {
                wrong(key, format!("step {step} does not exist; a turn has the steps 0 to 4095, its middle is 2048"));
            }
        }
        if raw.min_step >= raw.max_step {
            let (min, max) = (raw.min_step, raw.max_step);
            wrong("min_step", format!("limits are reversed: min_step {min} must be less than max_step {max}"));
        }
        if !(raw.speed_limit_rad_s > 0.0 && raw.speed_limit_rad_s <= 100.0) {
            let message =
                format!("speed limit {} rad/s is out of range; use more than 0 and at most 100", raw.speed_limit_rad_s);
            wrong("speed_limit_rad_s", message);
        }
        if found.len() > before {
            return;
        }
        let servo = Servo {
            id: raw.id as u8,
            direction: raw.direction as f64,
            zero_step: raw.zero_step as f64,
            steps: (raw.min_step as u16, raw.max_step as u16),
        };
        let group = self.group(joint, raw);
        let (name, limits_rad) = (joint.to_owned(), servo.limits_rad());
        let speed_limit_rad_s = raw.speed_limit_rad_s;
        self.joints.joints.push(DrivenJoint { name, group, limits_rad, speed_limit_rad_s });
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
        Self { servos, joints: self.joints.only(joints) }
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

    fn check(yaml: &str) -> Result<FeetechConfig, Vec<String>> {
        let raw: std::collections::BTreeMap<String, RawServo> = serde_yaml::from_str(yaml).expect("reads");
        FeetechConfig::check(&raw.into_iter().collect::<Vec<_>>(), timing())
            .map_err(|found| found.into_iter().map(|error| format!("{}: {error}", error.path)).collect())
    }

    #[test]
    fn when_a_servo_is_mounted_either_way_expect_angles_and_steps_to_agree() {
        let yaml = "a_x: { id: 1, speed_limit_rad_s: 5 }\nb_x: { id: 2, direction: -1, zero_step: 1024, speed_limit_rad_s: 5 }";
        let mut config = check(yaml).expect("holds");
        let quarter = std::f64::consts::FRAC_PI_2;
        let [a, b] = config.servos()[..] else { panic!("two servos") };
        assert_eq!((a.step(0.0), a.step(quarter), b.step(0.0), b.step(quarter)), (2048, 3072, 1024, 0));
        assert!((b.angle_rad(0.0) - quarter).abs() < 1e-12 && b.turned_rad(1024.0) < 0.0);
        assert_eq!(config.joints().groups, ["a", "b"]);
        assert!(config.limit_joint("b_x", -0.5, 0.25) && !config.limit_joint("b_x", 2.0, 3.0));
        let b = config.servos()[1];
        assert!(b.angle_rad(b.steps().0.into()) <= 0.25 && b.angle_rad(b.steps().1.into()) >= -0.5);
        assert_eq!(config.joints().joints[1].limits_rad, (-0.5, 0.25));
    }

    #[test]
    fn when_keys_do_not_hold_expect_each_named_and_what_would_be_right() {
        let wrong = |yaml: &str| check(yaml).expect_err("does not hold").join("\n");
        assert!(wrong("{}").contains("no servo is listed"));
        assert!(
            wrong("a: { id: 254, speed_limit_rad_s: 5 }").contains("servos.a.id: ID 254 is no servo's; use 0 to 253")
        );
        let twice = wrong("a: { id: 3, speed_limit_rad_s: 5 }\nb: { id: 3, speed_limit_rad_s: 5 }");
        assert!(twice.contains("servos.b.id: ID 3 is that of `a` already"), "{twice}");
        let many =
            wrong("a: { id: 1, direction: 2, zero_step: 4096, min_step: 9, max_step: 9, speed_limit_rad_s: .nan }");
        for key in ["direction", "zero_step", "min_step", "speed_limit_rad_s"] {
            assert!(many.contains(&format!("servos.a.{key}: ")), "{key}: {many}");
        }
    }
}
