//! How a calibration begins, or is gone on with.

use super::state::Dialogue;
use super::terms::{DialogueError, Mode};
use crate::mover::Mover;
use crate::progress::Progress;
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::{RawServoConfig, ServoConfig};
use std::time::Duration;

impl Dialogue {
    /// A calibration of these servos, gone on with if one was left. With all joints done, or if `verify` says so, they
    /// are verified.
    ///
    /// # Errors
    /// The servos do not hold or are not those of this robot.
    pub fn new(
        config: RawServoConfig,
        robot: &Robot,
        progress: &Progress,
        verify: bool,
    ) -> Result<Self, DialogueError> {
        let checked = narrowed(&config, robot)?;
        let places = checked.servos().iter().map(|servo| place(robot, servo.joint())).collect::<Result<Vec<_>, _>>()?;
        let has = |list: &[String]| -> Vec<bool> {
            checked.servos().iter().map(|servo| list.iter().any(|name| name == servo.joint())).collect()
        };
        let (done, mut verified) = (has(&progress.done), has(&progress.verified));
        let mode = if verify || done.iter().all(|done| *done) { Mode::Verify } else { Mode::Calibrate };
        if verified.iter().all(|verified| *verified) {
            verified.fill(false);
        }
        let of = |name: &str| progress.findings.iter().find(|(joint, _)| joint == name).map(|(_, found)| found.clone());
        let fits = progress.verifying == (mode == Mode::Verify);
        let findings = checked.servos().iter().map(|servo| of(servo.joint()).filter(|_| fits).unwrap_or_default());
        let mut dialogue = Self {
            findings: findings.collect(),
            mover: Mover::new(1500.0, 10.0, 1.0),
            untouched: Duration::ZERO,
            config,
            checked,
            places,
            mode,
            done,
            verified,
            joint: 0,
            asked_rad: None,
            doubted_us: None,
            choosing: None,
            said: None,
            before: None,
        };
        let left = dialogue.checked.joint_index(&progress.joint);
        let left = left.filter(|&joint| fits && !dialogue.marks_done()[joint]);
        dialogue.go_to(left.or_else(|| dialogue.next_open(0)).unwrap_or(0));
        Ok(dialogue)
    }
}

fn narrowed(config: &RawServoConfig, robot: &Robot) -> Result<ServoConfig, DialogueError> {
    let mut checked = ServoConfig::try_from(config.clone())?;
    for joint in robot.legs().iter().flat_map(Leg::joints) {
        checked.limit_joint(joint.name(), joint.limits().lower, joint.limits().upper);
    }
    Ok(checked)
}

fn place(robot: &Robot, name: &str) -> Result<(Leg, usize), DialogueError> {
    let (leg, joint) = robot.joint_place(name).ok_or_else(|| DialogueError::NoSuchJoint(name.into()))?;
    Ok((robot.legs()[leg].clone(), joint))
}
