//! Pins beside the bus: output enable (OE) of the boards, a stop button, a battery alarm. Each is there if configured.

use std::time::Duration;

/// What the I/O thread asks of the pins. None of it waits.
pub trait Pins: Send {
    /// Lets the boards' outputs through, or not: OE low, or high.
    fn enable_outputs(&mut self, on: bool);
    /// Whether the stop button is pressed or its wire is broken.
    fn stop_pressed(&mut self) -> bool;
    /// Whether the battery alarm is given.
    fn battery_low(&mut self) -> bool;
}

/// Nothing is configured.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPins;

impl Pins for NoPins {
    fn enable_outputs(&mut self, _on: bool) {}

    fn stop_pressed(&mut self) -> bool {
        false
    }

    fn battery_low(&mut self) -> bool {
        false
    }
}

/// Which level of an input means what it is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Number of the pin as the processor's maker counts (BCM).
    pub pin: u8,
    /// True if it is active when high.
    pub active_high: bool,
}

/// The pins in use, by BCM number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinChoice {
    /// Output enable of all boards.
    pub output_enable: Option<u8>,
    /// Stop button.
    pub stop: Option<Input>,
    /// Battery alarm.
    pub battery: Option<Input>,
}

impl PinChoice {
    /// Whether any pin is in use.
    #[must_use]
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// An input counts once it has been active for a while without a break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady {
    hold: Duration,
    since: Option<Duration>,
}

impl Steady {
    pub fn new(hold: Duration) -> Self {
        Self { hold, since: None }
    }

    /// Looks at the input at `now`; true if it counts.
    pub fn sees(&mut self, active: bool, now: Duration) -> bool {
        if !active {
            self.since = None;
            return false;
        }
        now.saturating_sub(*self.since.get_or_insert(now)) >= self.hold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_an_input_bounces_expect_it_to_count_only_after_a_while() {
        let ms = Duration::from_millis;
        let mut steady = Steady::new(ms(10));
        for (at, active, counts) in [
            (0, true, false),
            (9, true, false),
            (10, true, true),
            (11, false, false),
            (12, true, false),
            (21, true, false),
            (22, true, true),
        ] {
            assert_eq!(steady.sees(active, ms(at)), counts, "at {at} ms");
        }
        assert!(Steady::new(ms(0)).sees(true, ms(5)));
    }
}
