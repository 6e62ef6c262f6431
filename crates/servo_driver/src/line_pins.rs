//! Pins that are lines of the GPIO character device.

use crate::gpio_lines::{Line, Place, find};
use crate::outputs::OutputEnable;
use crate::pins::{Holder, Input, Inputs, Lines, PinChoice, PinError, Pins};
use crate::raspberry::BusPins;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The lines of a [`PinChoice`], found.
#[derive(Clone, Debug)]
pub struct LinePlaces(Vec<Place>);

impl LinePlaces {
    /// Looks for them; none is requested.
    pub fn find(choice: &PinChoice) -> Result<Self, PinError> {
        find(choice.numbers()).map(Self)
    }

    /// Where each is, for people.
    pub fn words(&self) -> String {
        self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// That a stranger has one of them, one with whom it cannot be shared first of all.
    pub fn taken(&self, choice: &PinChoice) -> Option<PinError> {
        let taken = self.0.iter().filter_map(|place| place.stranger(choice.output_enable == Some(place.number)));
        taken.min_by_key(|error| error.holder == Some(Holder::Reader))
    }

    fn of(&self, number: u8) -> Option<&Place> {
        self.0.iter().find(|place| place.number == number)
    }
}

/// The pins of a [`PinChoice`], requested.
#[derive(Debug)]
pub struct LinePins {
    output_enable: Option<LineOutput>,
    inputs: LineInputs,
}

impl LinePins {
    /// Requests the lines. Outputs are not let through yet.
    pub fn open(choice: &PinChoice, places: &LinePlaces) -> Result<Self, PinError> {
        let place = |number: u8| places.of(number);
        let input = |of: Option<Input>| {
            let found = of.and_then(|of| Some((place(of.pin)?, of.active_high)));
            found.map(|(place, active_high)| Ok(LineInput { line: place.input()?, active_high })).transpose()
        };
        let is_lost = Arc::<AtomicBool>::default();
        let output_enable = choice.output_enable.and_then(place).map(Place::output_high).transpose()?;
        let output_enable = output_enable.map(|line| LineOutput { line, is_lost: is_lost.clone() });
        // The robot walks without it.
        let bus = choice.bus.and_then(|bus| {
            let refused =
                |error: &PinError| tracing::warn!("a bus that a board holds low is not clocked free: {error}");
            BusPins::open(bus).inspect_err(refused).ok()
        });
        let inputs = LineInputs { stop: input(choice.stop)?, battery: input(choice.battery)?, bus, is_lost };
        Ok(Self { output_enable, inputs })
    }
}

impl Pins for LinePins {
    fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>) {
        (self.output_enable.map(|output| Box::new(output) as Box<dyn OutputEnable>), Box::new(self.inputs))
    }

    fn lines(&self) -> Lines {
        Lines {
            output_enable: self.output_enable.as_ref().map(|output| output.line.file()),
            stop: self.inputs.stop.as_ref().map(|input| input.line.file()),
        }
    }
}

/// OE. High when it is given back, though the kernel may make an input of it then: the resistor keeps it high.
#[derive(Debug)]
struct LineOutput {
    line: Line,
    is_lost: Arc<AtomicBool>,
}

impl OutputEnable for LineOutput {
    fn let_through(&mut self, on: bool) {
        let outcome = self.line.set(!on);
        let is_lost = outcome.is_err();
        if self.is_lost.swap(is_lost, Ordering::SeqCst) != is_lost {
            match outcome {
                Ok(()) => tracing::warn!("OE can be set again"),
                Err(error) => tracing::error!("OE cannot be set ({error}): its GPIO chip has gone; {GONE}"),
            }
        }
    }
}

const GONE: &str = "cut the servos' power, and start again once `gpioinfo` lists the chip";

impl Drop for LineOutput {
    fn drop(&mut self) {
        self.let_through(false);
    }
}

#[derive(Debug)]
struct LineInput {
    line: Line,
    active_high: bool,
}

impl LineInput {
    /// One that cannot be read counts as active: so does a wire that breaks.
    fn is_active(&self) -> bool {
        is_active(self.line.is_high(), self.active_high)
    }
}

fn is_active(high: io::Result<bool>, active_high: bool) -> bool {
    high.map_or(true, |high| high == active_high)
}

#[derive(Debug)]
struct LineInputs {
    stop: Option<LineInput>,
    battery: Option<LineInput>,
    bus: Option<BusPins>,
    /// OE cannot be set any more, so nothing is to move.
    is_lost: Arc<AtomicBool>,
}

impl Inputs for LineInputs {
    fn stop_pressed(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst) || self.stop.as_ref().is_some_and(LineInput::is_active)
    }

    fn battery_low(&self) -> bool {
        self.battery.as_ref().is_some_and(LineInput::is_active)
    }

    fn free_bus(&self) -> bool {
        self.bus.as_ref().is_some_and(BusPins::free)
    }
}

/// OE of a driver that has gone, or stands still. The driver hands its line over, so that the guard can set it while the
/// driver has it; a line that nobody has is requested.
#[derive(Debug)]
pub struct OrphanedLine {
    place: Place,
    held: Mutex<Held>,
}

#[derive(Clone, Debug)]
enum Held {
    /// No driver has handed it over.
    Nothing,
    /// The driver's.
    Line(Line),
    /// It was set high and given back to a driver that ends in order and sets it no more, but may have it for a while.
    GivenBack,
}

impl OrphanedLine {
    /// OE of `choice`, if it has one. It is left as it is.
    pub fn new(choice: &PinChoice, places: &LinePlaces) -> Option<Self> {
        let place = places.of(choice.output_enable?)?.clone();
        Some(Self { place, held: Mutex::new(Held::Nothing) })
    }

    /// Keeps the driver's line.
    pub fn hold(&self, line: Line) {
        self.replace(Held::Line(line));
    }

    /// Whether it has the line of a driver.
    pub fn holds(&self) -> bool {
        matches!(self.held(), Held::Line(_))
    }

    /// Sets OE high.
    pub fn cut(&self) -> Result<(), PinError> {
        let held = self.held();
        if let Held::Line(line) = &held
            && line.set(true).is_ok()
        {
            return Ok(());
        }
        // Let go of at once: the kernel leaves it high, or makes an input of it that the resistor keeps high.
        match self.place.output_high_now() {
            Err(error) if matches!(held, Held::GivenBack) && error.holder == Some(Holder::Hexapod) => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    /// Sets OE high and leaves the line to the next driver.
    pub fn give_back(&self) {
        if let Held::Line(line) = self.held() {
            if let Err(error) = line.set(true) {
                tracing::error!("{} cannot be set: {error}", self.place);
            }
            self.replace(Held::GivenBack);
        }
    }

    /// What is held: never is the lock held while the kernel is at it, for the two threads differ in priority.
    fn held(&self) -> Held {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, held: Held) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }
}

/// The stop button of a driver that has handed its line over.
#[derive(Debug)]
pub struct LineButton {
    active_high: bool,
    held: Option<Line>,
}

impl LineButton {
    /// Nobody has handed it over yet.
    pub fn new(stop: Input) -> Self {
        Self { active_high: stop.active_high, held: None }
    }

    /// Reads this line from now on, or none.
    pub fn hold(&mut self, line: Option<Line>) {
        self.held = line;
    }

    /// Whether it is pressed or its wire is broken.
    pub fn is_pressed(&self) -> bool {
        self.held.as_ref().is_some_and(|line| is_active(line.is_high(), self.active_high))
    }
}
