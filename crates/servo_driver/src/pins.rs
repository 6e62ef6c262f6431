//! Pins beside the bus: output enable (OE) of the boards, a stop button, a battery alarm. Each is there if configured.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is asked of the pins. None of it waits.
pub trait Pins: Send {
    /// Lets the boards' outputs through, or not: OE low, or high.
    fn enable_outputs(&mut self, on: bool);
    /// Whether the stop button is pressed or its wire is broken.
    fn stop_pressed(&mut self) -> bool;
    /// Whether the battery alarm is given.
    fn battery_low(&mut self) -> bool;
    /// Ends a transfer that a board still thinks it is in: nine clocks and a STOP (UM10204, 3.1.16). Takes 0.2 ms; false if
    /// there are no pins for it, or nobody holds the bus.
    fn free_bus(&mut self) -> bool {
        false
    }
}

/// Pins that several threads hold, because they must work when the one that serves the bus hangs in it: whoever wants
/// everything off cuts the outputs himself. None of it waits for the bus.
#[derive(Clone, Default)]
pub struct SharedPins(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    pins: Option<Box<dyn Pins>>,
    cut: bool,
}

impl SharedPins {
    /// These pins from now on.
    pub fn connect(&self, pins: impl Pins + 'static) {
        self.held().pins = Some(Box::new(pins));
    }

    /// Cuts the outputs at once, until they are released.
    pub fn cut(&self) {
        let mut held = self.held();
        held.cut = true;
        held.enable_outputs(false);
    }

    /// Lets [`enable_outputs`](Self::enable_outputs) let them through again, if `allowed` says so. Whoever forbids it in
    /// that moment and cuts afterwards has the last word.
    pub(crate) fn release_if<E>(&self, allowed: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut held = self.held();
        allowed()?;
        held.cut = false;
        Ok(())
    }

    /// Gives the pins back. Outputs are cut first.
    pub fn disconnect(&self) {
        let mut held = self.held();
        held.cut = true;
        held.enable_outputs(false);
        held.pins = None;
    }

    /// Lets the boards' outputs through, or not.
    pub fn enable_outputs(&self, on: bool) {
        let mut held = self.held();
        let on = on && !held.cut;
        held.enable_outputs(on);
    }

    /// Whether the stop button is pressed or its wire is broken.
    #[must_use]
    pub fn stop_pressed(&self) -> bool {
        self.held().pins.as_mut().is_some_and(|pins| pins.stop_pressed())
    }

    /// Whether the battery alarm is given.
    #[must_use]
    pub fn battery_low(&self) -> bool {
        self.held().pins.as_mut().is_some_and(|pins| pins.battery_low())
    }

    /// Clocks a bus free that a board holds low, if there are pins for that; whether it was tried.
    pub(crate) fn free_bus(&self) -> bool {
        self.held().pins.as_mut().is_some_and(|pins| pins.free_bus())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn enable_outputs(&mut self, on: bool) {
        if let Some(pins) = &mut self.pins {
            pins.enable_outputs(on);
        }
    }
}

impl fmt::Debug for SharedPins {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SharedPins").field("cut", &self.held().cut).finish_non_exhaustive()
    }
}

impl<P: Pins> Pins for Option<P> {
    fn enable_outputs(&mut self, on: bool) {
        if let Some(pins) = self {
            pins.enable_outputs(on);
        }
    }

    fn stop_pressed(&mut self) -> bool {
        self.as_mut().is_some_and(P::stop_pressed)
    }

    fn battery_low(&mut self) -> bool {
        self.as_mut().is_some_and(P::battery_low)
    }

    fn free_bus(&mut self) -> bool {
        self.as_mut().is_some_and(P::free_bus)
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
    /// SDA and SCL of the bus, to clock it free.
    pub bus: Option<(u8, u8)>,
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

    /// True if it was active when it was last looked at.
    pub fn is_pending(&self) -> bool {
        self.since.is_some()
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
