//! A board with any of the firmwares.

use std::time::Duration;

use super::enjoykin::Enjoykin;
use super::firmware::Firmware;
use crate::servo2040::dialect::Dialect;
use crate::servo2040::frame;

/// A board and its servos.
#[derive(Debug)]
pub(super) enum Board {
    Values(Firmware),
    Packets(Enjoykin),
}

impl Board {
    pub fn new(dialect: Dialect) -> Self {
        if dialect.has_packets() { Self::Packets(Enjoykin::new()) } else { Self::Values(Firmware::new(dialect)) }
    }

    /// What bytes make it answer, and until when it stands still before that.
    pub fn hear(&mut self, burst: &[u8], time: Duration) -> (Vec<u8>, Duration) {
        match self {
            Self::Values(board) => (board.hear(burst), time),
            Self::Packets(board) => {
                board.advance_to(time);
                let reply = board.hear(burst, time);
                (reply, board.busy_until.max(time))
            }
        }
    }

    pub fn advance_to(&mut self, time: Duration) {
        if let Self::Packets(board) = self {
            board.advance_to(time);
        }
    }

    pub fn reset(&mut self) {
        match self {
            Self::Values(board) => board.reset(),
            Self::Packets(board) => board.restart(),
        }
    }

    pub fn trip(&mut self, amperes: f64) {
        match self {
            Self::Values(board) => board.trip(amperes),
            Self::Packets(board) => board.trip(4, 0x21, amperes),
        }
    }

    pub fn supply(&mut self, amperes: Option<f64>, volts: Option<f64>) {
        let (present_a, present_v) = match self {
            Self::Values(board) => (&mut board.amperes, &mut board.volts),
            Self::Packets(board) => (&mut board.amperes, &mut board.volts),
        };
        (*present_a, *present_v) = (amperes.unwrap_or(*present_a), volts.unwrap_or(*present_v));
    }

    pub fn press(&mut self, input: usize, pressed: bool) {
        match self {
            Self::Values(board) => board.press(input, pressed),
            Self::Packets(board) => board.pressed[input] = pressed,
        }
    }

    pub fn write(&mut self, channel: usize, pulse_us: u16) {
        match self {
            Self::Values(board) => board.set(channel as u8, &[pulse_us]),
            Self::Packets(board) => board.write(channel, pulse_us),
        }
    }

    pub fn open(&mut self) {
        match self {
            Self::Values(board) => board.set(frame::RELAY, &[0]),
            Self::Packets(board) => board.relay = false,
        }
    }

    pub fn is_supplied(&self) -> bool {
        match self {
            Self::Values(board) => board.relay,
            Self::Packets(board) => board.relay,
        }
    }

    pub fn pulse_us(&self, channel: usize) -> Option<u16> {
        match self {
            Self::Values(board) => board.levels.get(channel).copied().filter(|level| board.relay && *level > 0),
            Self::Packets(board) => board.pulse_us(channel),
        }
    }
}
