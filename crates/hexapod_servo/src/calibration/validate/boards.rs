//! Checks of the boards.

use super::bounds::{Findings, finite, note};
use crate::calibration::clock::PwmClock;
use crate::calibration::config::Board;
use crate::calibration::error::ServoConfigError as E;
use crate::calibration::raw::RawBoard;
use crate::pca9685::registers;

/// The boards in the order of the file, none for one that does not hold.
pub(super) fn boards(raw: &[RawBoard], found: &mut Findings) -> Vec<Option<Board>> {
    match raw.len() {
        0 => found.push(E::NoBoards),
        count if count > registers::MAX_BOARDS => {
            found.push(E::TooManyBoards { count });
            return raw.iter().map(|_| None).collect();
        }
        _ => {}
    }
    let mut boards: Vec<Option<Board>> = Vec::with_capacity(raw.len());
    for (index, board) in raw.iter().enumerate() {
        let path = |key: &str| format!("boards[{index}].{key}");
        let valid =
            address(board.address).ok_or_else(|| E::BadAddress { path: path("address"), address: board.address });
        let address = note(found, valid);
        let first = raw[..index].iter().position(|other| other.address == board.address);
        if let (Some(first), Some(_)) = (first, address) {
            found.push(E::DuplicateAddress { path: path("address"), address: board.address, first });
        }
        let clock = note(found, clock(board, path));
        boards.push(address.zip(clock).map(|(address, clock)| Board { address, clock }));
    }
    boards
}

fn address(address: i64) -> Option<u8> {
    let address = u8::try_from(address).ok()?;
    registers::is_board_address(address).then_some(address)
}

fn clock(board: &RawBoard, path: impl Fn(&str) -> String) -> Result<PwmClock, E> {
    let (frequency_hz, oscillator_hz) = (board.pwm_frequency_hz, board.oscillator_hz);
    finite(frequency_hz, || path("pwm_frequency_hz"))?;
    finite(oscillator_hz, || path("oscillator_hz"))?;
    if !(24.0..=1526.0).contains(&frequency_hz) {
        return Err(E::BadFrequency { path: path("pwm_frequency_hz"), frequency_hz });
    }
    if !(20e6..=30e6).contains(&oscillator_hz) {
        return Err(E::BadOscillator { path: path("oscillator_hz"), oscillator_hz });
    }
    PwmClock::nearest(frequency_hz, oscillator_hz).ok_or_else(|| E::FrequencyUnreachable {
        path: path("pwm_frequency_hz"),
        frequency_hz,
        oscillator_hz,
    })
}
