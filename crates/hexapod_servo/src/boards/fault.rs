//! What can be wrong with a board.

use thiserror::Error;

use crate::pca9685::BusError;

/// What usually resets a board, and what helps.
pub const RESETS_A_BOARD: &str =
    "usually its supply sank (brown-out) as servos drew current: check battery, wires and plugs";

/// Why a board is no longer relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Fault {
    /// A board failed for longer than 60 ms, retries included.
    #[error("board lost: {0}")]
    BoardLost(BusError),
    /// A register of a board reads otherwise than written: it was reset or had a brown-out.
    #[error(
        "board {address:#04x} was reset: register {register:#04x} reads {read:#04x}, not {expected:#04x}; {}",
        RESETS_A_BOARD
    )]
    BoardReset {
        /// Address of the board.
        address: u8,
        /// Register read.
        register: u8,
        /// Its value.
        read: u8,
        /// The value it must have.
        expected: u8,
    },
    /// LED registers of a board read otherwise than written: somebody else writes to it, or it lost them.
    #[error(
        "board {address:#04x} was changed by somebody else: channel {channel} reads {read:02x?}, not {expected:02x?}; \
         end every other program that drives the boards"
    )]
    OutputChanged {
        /// Address of the board.
        address: u8,
        /// Number of the channel.
        channel: u8,
        /// ON_L, ON_H, OFF_L and OFF_H as read.
        read: [u8; 4],
        /// What they must be.
        expected: [u8; 4],
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_board_was_reset_expect_what_usually_does_that() {
        let commanded = Fault::BoardReset { address: 0x40, register: 0, read: 0x11, expected: 0x21 }.to_string();
        let what = "board 0x40 was reset: register 0x00 reads 0x11, not 0x21; usually its supply sank (brown-out)";
        assert!(commanded.starts_with(what), "{commanded}");
    }
}
