//! The servo configuration with every key of every servo, before any check. Numbers are wide on purpose, so that a value
//! out of range reaches our own message instead of serde's.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::pca9685::registers;

/// Servos that a Servo2040 has room for.
pub const SERVO2040_CHANNELS: usize = 18;

/// The whole of `config/servos.yaml`, kinds and defaults filled in ([`ServoFile`](super::ServoFile)).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RawServoConfig {
    /// PCA9685 boards; servos name them by their index in this list.
    pub boards: Vec<RawBoard>,
    /// One entry per joint, in the order that gives joints their index.
    pub servos: ServoMap,
    /// Times and speeds of the state machine; every key has a default.
    pub timing: RawTiming,
}

/// One PCA9685 board.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a board such as {address: 0x40, pwm_frequency_hz: 50.0}")]
pub struct RawBoard {
    /// Seven-bit I2C address, 0x40..=0x7f without 0x70 (ALLCALL).
    pub address: i64,
    /// PWM frequency wished for in hertz, 24..=1526.
    #[serde(default = "default_frequency_hz")]
    pub pwm_frequency_hz: f64,
    /// Measured frequency of the board's oscillator in hertz (nominally 25 MHz).
    #[serde(default = "default_oscillator_hz")]
    pub oscillator_hz: f64,
    /// Its channels.
    #[serde(skip, default = "default_channels")]
    pub channels: usize,
}

impl RawBoard {
    /// In place of a Servo2040, whose pulses come every 20 ms: it has no address.
    pub(super) fn servo2040() -> Self {
        const ADDRESS: i64 = 0x40;
        let (pwm_frequency_hz, oscillator_hz) = (default_frequency_hz(), default_oscillator_hz());
        Self { address: ADDRESS, pwm_frequency_hz, oscillator_hz, channels: SERVO2040_CHANNELS }
    }
}

/// One servo: where it is plugged in and how its pulses map to joint angles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RawServo {
    /// Index into `boards`.
    pub board: i64,
    /// Channel of the board, 0..=15; 0..=17 of a Servo2040.
    pub channel: i64,
    /// Pulse at two or more servo angles, angles rising; linear between them and beyond the ends.
    /// Servo angle = `direction * (joint angle + trim_rad)`.
    pub points: Vec<RawPoint>,
    /// `-1` for a servo mounted the other way round, so that its angles are the joint's negated; 1 otherwise.
    pub direction: i64,
    /// Added to every joint angle before the points are looked up, in radians.
    pub trim_rad: f64,
    /// Shortest pulse ever sent, in microseconds.
    pub min_pulse_us: f64,
    /// Longest pulse ever sent, in microseconds.
    pub max_pulse_us: f64,
    /// Pulse at which the horn is mounted, in microseconds; by default 1500 if the limits allow it, else their middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neutral_us: Option<f64>,
    /// Fastest the servo is ever commanded to turn, in radians per second.
    pub speed_limit_rad_s: f64,
    /// Servos of one group are switched on together; by default the joint's name before its last `_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// One measured point of a servo.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a point such as {angle_rad: 0.0, pulse_us: 1500.0}")]
pub struct RawPoint {
    /// Servo angle in radians (the joint's angle if `direction` is 1 and `trim_rad` 0).
    pub angle_rad: f64,
    /// Pulse length at that angle in microseconds.
    pub pulse_us: f64,
}

/// Times and speeds of the state machine, see [`Timing`](crate::joints::Timing) for their meaning.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawTiming {
    /// Age in seconds at which commands are stale and the driver holds.
    pub command_timeout_s: f64,
    /// Seconds of holding after which the robot is asked to sit; 0 means never.
    pub sit_after_s: f64,
    /// Seconds of holding after which everything is switched off; 0 means never.
    pub relax_after_s: f64,
    /// Seconds between the switching on of one group and the next.
    pub group_interval_s: f64,
    /// Speed in radians per second of the first motion after arming or holding.
    pub soft_start_rad_s: f64,
    /// Arming is refused if a joint is commanded farther than this from where it was last commanded to be, in radians.
    pub pose_tolerance_rad: f64,
    /// A servo commanded to be farther than this from what is asked for is strained, in radians.
    pub stall_error_rad: f64,
    /// Seconds of strain, less rest, that are a fault; 0 means never.
    pub stall_after_s: f64,
    /// Seconds after a fault at which the boards that still answer are switched off too; 0 means at once.
    pub fault_off_after_s: f64,
}

impl Default for RawTiming {
    fn default() -> Self {
        Self {
            command_timeout_s: 0.25,
            sit_after_s: 1.0,
            relax_after_s: 30.0,
            group_interval_s: 0.1,
            soft_start_rad_s: 0.5,
            pose_tolerance_rad: 1.6,
            stall_error_rad: 0.35,
            stall_after_s: 20.0,
            fault_off_after_s: 5.0,
        }
    }
}

/// The `servos` mapping in the order of the file, a joint written twice included, so that the check can name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServoMap(pub Vec<(String, RawServo)>);

impl Serialize for ServoMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (joint, servo) in &self.0 {
            map.serialize_entry(joint, servo)?;
        }
        map.end()
    }
}

fn default_frequency_hz() -> f64 {
    50.0
}

fn default_oscillator_hz() -> f64 {
    25_000_000.0
}

fn default_channels() -> usize {
    registers::CHANNELS
}
