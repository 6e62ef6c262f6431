//! Register numbers and bits (datasheet section 7.3, table 4).

/// Channels of one board.
pub const CHANNELS: usize = 16;
/// Boards one bus can hold: 64 addresses less the two that are taken at power-up (7.1).
pub const MAX_BOARDS: usize = 62;
/// Counts of one PWM period.
pub const COUNTS_PER_PERIOD: u16 = 4096;
/// Least prescaler the hardware takes (7.3.5).
pub const PRESCALE_MIN: u8 = 3;
/// LED All Call address after power-up (7.1.2), seven bits.
pub const ALL_CALL_ADDRESS: u8 = 0x70;

/// Mode register 1 (7.3.1).
pub const MODE1: u8 = 0x00;
/// Mode register 2 (7.3.2).
pub const MODE2: u8 = 0x01;
/// LED All Call address register (7.3.7), address shifted left by one.
pub const ALLCALLADR: u8 = 0x05;
/// First register of channel 0 (7.3.3).
pub const LED0_ON_L: u8 = 0x06;
/// Last register of channel 15; auto-increment goes from here to MODE1 (7.2).
pub const LED15_OFF_H: u8 = 0x45;
/// OFF_H of all channels at once (7.3.4).
pub const ALL_LED_OFF_H: u8 = 0xFD;
/// Prescaler, writable in SLEEP only (7.3.5).
pub const PRE_SCALE: u8 = 0xFE;

/// MODE1: PWM was running when SLEEP was set (7.3.1.1).
pub const MODE1_RESTART: u8 = 0x80;
/// MODE1: register number counts up after each byte.
pub const MODE1_AUTO_INCREMENT: u8 = 0x20;
/// MODE1: oscillator off.
pub const MODE1_SLEEP: u8 = 0x10;
/// MODE1: answers to the LED All Call address.
pub const MODE1_ALL_CALL: u8 = 0x01;
/// MODE2: totem pole outputs. All other bits stay 0: outputs change on STOP, are not inverted, and are low under OE.
pub const MODE2_TOTEM_POLE: u8 = 0x04;
/// OFF_H: channel always off; wins over full-on (7.3.3).
pub const FULL_OFF: u8 = 0x10;

/// MODE1 of a board in service.
pub const MODE1_RUNNING: u8 = MODE1_AUTO_INCREMENT | MODE1_ALL_CALL;

/// ON_L register of a channel.
pub const fn on_l(channel: u8) -> u8 {
    LED0_ON_L + 4 * channel
}

/// OFF_L register of a channel.
pub const fn off_l(channel: u8) -> u8 {
    on_l(channel) + 2
}

/// OFF_H register of a channel.
pub const fn off_h(channel: u8) -> u8 {
    on_l(channel) + 3
}

/// The solder jumpers that a board of this address has closed, as they are called on it: `A0 and A2`; none for 0x40.
pub fn jumpers(address: u8) -> String {
    let closed = (0..6).filter(|bit| address & (1 << bit) != 0).map(|bit| format!("A{bit}"));
    closed.collect::<Vec<_>>().join(" and ")
}

/// True for an address a board can be strapped to and that is not the All Call address (7.1.1).
pub const fn is_board_address(address: u8) -> bool {
    address >= 0x40 && address <= 0x7F && address != ALL_CALL_ADDRESS
}
