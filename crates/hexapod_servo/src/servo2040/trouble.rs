//! Why the board is no longer relied on, in words.

use thiserror::Error;

use super::trip::Trip;
use crate::boards::RESETS_A_BOARD;
use crate::serial::PortError;

/// Why the board is no longer relied on.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub(super) enum Trouble {
    /// It does not answer.
    #[error("the Servo2040 does not answer: check its cable and its supply")]
    Silent,
    /// The line does not work.
    #[error("the Servo2040 cannot be reached: {0}")]
    Line(PortError),
    /// It has switched its relay off by itself.
    #[error("the Servo2040 switched its servos off {0}")]
    Tripped(Trip),
    /// It has forgotten its pulses.
    #[error("the Servo2040 was reset: {RESETS_A_BOARD}")]
    Reset,
    /// A servo has another pulse.
    #[error(
        "channel {channel} of the Servo2040 has a pulse of {read} us, not {expected} us: end every other program that drives it, \
         and check its cable"
    )]
    Altered {
        /// Number of the channel.
        channel: usize,
        /// The pulse it has, us.
        read: u16,
        /// The pulse it was given, us.
        expected: u16,
    },
}
