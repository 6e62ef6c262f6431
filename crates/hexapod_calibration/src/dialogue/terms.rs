//! What passes between the dialogue and whoever carries it.

pub use crate::mover::Pace;
use hexapod_servo::calibration::ServoConfigError;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Pulses are found.
    Calibrate,
    /// Three angles of each joint are looked at again.
    Verify,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Is it the right joint, and does it turn the right way?
    Test,
    /// The stop on the side of smaller angles.
    Minus,
    /// The stop on the side of greater angles.
    Plus,
    /// The joint at this angle, in radians.
    Set(f64),
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key {
    /// Pulses on; when they are, stay, or go to where the joint was held or is to be held.
    Hold,
    /// Towards plus (1) or minus (-1).
    Push(f64, Pace),
    /// That is it.
    Accept,
    /// It turned as drawn.
    Yes,
    /// It turned the other way.
    Wrong,
    /// Another joint moved.
    Other,
    /// The joint does not get to the angle that is asked for.
    Cannot,
    /// Back to the step before.
    Back,
    /// Another joint: the next, or the one before.
    Joint(isize),
    /// Pulses off.
    Off,
}

/// What came of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to keep.
    Same,
    /// Something was found: keep the progress.
    Found,
    /// The configuration changed for this joint, which is done: write it.
    Joint(usize),
    /// The plugs of two joints were swapped: write the configuration.
    Swapped(usize, usize),
    /// A joint was looked at again and nothing was wrong: keep the progress.
    Verified(usize),
}

/// What one channel is to put out; all others: nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Commanded {
    /// Number of the board in the file.
    pub board: usize,
    /// Its channel.
    pub channel: u8,
    /// Pulse in microseconds, a whole number of the board's counts.
    pub pulse_us: f64,
    /// The pulse to go back to when nothing is heard of the dialogue any more.
    pub rest_us: f64,
}

/// Why there is nothing to calibrate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DialogueError {
    /// The servos do not hold.
    #[error(transparent)]
    Servos(#[from] ServoConfigError),
    /// A servo is of another robot.
    #[error("servos.{0}: the robot has no such joint; the servo map is for another robot")]
    NoSuchJoint(String),
}
