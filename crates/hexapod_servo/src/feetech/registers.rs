//! Registers of Feetech STS and SMS servos (Feetech's sheets "ST3215 memory table" and "SMS memory table"): decimal
//! addresses as there, two bytes low byte first.

/// Steps of a turn.
pub const STEPS_PER_TURN: f64 = 4096.0;
/// Every servo hears it, and none answers.
pub const BROADCAST: u8 = 0xFE;
/// Greatest ID of one servo.
pub const MAX_ID: u8 = 0xFD;

/// Model number, two bytes.
pub const MODEL: u8 = 3;
/// Lowest and highest goal, two bytes each; both 0: no limits.
pub const ANGLE_LIMITS: u8 = 9;
/// What the goal means: 0 a position.
pub const MODE: u8 = 33;
/// 0: limp, 1: it holds. 128 would shift the servo's zero, and is never written.
pub const TORQUE: u8 = 40;
/// Acceleration, then goal, goal time and goal speed, two bytes each.
pub const ACCELERATION: u8 = 41;
/// Goal, two bytes, sign in bit 15.
pub const GOAL: u8 = 42;
/// Position and speed, two bytes each, sign in bit 15.
pub const PRESENT: u8 = 56;
/// Load, two bytes, sign in bit 10, 0.1 % of full duty.
pub const LOAD: u8 = 60;
/// 0.1 V.
pub const VOLTAGE: u8 = 62;
/// Degrees Celsius.
pub const TEMPERATURE: u8 = 63;
/// Current, two bytes, sign in bit 15.
pub const CURRENT: u8 = 69;
/// Amperes of one count of [`CURRENT`].
pub const AMPERES: f64 = 6.5e-3;

/// From [`TORQUE`] to the last byte of [`CURRENT`]: what a servo is commanded, and what it measures.
pub const STATE_COUNT: usize = (CURRENT + 2 - TORQUE) as usize;

/// A number whose sign is one bit.
pub fn signed(bytes: [u8; 2], sign_bit: u32) -> i32 {
    let raw = i32::from(u16::from_le_bytes(bytes));
    let magnitude = raw & ((1 << sign_bit) - 1);
    if raw >> sign_bit & 1 == 0 { magnitude } else { -magnitude }
}

/// What a servo complains of in the error byte of its replies; it has obeyed all the same. Bit 4 says that torque is on.
pub fn alarms(error: u8) -> impl Iterator<Item = &'static str> {
    let named = [(0, "voltage"), (1, "position sensor"), (2, "temperature"), (3, "current"), (5, "overload")];
    named.into_iter().filter(move |(bit, _)| error >> bit & 1 != 0).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_numbers_have_a_sign_bit_expect_them_signed() {
        assert_eq!(signed([0x00, 0x08], 15), 2048);
        assert_eq!(signed([0x05, 0x80], 15), -5);
        assert_eq!(signed([0x32, 0x04], 10), -50);
        assert_eq!(signed([0xFF, 0x03], 10), 1023);
    }

    #[test]
    fn when_the_error_byte_says_that_torque_is_on_expect_no_alarm() {
        assert_eq!(alarms(0x10).count(), 0);
        assert_eq!(alarms(0x21).collect::<Vec<_>>(), ["voltage", "overload"]);
    }
}
