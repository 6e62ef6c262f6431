//! The board on its line: requests that cost at most a set time, and which firmware answers.

use std::fmt;
use std::time::Duration;

use super::dialect::Dialect;
use super::frame::{CURRENT, Frame, PACKET};
use super::reading::{Ask, Reading};
use super::reply::{find, length};
use crate::backend::Tally;
use crate::serial::{Port, PortError, on_the_wire};

/// A board that is silent is waited for no longer: USB takes 1 ms each way, and the board some 0.1 ms.
const WAIT: Duration = Duration::from_millis(4);
/// So often a board is asked which firmware it has; two answers in a row must agree.
const ASKED: usize = 6;

/// Where no board answers.
pub const NOBODY: &str = "no Servo2040 with Chica's or olli-io's firmware answers: check its cable, its supply, the parameter \
                          `port` and, on its UART, baud_rate";

/// A line with a board on it.
#[derive(Debug)]
pub(super) struct Link<P> {
    pub port: P,
    baud: u32,
    /// Until then what was sent is on the wire.
    sent_until: Duration,
}

impl<P: Port> Link<P> {
    pub fn new(port: P, baud: u32) -> Self {
        Self { port, baud: baud.max(1), sent_until: Duration::ZERO }
    }

    /// Sends what nobody answers.
    pub fn send(&mut self, frame: &Frame, tally: &mut Tally) -> Result<(), PortError> {
        let from = self.sent_until.max(self.port.now());
        self.port.write(frame.bytes()).inspect_err(|error| count(*error, tally))?;
        self.sent_until = from + on_the_wire(self.baud, frame.bytes().len());
        tally.bytes += frame.bytes().len() as u64;
        tally.transactions += 1;
        Ok(())
    }

    /// Sends a request, and hands all bytes that have come in to `read`, with whether the time for so many bytes is over, until it
    /// has read what it wants or that is so.
    fn ask<T>(
        &mut self,
        (first, asked): (u8, u8),
        most: usize,
        tally: &mut Tally,
        read: impl Fn(&[u8], bool) -> Option<T>,
    ) -> Result<Option<T>, PortError> {
        self.port.discard().inspect_err(|error| count(*error, tally))?;
        self.send(&Frame::get(first, asked), tally)?;
        let until = self.port.now().max(self.sent_until) + on_the_wire(self.baud, most) + WAIT;
        let (mut bytes, mut length, mut is_over) = ([0; 2 * PACKET], 0, false);
        // One look after the time is over: what came meanwhile counts, though this process was held up.
        while !is_over {
            is_over = self.port.now() >= until;
            if length == bytes.len() {
                bytes.copy_within(PACKET.., 0);
                length = PACKET;
            }
            let came = self.port.read(&mut bytes[length..], until).inspect_err(|error| count(*error, tally))?;
            length += came;
            if let Some(found) = read(&bytes[..length], is_over) {
                tally.bytes += length as u64;
                return Ok(Some(found));
            }
        }
        tally.nacks += 1;
        Ok(None)
    }

    /// What the board says, if it answers.
    pub fn read(&mut self, dialect: Dialect, ask: Ask, tally: &mut Tally) -> Result<Option<Reading>, PortError> {
        let (first, count) = ask.range(dialect);
        let most = length(dialect, first, count);
        let values = self.ask((first, count), most, tally, |bytes, _| find(bytes, dialect, first, count))?;
        Ok(values.map(|values| Reading::of_values(dialect, first, &values)))
    }

    /// Which firmware answers, and what: of current, voltage, relay and fault word Chica says the first two alone, without a
    /// checksum, so that no loss of a byte makes one look like the other. What ends there is waited for as long as the rest
    /// would take.
    pub fn identify(&mut self, tally: &mut Tally) -> Result<Option<Found>, PortError> {
        const FIRST: u8 = CURRENT;
        const COUNT: u8 = 4;
        let read = |bytes: &[u8], is_over: bool| {
            let as_of = |dialect| {
                let values = find(bytes, dialect, FIRST, COUNT)?;
                let supply = Reading::of_values(dialect, FIRST, &values).supply;
                Some(Found { dialect, supply: supply.unwrap_or_default() })
            };
            let is_short = is_over && bytes.len() == length(Dialect::Chica, FIRST, COUNT);
            as_of(Dialect::Olli).or_else(|| as_of(Dialect::Chica).filter(|_| is_short))
        };
        let mut before = None;
        for _ in 0..ASKED {
            let found = self.ask((FIRST, COUNT), length(Dialect::Olli, FIRST, COUNT), tally, read)?;
            let dialect = found.map(|found| found.dialect);
            if dialect.is_some() && dialect == before {
                return Ok(found);
            }
            before = dialect;
        }
        Ok(None)
    }

    /// Whether any board answers. Whatever it says, it has heard what was sent before.
    pub fn is_there(&mut self, tally: &mut Tally) -> Result<bool, PortError> {
        let short = length(Dialect::Chica, CURRENT, 2);
        Ok(self.ask((CURRENT, 2), short, tally, |bytes, _| find(bytes, Dialect::Chica, CURRENT, 2))?.is_some())
    }
}

fn count(error: PortError, tally: &mut Tally) {
    tally.bus_errors += u64::from(error != PortError::GaveWay);
}

/// A board that answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its firmware.
    pub dialect: Dialect,
    supply: (f64, f64),
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (amperes, volts) = self.supply;
        write!(formatter, "{} firmware, ", self.dialect.name())?;
        // As behind an open relay.
        if volts < 1.0 {
            return formatter.write_str("no voltage at its servos");
        }
        write!(formatter, "{volts:.1} V, {amperes:.1} A")
    }
}

/// Asks a board which firmware it has; only reads, and moves nothing. `None` if none of those that are known answers.
///
/// # Errors
/// The line cannot be used.
pub fn identify<P: Port>(port: P, baud: u32) -> Result<Option<Found>, PortError> {
    Link::new(port, baud).identify(&mut Tally::default())
}
