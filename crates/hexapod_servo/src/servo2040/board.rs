//! The board as the driver knows it: whether its relay is closed, what its servos have, whether it answers.

use std::time::Duration;

use super::dialect::Dialect;
use super::link::Link;
use super::outputs::Outputs;
use super::trip::Trip;
use super::trouble::Trouble;
use crate::backend::{Feet, Measured, Service, Tally};
use crate::calibration::{ServoConfig, Touch};
use crate::serial::{Port, PortError};

/// Bits a second of the UART of olli-io's board (`HEXAPOD_UART_BAUD`); USB runs at its own rate, whatever is set.
pub const BAUD: u32 = 460_800;

/// A board with its servos. All of it is one part.
#[derive(Debug)]
pub struct Servo2040<P> {
    pub(super) link: Link<P>,
    pub(super) config: ServoConfig,
    pub(super) outputs: Outputs,
    pub(super) dialect: Option<Dialect>,
    /// The relay is to be open, and kept so.
    pub(super) off: bool,
    pub(super) next_off: Duration,
    /// Since when the relay may be closed.
    pub(super) closed_since: Option<Duration>,
    pub(super) answered_at: Duration,
    pub(super) misses: u8,
    /// How often in a row it said that it has other pulses, and that it has tripped.
    pub(super) altered: u8,
    pub(super) tripped: u8,
    /// The first cause of that.
    pub(super) trip: Option<Trip>,
    /// Whether what is not a pulse is read next.
    pub(super) reads_supply: bool,
    /// What all servos draw, and what they are supplied with.
    pub(super) supply: Measured,
    pub(super) lost: Option<Trouble>,
    /// Where its touch inputs are, if feet have any, and what they said last.
    pub(super) touch: Option<Touch>,
    pub(super) feet: Option<Feet>,
    /// It stands still until then.
    pub(super) busy_until: Duration,
    /// Whether it was sent the command to close its relay, and has acknowledged nothing since.
    pub(super) is_closing: bool,
    /// How often in a row it said that its relay is open, which was closed.
    pub(super) opened: u8,
    /// Whether it answered when it was last asked while off.
    pub(super) answers: bool,
}

impl<P: Port> Servo2040<P> {
    /// The servos of a configuration, by their channels, on a line of `baud` bits a second. Nothing goes over it yet.
    pub fn new(config: &ServoConfig, port: P, baud: u32) -> Self {
        Self {
            link: Link::new(port, baud),
            config: config.clone(),
            outputs: Outputs::new(),
            dialect: None,
            off: true,
            next_off: Duration::ZERO,
            closed_since: None,
            answered_at: Duration::ZERO,
            misses: 0,
            altered: 0,
            tripped: 0,
            trip: None,
            reads_supply: true,
            supply: Measured::default(),
            lost: None,
            touch: None,
            feet: None,
            busy_until: Duration::ZERO,
            is_closing: false,
            opened: 0,
            answers: false,
        }
    }

    /// With touch inputs under feet.
    #[must_use]
    pub fn with_touch(self, touch: Option<Touch>) -> Self {
        Self { touch, ..self }
    }

    /// The servos.
    pub fn config(&self) -> &ServoConfig {
        &self.config
    }

    pub(super) fn state(&self) -> Service {
        match (self.off, self.misses > 0, self.closed_since.is_some()) {
            (true, ..) => Service::Off,
            (false, true, _) => Service::Failing,
            (false, false, true) => Service::Holding,
            (false, false, false) => Service::Ready,
        }
    }

    /// In service from now on.
    pub(super) fn enter_service(&mut self, now: Duration) {
        (self.off, self.answered_at) = (false, now);
        (self.misses, self.altered, self.tripped, self.opened) = (0, 0, 0, 0);
        (self.trip, self.lost) = (None, None);
        (self.busy_until, self.is_closing) = (Duration::ZERO, false);
    }

    /// Commands it off from the next exchange on.
    pub(super) fn leave_service(&mut self) {
        if !self.off {
            (self.off, self.next_off, self.misses) = (true, Duration::ZERO, 0);
            self.outputs.drop_all();
        }
    }

    /// Opens the relay, and says whether the board answers after that, and has it open as far as it says.
    pub(super) fn open_relay(&mut self, tally: &mut Tally) -> Result<bool, PortError> {
        self.link.open_relay(self.dialect, tally)?;
        self.outputs.forget();
        let is_off = self.link.is_off(self.dialect, tally)?;
        self.closed_since = self.closed_since.filter(|_| !is_off);
        // Who does not answer may have become another.
        self.dialect = self.dialect.filter(|_| is_off);
        Ok(is_off)
    }
}
