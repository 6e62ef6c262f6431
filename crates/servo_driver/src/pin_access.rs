//! How pins are reached, chosen at run time: as lines of the GPIO character device, or through the processor's registers.

use crate::gpio_lines::Line;
use crate::line_pins::{LineButton, LinePins, LinePlaces, OrphanedLine};
use crate::outputs::OutputEnable;
use crate::pins::{Inputs, Lines, PinAccess, PinChoice, PinError, Pins};
use crate::raspberry::{OrphanedRegisters, RaspberryPins, RegisterButton};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// The way to the pins of a [`PinChoice`].
#[derive(Clone, Debug)]
pub(crate) enum Way {
    Lines(LinePlaces),
    /// Why not as lines, if that was tried.
    Registers(Option<String>),
}

impl Way {
    /// Chooses it. Nothing is opened for use.
    ///
    /// # Errors
    /// There are to be lines, and one is not found.
    pub fn of(choice: &PinChoice) -> Result<Self, PinError> {
        if choice.numbers().next().is_none() {
            return Ok(Self::Registers(None));
        }
        match choice.access {
            PinAccess::Registers => Ok(Self::Registers(None)),
            PinAccess::CharacterDevice => LinePlaces::find(choice).map(Self::Lines),
            PinAccess::Auto => match LinePlaces::find(choice) {
                Ok(places) => Ok(Self::Lines(places)),
                Err(error) => Ok(Self::Registers(Some(format!("{}: {}", error.what, error.reason)))),
            },
        }
    }

    /// It, for people.
    pub fn words(&self) -> String {
        match self {
            Self::Lines(places) => places.words(),
            Self::Registers(None) => "registers, with rppal".into(),
            Self::Registers(Some(reason)) => format!("registers, with rppal (not the character device: {reason})"),
        }
    }
}

/// The pins of a choice, opened.
#[derive(Debug)]
pub struct HeaderPins {
    pins: EitherPins,
    words: String,
}

#[derive(Debug)]
enum EitherPins {
    Lines(LinePins),
    Registers(RaspberryPins),
}

impl HeaderPins {
    /// Claims the pins. Outputs are not let through yet.
    ///
    /// # Errors
    /// One of them cannot be had.
    pub fn open(choice: PinChoice) -> Result<Self, PinError> {
        let way = Way::of(&choice)?;
        let pins = match &way {
            Way::Lines(places) => EitherPins::Lines(LinePins::open(&choice, places)?),
            Way::Registers(reason) => EitherPins::Registers(
                RaspberryPins::open(choice).map_err(|error| and_why_not_lines(error, reason.as_deref()))?,
            ),
        };
        Ok(Self { pins, words: way.words() })
    }

    /// How they are reached, for people.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }
}

fn and_why_not_lines(error: PinError, reason: Option<&str>) -> PinError {
    let Some(lines) = reason else { return error };
    PinError { reason: format!("{}; nor through the character device: {lines}", error.reason), ..error }
}

impl Pins for HeaderPins {
    fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>) {
        match self.pins {
            EitherPins::Lines(pins) => pins.split(),
            EitherPins::Registers(pins) => pins.split(),
        }
    }

    fn lines(&self) -> Lines {
        match &self.pins {
            EitherPins::Lines(pins) => pins.lines(),
            EitherPins::Registers(pins) => pins.lines(),
        }
    }
}

/// How the pins of `choice` would be reached, if it has any; none is requested.
///
/// # Errors
/// One of them cannot be had, and why.
pub(crate) fn look(choice: &PinChoice) -> Option<Result<String, PinError>> {
    choice.any().then(|| {
        let way = Way::of(choice)?;
        match &way {
            Way::Lines(places) => places.taken().map_or(Ok(()), Err)?,
            Way::Registers(reason) => {
                RaspberryPins::look(choice).map_err(|error| and_why_not_lines(error, reason.as_deref()))?;
            }
        }
        Ok(way.words())
    })
}

/// OE of a driver that has gone, or stands still.
#[derive(Debug)]
pub(crate) struct OrphanedOutputs {
    pin: OrphanedPin,
    /// The last attempt failed.
    is_failing: AtomicBool,
}

#[derive(Debug)]
enum OrphanedPin {
    Line(OrphanedLine),
    Registers(OrphanedRegisters),
}

impl OrphanedOutputs {
    /// Sees that the pin of `choice` can be had, and leaves it as it is.
    pub fn open(choice: &PinChoice) -> Result<Option<Self>, PinError> {
        let Some(output_enable) = choice.output_enable else { return Ok(None) };
        let pin = match Way::of(choice)? {
            Way::Lines(places) => OrphanedLine::new(choice, &places).map(OrphanedPin::Line),
            Way::Registers(reason) => OrphanedRegisters::open(output_enable)
                .map(|registers| Some(OrphanedPin::Registers(registers)))
                .map_err(|error| and_why_not_lines(error, reason.as_deref()))?,
        };
        Ok(pin.map(|pin| Self { pin, is_failing: AtomicBool::new(false) }))
    }

    /// Sets OE high, and leaves it so: the next driver takes it from there. Says so if it cannot.
    pub fn cut(&self) {
        let outcome = match &self.pin {
            OrphanedPin::Line(line) => line.cut(),
            OrphanedPin::Registers(registers) => registers.cut(),
        };
        // Attempts follow each other closely.
        if !self.is_failing.swap(outcome.is_err(), Ordering::SeqCst)
            && let Err(error) = outcome
        {
            tracing::error!("OE is not cut: {error}");
        }
    }

    /// Keeps the line that a driver has handed over.
    pub fn hold(&self, file: OwnedFd) {
        if let OrphanedPin::Line(line) = &self.pin {
            line.hold(Line::from(file));
        }
    }

    /// Whether it keeps such a line.
    pub fn holds(&self) -> bool {
        matches!(&self.pin, OrphanedPin::Line(line) if line.holds())
    }

    /// Leaves such a line to the next driver, high.
    pub fn give_back(&self) {
        if let OrphanedPin::Line(line) = &self.pin {
            line.give_back();
        }
    }
}

/// The stop button, for whoever guards the driver that reads it, too.
#[derive(Debug)]
pub(crate) enum StopButton {
    Line(LineButton),
    Registers(RegisterButton),
}

impl StopButton {
    /// That of `choice`, if it has one.
    pub fn open(choice: &PinChoice) -> Result<Option<Self>, PinError> {
        let Some(stop) = choice.stop else { return Ok(None) };
        match Way::of(choice)? {
            Way::Lines(_) => Ok(Some(Self::Line(LineButton::new(stop)))),
            Way::Registers(reason) => RegisterButton::open(stop)
                .map(|button| Some(Self::Registers(button)))
                .map_err(|error| and_why_not_lines(error, reason.as_deref())),
        }
    }

    /// Whether it is pressed or its wire is broken.
    pub fn is_pressed(&self) -> bool {
        match self {
            Self::Line(button) => button.is_pressed(),
            Self::Registers(button) => button.is_pressed(),
        }
    }

    /// Reads the line that a driver has handed over, or none any more.
    pub fn hold(&mut self, file: Option<OwnedFd>) {
        if let Self::Line(button) = self {
            button.hold(file.map(Line::from));
        }
    }
}
