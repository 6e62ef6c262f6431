//! The board on its line: requests that cost at most a set time, and which firmware answers.

use std::fmt;
use std::time::Duration;

use super::dialect::Dialect;
use super::frame::{CURRENT, Frame, PACKET};
use super::packet::{self, LONGEST_STUFFED, Packets};
use super::reading::{Ask, Reading};
use super::reply::{find, length};
use super::talk::{Asked, answer};
use crate::backend::Tally;
use crate::serial::{Port, PortError, on_the_wire};

/// A board that is silent is waited for no longer: USB takes 1 ms each way, and the board some 0.1 ms.
const WAIT: Duration = Duration::from_millis(4);
/// With enjoykin's firmware it stands still for so long as it switches a servo on.
pub(super) const BUSY: Duration = Duration::from_millis(25);
/// So often a board is asked which firmware it has; two answers in a row must agree.
const ASKED: usize = 6;

/// Where no board answers.
pub const NOBODY: &str = "no Servo2040 with Chica's, olli-io's or enjoykin's firmware answers: check its cable, its supply, the \
                          parameter `port` and, on its UART, baud_rate";

/// A line with a board on it.
#[derive(Debug)]
pub(super) struct Link<P> {
    pub port: P,
    baud: u32,
    /// Until then what was sent is on the wire.
    sent_until: Duration,
    /// The number of the next packet.
    number: u8,
    /// Orders that are not acknowledged yet: the number of the first, and how many.
    orders: (u8, u8),
    /// Whether orders were sent whose acknowledgement was missed.
    is_in_doubt: bool,
}

impl<P: Port> Link<P> {
    pub fn new(port: P, baud: u32) -> Self {
        Self { port, baud: baud.max(1), sent_until: Duration::ZERO, number: 0, orders: (0, 0), is_in_doubt: false }
    }

    /// Sends what nobody answers.
    pub fn send(&mut self, frame: &Frame, tally: &mut Tally) -> Result<(), PortError> {
        self.write(frame.bytes(), tally)
    }

    /// Adds an order to packets that go out next.
    pub fn order(&mut self, packets: &mut Packets, command: u8, payload: &[u8]) {
        if self.orders.1 == 0 {
            self.orders.0 = self.number;
        }
        packets.push(self.number, command, payload);
        self.number = self.number.wrapping_add(1);
        self.orders.1 = self.orders.1.saturating_add(1);
    }

    /// Sends packets, if there are any.
    pub fn send_packets(&mut self, packets: &Packets, tally: &mut Tally) -> Result<(), PortError> {
        if packets.count == 0 { Ok(()) } else { self.write(packets.bytes(), tally) }
    }

    /// Opens the relay, in the language of this firmware; in each, if it is not known.
    pub fn open_relay(&mut self, dialect: Option<Dialect>, tally: &mut Tally) -> Result<(), PortError> {
        let has_packets = dialect.map(Dialect::has_packets);
        let mut sent = Ok(());
        if has_packets != Some(true) {
            sent = self.send(&Frame::relay(false), tally);
        }
        if has_packets != Some(false) {
            let mut packets = Packets::none();
            // Beside it each servo is switched off, for boards without a relay.
            for (command, payload) in [(packet::RELAY, &[0][..]), (packet::RESET, &[])] {
                self.number = packets.push_quiet(self.number, command, payload).wrapping_add(1);
            }
            self.orders.1 = 0;
            sent = sent.and(self.send_packets(&packets, tally));
        }
        sent
    }

    fn write(&mut self, bytes: &[u8], tally: &mut Tally) -> Result<(), PortError> {
        let from = self.sent_until.max(self.port.now());
        self.port.write(bytes).inspect_err(|error| count(*error, tally))?;
        self.sent_until = from + on_the_wire(self.baud, bytes.len());
        tally.bytes += bytes.len() as u64;
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
        self.wait(most, WAIT, tally, read)
    }

