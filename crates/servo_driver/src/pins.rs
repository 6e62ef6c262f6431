//! Pins beside the bus: output enable (OE) of the boards, a stop button, a battery alarm. Each is there if configured.

use crate::outputs::{OutputEnable, Outputs};
use std::fmt;
use std::fs::File;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What is read of the pins, and how a bus is clocked free. None of it waits.
pub trait Inputs: Send + Sync {
    /// Whether the stop button is pressed or its wire is broken.
    fn stop_pressed(&self) -> bool;
    /// Whether the battery alarm is given.
    fn battery_low(&self) -> bool;
    /// Ends a transfer that a board still thinks it is in: nine clocks and a STOP (UM10204, 3.1.16). Takes 0.2 ms; false if
    /// there are no pins for it, or nobody holds the bus.
    fn free_bus(&self) -> bool {
        false
    }
}

/// Pins beside the bus.
pub trait Pins: Send {
    /// OE, if it is wired, and what is read.
    fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>);
    /// What whoever guards this process needs of them.
    fn lines(&self) -> Lines {
        Lines::default()
    }
}

/// GPIO lines that the kernel gives to one process, which hands them to those who guard it: whoever has the file has the
/// line, and it stays requested until the last has closed it.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// OE.
    pub output_enable: Option<Arc<File>>,
    /// The stop button.
    pub stop: Option<Arc<File>>,
}

/// A pin could not be had.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what} cannot be used ({reason}); {remedy}")]
pub struct PinError {
    /// Which one.
    pub what: String,
    /// Why.
    pub reason: String,
    /// What to do.
    pub remedy: String,
    /// Who has it, if somebody has.
    pub holder: Option<Holder>,
}

/// Who has a pin that could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A driver, or the guard that keeps its line.
    Hexapod,
    /// Another program, which only reads what is to be read here, too: both may.
    Reader,
    /// Another program, and who drives the pin would be the one or the other.
    Stranger,
}

/// Pins that several threads use, because they must work when the one that serves the bus hangs in it: whoever wants
/// everything off cuts the outputs himself. Nobody waits for the bus, or for another thread.
#[derive(Clone, Default)]
pub struct SharedPins(Arc<Shared>);

#[derive(Default)]
struct Shared {
    outputs: Outputs<Box<dyn OutputEnable>>,
    inputs: OnceLock<Box<dyn Inputs>>,
    lines: Mutex<Lines>,
}

impl SharedPins {
    /// These pins from now on; the first stay.
    pub fn connect(&self, pins: impl Pins) {
        let lines = pins.lines();
        let (output_enable, inputs) = pins.split();
        if self.0.inputs.set(inputs).is_ok() {
            *self.0.lines.lock().unwrap_or_else(PoisonError::into_inner) = lines;
            output_enable.into_iter().for_each(|output_enable| self.0.outputs.connect(output_enable));
        }
    }

    /// What those who guard this process need.
    pub(crate) fn lines(&self) -> Lines {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Cuts the outputs at once, until they are released.
    pub fn cut(&self) {
        self.0.outputs.cut();
    }

    /// Lets [`enable_outputs`](Self::enable_outputs) let them through again, if `allowed` says so. Whoever forbids it in
    /// that moment and cuts afterwards has the last word.
    pub(crate) fn release_if<E>(&self, allowed: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        self.0.outputs.release_if(allowed)
    }

    /// Gives OE back, cut.
    pub fn disconnect(&self) {
        self.0.outputs.disconnect();
        *self.0.lines.lock().unwrap_or_else(PoisonError::into_inner) = Lines::default();
    }

    /// Lets the boards' outputs through, or not.
    pub fn enable_outputs(&self, on: bool) {
        self.0.outputs.enable(on);
    }

    /// Whether the stop button is pressed or its wire is broken.
    #[must_use]
    pub fn stop_pressed(&self) -> bool {
        self.0.inputs.get().is_some_and(|inputs| inputs.stop_pressed())
    }

    /// Whether the battery alarm is given.
    #[must_use]
    pub fn battery_low(&self) -> bool {
        self.0.inputs.get().is_some_and(|inputs| inputs.battery_low())
    }

    /// Clocks a bus free that a board holds low, if there are pins for that; whether it was tried.
    pub(crate) fn free_bus(&self) -> bool {
        self.0.inputs.get().is_some_and(|inputs| inputs.free_bus())
    }
}

impl fmt::Debug for SharedPins {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SharedPins").field("cut", &self.0.outputs.is_cut()).finish_non_exhaustive()
    }
}

impl OutputEnable for Box<dyn OutputEnable> {
    fn let_through(&mut self, on: bool) {
        (**self).let_through(on);
    }
}

/// Nothing is wired.
struct Nothing;

impl Inputs for Nothing {
    fn stop_pressed(&self) -> bool {
        false
    }

    fn battery_low(&self) -> bool {
        false
    }
}

impl<P: Pins> Pins for Option<P> {
    fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>) {
        self.map_or_else(|| (None, Box::new(Nothing) as Box<dyn Inputs>), P::split)
    }

    fn lines(&self) -> Lines {
        self.as_ref().map(P::lines).unwrap_or_default()
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

impl Input {
    /// The level at which it is active, as a parameter says it.
    pub(crate) fn level(self) -> &'static str {
        if self.active_high { "high" } else { "low" }
    }
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
    /// How they are reached.
    pub access: PinAccess,
}

/// How pins are reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PinAccess {
    /// Through the character device where its lines are found, else through the registers.
    #[default]
    Auto,
    /// `/dev/gpiochip*`.
    CharacterDevice,
    /// The processor's registers, with rppal.
    Registers,
}

impl PinAccess {
    /// The names that a parameter may have.
    pub(crate) const NAMES: [&str; 3] = ["auto", "character_device", "registers"];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        let [auto, lines, registers] = Self::NAMES;
        match self {
            Self::Auto => auto,
            Self::CharacterDevice => lines,
            Self::Registers => registers,
        }
    }

    /// The one of a name.
    pub(crate) fn of(name: &str) -> Self {
        let each = [Self::Auto, Self::CharacterDevice, Self::Registers];
        each.into_iter().find(|access| access.name() == name).unwrap_or_default()
    }
}

impl PinChoice {
    /// The same without inputs.
    pub(crate) fn output_enable_only(self) -> Self {
        Self { output_enable: self.output_enable, access: self.access, ..Self::default() }
    }

    /// Whether any pin is in use.
    #[must_use]
    pub fn any(&self) -> bool {
        self.bus.is_some() || self.numbers().next().is_some()
    }

    /// Those that are set or read, without the bus's own.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u8> {
        [self.output_enable, self.stop.map(|stop| stop.pin), self.battery.map(|battery| battery.pin)]
            .into_iter()
            .flatten()
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
