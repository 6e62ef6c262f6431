//! The validated configuration of all boards and servos.

use super::clock::PwmClock;
use super::error::ServoConfigError;
use super::raw::RawServoConfig;
use super::servo::Servo;
use super::timing::Timing;
use super::validate;

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

    /// Group names in the order in which they are switched on (that of their first joint).
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Times and speeds of the state machine.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// Index of a joint by name.
    pub fn joint_index(&self, joint: &str) -> Option<usize> {
        self.servos.iter().position(|servo| servo.joint == joint)
    }
}

impl TryFrom<RawServoConfig> for ServoConfig {
    type Error = ServoConfigError;

    fn try_from(raw: RawServoConfig) -> Result<Self, ServoConfigError> {
        validate::config(&raw)
    }
}
