//! Bringing a board into service, and asking whether it still is.

use std::time::Duration;

use embedded_hal::i2c::I2c;

use super::link::{BusError, Link};
use super::registers::*;
use super::shadow::Shadow;

/// Time to leave between [`wake`] and the first pulse. The oscillator needs 500 us (7.3.1.1).
pub const SETTLE: Duration = Duration::from_millis(5);

/// Prepares a board and leaves it asleep with all channels full-off: whatever it did before stops with the first
/// three bytes. Then SLEEP with auto-increment (7.3.1), the All Call address (7.3.7), outputs that change on STOP
/// (7.3.2), the prescaler, which only a sleeping board takes (7.3.5), and ON of every channel in one burst.
pub fn start<B: I2c>(shadow: &mut Shadow, prescale: u8, link: &mut Link<'_, B>) -> Result<(), BusError> {
    let address = shadow.address();
    shadow.all_off(link)?;
    shadow.forget();
    link.write(address, &[MODE1, MODE1_RUNNING | MODE1_SLEEP])?;
    link.write(address, &[ALLCALLADR, ALL_CALL_ADDRESS << 1])?;
    link.write(address, &[MODE2, MODE2_TOTEM_POLE])?;
    link.write(address, &[PRE_SCALE, prescale])?;
    let mut bytes = [0; 1 + 4 * CHANNELS];
    bytes[0] = LED0_ON_L;
    for (channel, registers) in bytes[1..].chunks_exact_mut(4).enumerate() {
        let [on_l, on_h] = shadow.on(channel as u8).to_le_bytes();
        registers.copy_from_slice(&[on_l, on_h, 0, FULL_OFF]);
    }
    link.write(address, &bytes)?;
    shadow.note_started();
    Ok(())
}

/// Starts the oscillator. No pulse may be asked for until [`SETTLE`] later. RESTART (7.3.1.1) is not needed: the
/// writes of [`start`] have cleared it.
pub fn wake<B: I2c>(address: u8, link: &mut Link<'_, B>) -> Result<(), BusError> {
    link.write(address, &[MODE1, MODE1_RUNNING])
}

/// Compares MODE1 or PRE_SCALE of a board in service with what it must be: `Ok(Some(value))` is a register that reads
/// otherwise, as after a reset.
pub fn verify<B: I2c>(address: u8, register: u8, expected: u8, link: &mut Link<'_, B>) -> Result<Option<u8>, BusError> {
    let value = link.read(address, register)?;
    Ok((value != expected).then_some(value))
}

/// ON_L, ON_H, OFF_L and OFF_H of a channel as the board has them.
pub fn read_channel<B: I2c>(address: u8, channel: u8, link: &mut Link<'_, B>) -> Result<[u8; 4], BusError> {
    let mut registers = [0; 4];
    link.read_into(address, on_l(channel), &mut registers)?;
    Ok(registers)
}

/// Switches every channel of every board off with one frame of three bytes to the All Call address (7.1.2, 7.3.4).
/// One board's acknowledge is enough for success, so each board is to be asked again by itself.
pub fn all_call_off<B: I2c>(link: &mut Link<'_, B>) -> Result<(), BusError> {
    link.write(ALL_CALL_ADDRESS, &[ALL_LED_OFF_H, FULL_OFF])
}
