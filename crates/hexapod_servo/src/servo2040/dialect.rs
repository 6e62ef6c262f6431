//! What differs between firmwares.

use super::frame::CURRENT;
use super::trip::Trip;

/// Counts a volt of the converter, `b1024_3_3V_RATIO`.
const COUNTS_A_VOLT: f64 = 310.3;

/// Which firmware a board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// EddieCarrera/chica-servo2040-simpleDriver.
    Chica,
    /// olli-io/hexapod-servo2040-driver.
    Olli,
    /// enjoykin/hexapod_servo_driver.
    Enjoykin,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chica, Self::Olli, Self::Enjoykin];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chica => "Chica's",
            Self::Olli => "olli-io's",
            Self::Enjoykin => "enjoykin's",
        }
    }

    /// Whether it speaks in packets, and not in frames of values.
    pub(super) fn has_packets(self) -> bool {
        self == Self::Enjoykin
    }

    /// Whether a reply ends with the exclusive or of its bytes, its highest bit set.
    pub(super) fn has_checksum(self) -> bool {
        self == Self::Olli
    }

    /// How many values it answers of those asked for: Chica says nothing of what it does not measure.
    pub(super) fn answered(self, first: u8, count: u8) -> usize {
        const BEHIND_VOLTAGE: u8 = CURRENT + 2;
        let last = if self == Self::Chica { (first + count).min(BEHIND_VOLTAGE) } else { first + count };
        usize::from(last.saturating_sub(first))
    }

    /// The first and the number of the values that are measured, and the fault word behind them.
    pub(super) fn sensors(self) -> (u8, u8) {
        match self {
            Self::Chica => (CURRENT, 2),
            Self::Olli | Self::Enjoykin => (CURRENT, 4),
        }
    }

    /// Whether a servo can be let go by itself, by a pulse of 0.
    pub(super) fn releases_one(self) -> bool {
        self != Self::Olli
    }

    /// Whether all pulses fit one short frame.
    pub(super) fn has_short_frame(self) -> bool {
        self == Self::Olli
    }

    /// Current of all servos, A: Chica's `CURR_LSb` of 0.0814 A about 512, or 0.01 A.
    pub(super) fn amperes(self, code: u16) -> f64 {
        match self {
            Self::Chica => (f64::from(code) - 512.0) * 0.0814,
            Self::Olli | Self::Enjoykin => f64::from(code) * 0.01,
        }
    }

    /// Supply of the servos, V: Chica's counts, or 0.01 V.
    pub(super) fn volts(self, code: u16) -> f64 {
        match self {
            Self::Chica => f64::from(code) / COUNTS_A_VOLT,
            Self::Olli | Self::Enjoykin => f64::from(code) * 0.01,
        }
    }

    /// Voltage of a touch input, V: both firmwares say what their converter counts.
    pub(super) fn touch_volts(self, code: u16) -> f64 {
        f64::from(code) / COUNTS_A_VOLT
    }

    /// What the fault word says: bit 0 tripped, bits 4 to 13 the current in 0.1 A.
    pub(super) fn trip(word: u16) -> Option<Trip> {
        (word & 1 != 0).then(|| Trip::Current(f64::from(word >> 4 & 0x3FF) * 0.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_codes_are_read_expect_amperes_and_volts_of_each_firmware() {
        // 1.50 A and 8.30 V, the example of olli-io's protocol.md.
        assert!((Dialect::Olli.amperes(150) - 1.5).abs() < 1e-9 && (Dialect::Olli.volts(830) - 8.3).abs() < 1e-9);
        assert!((Dialect::Chica.amperes(530) - 1.4652).abs() < 1e-9);
        assert!((Dialect::Chica.volts(2296) - 7.4).abs() < 0.01);
        assert_eq!(Dialect::trip(0), None);
        assert!(
            Dialect::trip(1 | 2 << 1 | 154 << 4)
                .is_some_and(|trip| matches!(trip, Trip::Current(amperes) if (amperes - 15.4).abs() < 1e-9))
        );
        assert_eq!([Dialect::Chica, Dialect::Olli].map(|dialect| dialect.answered(24, 4)), [2, 4]);
    }
}
