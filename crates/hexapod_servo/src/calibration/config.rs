//! The validated configuration of all boards and servos.

use std::collections::BTreeSet;

use super::clock::PwmClock;
use super::servo::Servo;
use crate::joints::{JointConfig, Timing};

/// One validated board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Board {
    pub(super) address: u8,
    pub(super) clock: PwmClock,
}

impl Board {
    /// Seven-bit I2C address.
    pub fn address(&self) -> u8 {
        self.address
    }

    /// Its PWM clock.
    pub fn clock(&self) -> PwmClock {
        self.clock
    }
}

/// All boards and servos, checked. Joint indices used elsewhere are positions in [`ServoConfig::servos`], which
/// keeps the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ServoConfig {
    pub(super) boards: Vec<Board>,
    pub(super) servos: Vec<Servo>,
    pub(super) groups: Vec<String>,
    pub(super) timing: Timing,
}

impl ServoConfig {
    /// Boards in the order of the file.
    pub fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// Servos in the order of the file.
    pub fn servos(&self) -> &[Servo] {
        &self.servos
    }

    /// What the state machine knows of them.
    pub fn joints(&self) -> JointConfig {
        let joints = self.servos.iter().map(|servo| servo.joint.clone()).collect();
        JointConfig { joints, groups: self.groups.clone(), timing: self.timing }
    }

    /// Narrows a servo to its joint's limits (rad): no angle beyond them is ever commanded, though its pulses would
    /// reach further. Returns false, and changes nothing, when there is no such joint or nothing is left of its range.
    pub fn limit_joint(&mut self, joint: &str, lower_rad: f64, upper_rad: f64) -> bool {
        self.servos.iter_mut().find(|servo| servo.joint() == joint).is_some_and(|s| s.narrow(lower_rad, upper_rad))
    }

    /// Group names in the order in which they are switched on (that of their first joint).
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Times and speeds of the state machine.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// These joints alone, in this order, and the boards that they are on: the others need not be there.
    #[must_use]
    pub fn only(&self, joints: &[usize]) -> Self {
        let mut servos: Vec<Servo> = joints.iter().filter_map(|&joint| self.servos.get(joint).cloned()).collect();
        let needed: BTreeSet<usize> = servos.iter().map(|servo| servo.board).collect();
        let boards = needed.iter().filter_map(|&board| self.boards.get(board).copied()).collect();
        for servo in &mut servos {
            servo.board = needed.range(..servo.board).count();
        }
        Self { boards, servos, groups: self.groups.clone(), timing: self.timing }
    }

    /// The same plugs for a bench, where joints have pulses for angles (a radian is a millisecond) and no limits but those
    /// that every pulse has.
    #[must_use]
    pub fn on_bench(&self) -> Self {
        Self { servos: self.servos.iter().filter_map(Servo::on_bench).collect(), ..self.clone() }
    }

    /// Index of a joint by name.
    pub fn joint_index(&self, joint: &str) -> Option<usize> {
        self.servos.iter().position(|servo| servo.joint() == joint)
    }
}
