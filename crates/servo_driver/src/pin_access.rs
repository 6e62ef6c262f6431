//! How pins are reached, chosen at run time: as lines of the GPIO character device, or through the processor's registers.

use crate::gpio_lines::Line;
use crate::line_pins::{LineButton, LinePins, LinePlaces, OrphanedLine};
use crate::outputs::OutputEnable;
use crate::pins::{Holder, Inputs, Lines, PinAccess, PinChoice, PinError, Pins};
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
            PinAccess::CharacterDevice | PinAccess::Auto => LinePlaces::find(choice)
                .map_or_else(|error| Self::instead(choice, error), |places| Ok(Self::Lines(places))),
        }
    }

    /// The same for who uses them: lines that a stranger has are none. An input that he only reads is shared through
    /// registers, but OE that somebody else sets, too, cuts nothing for sure.
    fn unless_taken(choice: &PinChoice) -> Result<Self, PinError> {
        let way = Self::of(choice)?;
        let Self::Lines(places) = &way else { return Ok(way) };
        places.taken(choice).map_or(Ok(way.clone()), |error| Self::instead(choice, error))
    }

    /// Registers instead of lines that cannot be had, where that may be.
    fn instead(choice: &PinChoice, error: PinError) -> Result<Self, PinError> {
        let is_held = error.holder.is_some_and(|holder| holder != Holder::Reader);
        if choice.access != PinAccess::Auto || is_held {
            return Err(error);
        }
        Ok(Self::Registers(Some(format!("{}: {}", error.what, error.reason))))
    }

    /// An error of the registers, and why it is not lines.
    fn why(&self, error: PinError) -> PinError {
        let Self::Registers(Some(lines)) = self else { return error };
        PinError { reason: format!("{}; nor through the character device: {lines}", error.reason), ..error }
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
        match Way::unless_taken(&choice)? {
            Way::Lines(places) => match LinePins::open(&choice, &places) {
                Ok(pins) => Ok(Self { pins: EitherPins::Lines(pins), words: places.words() }),
                Err(error) => Self::by_registers(choice, &Way::instead(&choice, error)?),
            },
            way => Self::by_registers(choice, &way),
        }
    }

    fn by_registers(choice: PinChoice, way: &Way) -> Result<Self, PinError> {
        let pins = RaspberryPins::open(choice).map_err(|error| way.why(error))?;
        Ok(Self { pins: EitherPins::Registers(pins), words: way.words() })
    }

    /// How they are reached, for people.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }
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
        let way = Way::unless_taken(choice)?;
        if let Way::Registers(_) = way {
            RaspberryPins::look(choice).map_err(|error| way.why(error))?;
        }
        Ok(way.words())
    })
}

/// OE of a driver that has gone, or stands still.
#[derive(Debug)]
pub(crate) struct OrphanedOutputs {
    line: Option<OrphanedLine>,
    /// Where there is a line, for a driver that has it and stands still before it could hand it over.
    registers: Option<OrphanedRegisters>,
    /// The last attempt failed.
    is_failing: AtomicBool,
}

impl OrphanedOutputs {
    /// Sees that the pin of `choice` can be had, and leaves it as it is.
    pub fn open(choice: &PinChoice) -> Result<Option<Self>, PinError> {
        let Some(output_enable) = choice.output_enable else { return Ok(None) };
        let registers = OrphanedRegisters::open(output_enable);
        let (line, registers) = match Way::of(choice)? {
            Way::Lines(places) => {
                (OrphanedLine::new(choice, &places), registers.ok().filter(|_| choice.access == PinAccess::Auto))
            }
            way @ Way::Registers(_) => (None, Some(registers.map_err(|error| way.why(error))?)),
        };
        Ok(Some(Self { line, registers, is_failing: AtomicBool::new(false) }))
    }

    /// Sets OE high, and leaves it so: the next driver takes it from there. Says so if it cannot.
    pub fn cut(&self) {
        let by_registers = || self.registers.as_ref().map(OrphanedRegisters::cut);
        let outcome = match self.line.as_ref().map(OrphanedLine::cut) {
            // A stranger's pin is his.
            Some(Err(error)) if error.holder != Some(Holder::Stranger) => by_registers().unwrap_or(Err(error)),
            Some(outcome) => outcome,
            None => by_registers().unwrap_or(Ok(())),
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
        if let Some(line) = &self.line {
            line.hold(Line::from(file));
        }
    }

    /// Whether it keeps such a line.
    pub fn holds(&self) -> bool {
        self.line.as_ref().is_some_and(OrphanedLine::holds)
    }

    /// Leaves such a line to the next driver, high.
    pub fn give_back(&self) {
        self.line.iter().for_each(OrphanedLine::give_back);
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
            way @ Way::Registers(_) => {
                RegisterButton::open(stop).map(|button| Some(Self::Registers(button))).map_err(|error| way.why(error))
            }
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
