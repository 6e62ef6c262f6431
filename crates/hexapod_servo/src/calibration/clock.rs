//! The PWM clock of one board (datasheet section 7.3.5).

use crate::pca9685::registers::{COUNTS_PER_PERIOD, PRESCALE_MIN};

/// Prescaler of a board and what follows from it: the frequency really reached and the length of one count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PwmClock {
    prescale: u8,
    oscillator_hz: f64,
}

impl PwmClock {
    /// The prescaler nearest to `frequency_hz`: `round(oscillator / (4096 f)) - 1`, equation 1 of the datasheet.
    /// `None` if that is not in 3..=255 or a number is not finite.
    pub fn nearest(frequency_hz: f64, oscillator_hz: f64) -> Option<Self> {
        let prescale = (oscillator_hz / (f64::from(COUNTS_PER_PERIOD) * frequency_hz)).round() - 1.0;
        let in_range = (f64::from(PRESCALE_MIN)..=255.0).contains(&prescale);
        (in_range && oscillator_hz.is_finite()).then_some(Self { prescale: prescale as u8, oscillator_hz })
    }

    /// Value of the PRE_SCALE register.
    pub fn prescale(&self) -> u8 {
        self.prescale
    }

    /// Frequency of the board's oscillator, in hertz.
    pub fn oscillator_hz(&self) -> f64 {
        self.oscillator_hz
    }

    /// The PWM frequency this prescaler gives, in hertz.
    pub fn frequency_hz(&self) -> f64 {
        self.count_hz() / f64::from(COUNTS_PER_PERIOD)
    }

    /// Length of one PWM period in microseconds.
    pub fn period_us(&self) -> f64 {
        1e6 / self.frequency_hz()
    }

    /// Counts per microsecond.
    pub fn counts_per_us(&self) -> f64 {
        self.count_hz() * 1e-6
    }

    fn count_hz(&self) -> f64 {
        self.oscillator_hz / (f64::from(self.prescale) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_frequency_is_ordinary_expect_datasheet_prescaler() {
        let check = |frequency_hz, prescale| {
            assert_eq!(PwmClock::nearest(frequency_hz, 25e6).map(|clock| clock.prescale()), prescale);
        };
        check(200.0, Some(30)); // equation 2 of the datasheet
        check(50.0, Some(121));
        check(1526.0, Some(3));
        check(24.0, Some(253));
        check(23.0, None);
        check(2000.0, None);
        check(f64::NAN, None);
        check(0.0, None);
        check(-50.0, None);
    }

    #[test]
    fn when_oscillator_is_fast_expect_counts_to_follow() {
        let clock = PwmClock::nearest(50.0, 26.4e6).expect("in range");
        assert_eq!(clock.prescale(), 128);
        assert!((clock.counts_per_us() - 26.4 / 129.0).abs() < 1e-12);
        assert!((clock.period_us() * clock.frequency_hz() - 1e6).abs() < 1e-6);
    }
}
