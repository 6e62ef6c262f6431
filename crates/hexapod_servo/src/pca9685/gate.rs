//! What a transfer does: which writes let a servo have a pulse.

use embedded_hal::i2c::Operation;

use super::registers::{ALL_CALL_ADDRESS, ALL_LED_OFF_H, FULL_OFF, LED0_ON_L, LED15_OFF_H, off_h};
use crate::backend::Effect;

/// What a transfer does to servos. To all boards at once nobody but a stop speaks.
pub fn effect(address: u8, operations: &[Operation<'_>]) -> Effect {
    let asks = |operation: &Operation<'_>| matches!(operation, Operation::Write(bytes) if asks_for_pulse(bytes));
    match operations.iter().any(asks) {
        true => Effect::Motion,
        false if address == ALL_CALL_ADDRESS => Effect::Stop,
        false => Effect::Other,
    }
}

/// Whether a write, register number first, leaves any channel without full-off: then its servo may get a pulse. All
/// other writes only ever take pulses away.
fn asks_for_pulse(write: &[u8]) -> bool {
    let Some((&first, values)) = write.split_first() else { return false };
    (usize::from(first)..).zip(values).any(|(register, value)| is_off_h(register) && value & FULL_OFF == 0)
}

fn is_off_h(register: usize) -> bool {
    let channels = usize::from(LED0_ON_L)..=usize::from(LED15_OFF_H);
    let of_channel = channels.contains(&register) && register % 4 == usize::from(off_h(0)) % 4;
    of_channel || register == usize::from(ALL_LED_OFF_H)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pca9685::registers::{MODE1, PRE_SCALE, off_l};

    #[test]
    fn when_a_write_switches_a_channel_on_expect_it_seen_wherever_it_stands_in_the_burst() {
        for channel in 0..16 {
            assert!(asks_for_pulse(&[off_l(channel), 0x33, 0x01]));
            assert!(!asks_for_pulse(&[off_l(channel), 0x33, FULL_OFF]));
        }
        assert!(asks_for_pulse(&[LED0_ON_L, 0, 0, 0x33, FULL_OFF, 0, 0, 0x33, 0x01]));
        assert!(asks_for_pulse(&[ALL_LED_OFF_H, 0]));
    }

    #[test]
    fn when_a_write_only_takes_pulses_away_or_prepares_a_board_expect_it_let_through() {
        let mut start = vec![LED0_ON_L];
        start.extend([[0, 0, 0, FULL_OFF]; 16].concat());
        for write in [&start[..], &[ALL_LED_OFF_H, FULL_OFF], &[MODE1, 0x21], &[PRE_SCALE, 121], &[0x05, 0xE0], &[]] {
            assert!(!asks_for_pulse(write), "{write:02x?}");
        }
    }
}