    /// Waits for a reply of so many bytes.
    fn wait<T>(
        &mut self,
        most: usize,
        wait: Duration,
        tally: &mut Tally,
        read: impl Fn(&[u8], bool) -> Option<T>,
    ) -> Result<Option<T>, PortError> {
        const ROOM: usize = 6 * PACKET;
        let until = self.port.now().max(self.sent_until) + on_the_wire(self.baud, most) + wait;
        let (mut bytes, mut length, mut is_over) = ([0; ROOM], 0, false);
        // One look after the time is over: what came meanwhile counts, though this process was held up.
        while !is_over {
            is_over = self.port.now() >= until;
            if length == bytes.len() {
                bytes.copy_within(ROOM / 2.., 0);
                length = ROOM / 2;
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
        if dialect.has_packets() {
            return self.read_packets(ask, tally);
        }
        let (first, count) = ask.range(dialect);
        let most = length(dialect, first, count);
        let values = self.ask((first, count), most, tally, |bytes, _| find(bytes, dialect, first, count))?;
        Ok(values.map(|values| Reading::of_values(dialect, first, &values)))
    }

    fn read_packets(&mut self, ask: Ask, tally: &mut Tally) -> Result<Option<Reading>, PortError> {
        let mut packets = Packets::none();
        if matches!(ask, Ask::Everything | Ask::Touch) {
            packets.push(self.number, packet::GET_INPUTS, &[]);
            self.number = self.number.wrapping_add(1);
        }
        let asked = Asked { state: self.number, orders: self.orders };
        packets.push(asked.state, packet::GET_STATE, &[]);
        self.number = self.number.wrapping_add(1);
        let reading = self.send_packets(&packets, tally).and_then(|()| self.wait_for(asked, WAIT, tally));
        let (had_orders, was_in_doubt) = (self.orders.1 > 0, self.is_in_doubt);
        self.orders.1 = 0;
        self.is_in_doubt = !matches!(reading, Ok(Some(_))) && (had_orders || was_in_doubt);
        Ok(reading?.map(|reading| Reading { is_heard: reading.is_heard && !was_in_doubt, ..reading }))
    }

    fn wait_for(&mut self, asked: Asked, wait: Duration, tally: &mut Tally) -> Result<Option<Reading>, PortError> {
        const ACKNOWLEDGED: usize = 9;
        let most = LONGEST_STUFFED + ACKNOWLEDGED * (1 + usize::from(asked.orders.1));
        self.wait(most, wait, tally, |bytes, _| answer(bytes, asked))
    }

    /// The state, asked for so that a board with another firmware takes no byte of it for its own.
    fn state(&mut self, wait: Duration, tally: &mut Tally) -> Result<Option<Reading>, PortError> {
        self.port.discard().inspect_err(|error| count(*error, tally))?;
        let mut packets = Packets::none();
        let state = packets.push_quiet(self.number, packet::GET_STATE, &[]);
        self.number = state.wrapping_add(1);
        self.send_packets(&packets, tally)?;
        self.wait_for(Asked { state, orders: (state, 0) }, wait, tally)
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
            let mut found = self.ask((FIRST, COUNT), length(Dialect::Olli, FIRST, COUNT), tally, read)?;
            if found.is_none() {
                let supply = self.state(WAIT, tally)?.and_then(|reading| reading.supply);
                found = supply.map(|supply| Found { dialect: Dialect::Enjoykin, supply });
            }
            let dialect = found.map(|found| found.dialect);
            if dialect.is_some() && dialect == before {
                return Ok(found);
            }
            before = dialect;
        }
        Ok(None)
    }

    /// Whether a board answers, and does not say that its relay is closed. Whatever it says, it has heard what was sent before.
    pub fn is_off(&mut self, dialect: Option<Dialect>, tally: &mut Tally) -> Result<bool, PortError> {
        let has_packets = dialect.map(Dialect::has_packets);
        let short = length(Dialect::Chica, CURRENT, 2);
        let find = |bytes: &[u8], _| find(bytes, Dialect::Chica, CURRENT, 2);
        if has_packets != Some(true) && self.ask((CURRENT, 2), short, tally, find)?.is_some() {
            return Ok(true);
        }
        let wait = if has_packets == Some(true) { BUSY } else { WAIT };
        let state = if has_packets == Some(false) { None } else { self.state(wait, tally)? };
        Ok(state.is_some_and(|state| state.is_supplied == Some(false)))
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
