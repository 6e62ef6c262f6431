//! The serial line, and requests on it that cost at most a set time.

use std::time::Duration;

use thiserror::Error;

use super::block::Block;
use super::frame::{Frame, Protocol};
use super::parser::{Parser, Reply};
use crate::backend::Tally;

/// A half-duplex serial line, and the clock that its waiting goes by.
pub trait Port {
    /// Time on a monotonic clock.
    fn now(&self) -> Duration;

    /// Sends all of a frame.
    ///
    /// # Errors
    /// The line cannot be used, or it gave way to a stop.
    fn write(&mut self, frame: &[u8]) -> Result<(), PortError>;

    /// Waits until something comes in, at most until `until`; returns how many bytes, 0 if nothing came yet.
    ///
    /// # Errors
    /// The line cannot be used, or it gave way to a stop.
    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError>;

    /// Waits until then.
    fn pause(&mut self, until: Duration);

    /// Drops what has come in and nobody read.
    ///
    /// # Errors
    /// The line cannot be used.
    fn discard(&mut self) -> Result<(), PortError>;
}

/// A line that cannot be used at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PortError {
    /// A stop waits.
    #[error("gave way to a stop")]
    GaveWay,
    /// The adapter is gone. The port is opened anew once it is back.
    #[error("its serial port is gone: check the plug of the adapter")]
    Gone,
    /// The adapter fails: the number of the system's error, if it has one.
    #[error("the serial port fails{}", describe(*.0))]
    Failed(Option<i32>),
}

fn describe(code: Option<i32>) -> String {
    code.map_or(String::new(), |code| format!(" (system error {code})"))
}

/// A servo that is silent is waited for no longer: its reply begins within 0.1 ms, and an adapter on USB adds 1 to 2 ms.
const WAIT: Duration = Duration::from_millis(3);
/// Bits of a byte on the wire.
const BITS: u32 = 10;

/// Requests and replies on a line.
#[derive(Debug)]
pub struct Line<P> {
    port: P,
    protocol: Protocol,
    parser: Parser,
    baud: u32,
    /// Until then what was sent is on the wire: a port takes it at once.
    sent_until: Duration,
    /// Until then servos may be answering a request that was given up.
    busy_until: Duration,
}

impl<P: Port> Line<P> {
    /// Requests of a protocol on this line, which runs at `baud` bits a second.
    pub fn new(port: P, protocol: Protocol, baud: u32) -> Self {
        let [sent_until, busy_until] = [Duration::ZERO; 2];
        Self { port, protocol, parser: Parser::new(protocol), baud: baud.max(1), sent_until, busy_until }
    }

    /// The same line with another protocol.
    #[must_use]
    pub fn speaking(self, protocol: Protocol) -> Self {
        Self { parser: Parser::new(protocol), protocol, ..self }
    }

    /// The line itself.
    pub fn port_mut(&mut self) -> &mut P {
        &mut self.port
    }

    /// The line itself, for another use.
    pub fn into_port(self) -> P {
        self.port
    }

    /// Bytes that came in and belonged to no frame.
    pub fn skipped(&self) -> u64 {
        self.parser.skipped()
    }

    /// When all that was sent is through.
    pub fn free_at(&self) -> Duration {
        self.sent_until.max(self.port.now())
    }

    /// Time that so many bytes take on the wire.
    fn on_the_wire(&self, bytes: usize) -> Duration {
        on_the_wire(self.baud, bytes)
    }

    /// Sends what nobody answers.
    ///
    /// # Errors
    /// As [`Port::write`].
    pub fn send(&mut self, frame: &mut Frame, tally: &mut Tally) -> Result<(), PortError> {
        let bytes = frame.finish();
        let from = self.sent_until.max(self.port.now());
        self.port.write(bytes).inspect_err(|error| count_error(*error, tally))?;
        self.sent_until = from + self.on_the_wire(bytes.len());
        tally.bytes += bytes.len() as u64;
        tally.transactions += 1;
        Ok(())
    }

    /// Sends what nobody answers and must be heard: once more where servos were answering meanwhile, for what two say at once
    /// on one wire nobody hears.
    ///
    /// # Errors
    /// As [`Port::write`], if neither could be sent.
    pub fn send_over(&mut self, frame: &mut Frame, tally: &mut Tally) -> Result<(), PortError> {
        let at_once = self.send(frame, tally);
        if self.port.now() >= self.busy_until {
            return at_once;
        }
        self.port.pause(self.busy_until);
        self.send(frame, tally).or(at_once)
    }

    /// Sends a request, and hands each reply of `length` values to `hear`, until it has taken `replies` of them for its own or the time for that is
    /// over: that of all bytes on the wire, and one `WAIT`. Requests are distinguished by the length of their replies, so that one
    /// that comes too late is not taken for that of the next request. What the adapter echoes, replies that nobody asked for and
    /// garbage are passed over. Returns how many replies came.
    ///
    /// # Errors
    /// As [`Port::write`] and [`Port::read`].
    pub fn ask(
        &mut self,
        frame: &mut Frame,
        (replies, length): (usize, usize),
        tally: &mut Tally,
        mut hear: impl FnMut(Reply<'_>) -> bool,
    ) -> Result<usize, PortError> {
        self.parser.clear();
        self.port.discard().inspect_err(|error| count_error(*error, tally))?;
        self.send(frame, tally)?;
        let request = frame.finish();
        let wire = self.on_the_wire(replies * (length + self.protocol.overhead()));
        let until = self.port.now().max(self.sent_until) + wire + WAIT;
        self.busy_until = until;
        let (mut heard, mut is_over) = (0, false);
        loop {
            while let Some(found) = self.parser.next_frame() {
                let answer = Reply::of(self.protocol, found);
                let answer =
                    answer.filter(|reply| self.protocol.answers(request, found) && reply.values.len() == length);
                if let Some(answer) = answer {
                    tally.bytes += found.len() as u64;
                    heard += usize::from(hear(answer));
                }
            }
            if heard >= replies {
                self.busy_until = Duration::ZERO;
                return Ok(heard);
            }
            // One look after the time is over: what came meanwhile counts, though this process was held up. No more than one,
            // however much comes.
            if !is_over {
                is_over = self.port.now() >= until;
                let room = self.parser.room();
                let count = self.port.read(room, until).inspect_err(|error| count_error(*error, tally))?;
                self.parser.take(count);
                continue;
            }
            // What looked like a header may have been none.
            if !self.parser.give_up() {
                tally.nacks += (replies - heard) as u64;
                return Ok(heard);
            }
        }
    }

    /// Whether a servo's registers are answered twice: two servos with its ID may do so one after the other. Once may be a reply
    /// to an earlier request that comes late.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub(super) fn is_answered_twice(&mut self, id: u8, block: Block) -> Result<bool, PortError> {
        let mut frame = Frame::read(self.protocol, id, block);
        let replies = (2, usize::from(block.count));
        let mut is_twice = || Ok(self.ask(&mut frame, replies, &mut Tally::default(), |reply| reply.id == id)? > 1);
        Ok(is_twice()? && (is_twice()? || is_twice()?))
    }
}

/// Time that so many bytes take on a wire.
pub(crate) fn on_the_wire(baud: u32, bytes: usize) -> Duration {
    Duration::from_nanos(1_000_000_000 / u64::from(baud.max(1)) * u64::from(BITS) * bytes as u64)
}

fn count_error(error: PortError, tally: &mut Tally) {
    tally.bus_errors += u64::from(error != PortError::GaveWay);
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Fault, Simulated};
    use super::*;
    use crate::feetech::STS;

    fn read(first: u16, count: u8) -> Frame {
        Frame::read(Protocol::One, 1, Block::new(first, count))
    }

    fn ask(line: &mut Line<Simulated>, frame: &mut Frame, length: usize) -> usize {
        line.ask(frame, (1, length), &mut Tally::default(), |_| true).expect("works")
    }

    #[test]
    fn when_a_reply_comes_too_late_expect_it_not_taken_for_that_of_the_next_request() {
        let servos = Simulated::new(&STS, [1], 1_000_000);
        let mut line = Line::new(servos.clone(), Protocol::One, 1_000_000);
        servos.inject(Fault::Late(Duration::from_millis(4)));
        assert_eq!(ask(&mut line, &mut read(3, 32), 32), 0);
        assert_eq!(ask(&mut line, &mut read(40, 31), 31), 0, "its own is late, too");
        servos.inject(Fault::Late(Duration::ZERO));
        servos.advance_to(Duration::from_secs(1));
        assert_eq!(ask(&mut line, &mut read(40, 31), 31), 1);
    }

    #[test]
    fn when_a_reply_of_another_servo_comes_late_expect_it_not_taken_for_that_of_the_one_asked() {
        let servos = Simulated::new(&STS, [1, 2], 1_000_000);
        let mut line = Line::new(servos.clone(), Protocol::One, 1_000_000);
        let mut asked = |id, slow| {
            servos.inject(Fault::Slow(Duration::from_micros(slow)));
            let mut frame = Frame::read(Protocol::One, id, Block::new(40, 31));
            line.ask(&mut frame, (1, 31), &mut Tally::default(), |reply| reply.id == id).expect("works")
        };
        assert_eq!([asked(1, 3500), asked(2, 1000), asked(1, 1000)], [0, 1, 1]);
    }

    #[test]
    fn when_a_reply_comes_late_once_expect_one_servo_and_two_where_there_are_two() {
        let servos = Simulated::new(&STS, [1], 1_000_000);
        let mut line = Line::new(servos.clone(), Protocol::One, 1_000_000);
        let present = Block::new(56, 15);
        servos.inject(Fault::Slow(Duration::from_micros(3500)));
        let mut frame = Frame::read(Protocol::One, 1, present);
        assert_eq!(line.ask(&mut frame, (1, 15), &mut Tally::default(), |_| true), Ok(0));
        servos.inject(Fault::Slow(Duration::from_micros(500)));
        assert_eq!(line.is_answered_twice(1, present), Ok(false));
        servos.inject(Fault::Twice(1, true));
        assert_eq!(line.is_answered_twice(1, present), Ok(true));
    }

    /// A line on which garbage never ends, and a clock that goes on with each look.
    struct Flood(Duration);

    impl Port for Flood {
        fn now(&self) -> Duration {
            self.0
        }

        fn write(&mut self, _: &[u8]) -> Result<(), PortError> {
            Ok(())
        }

        fn read(&mut self, into: &mut [u8], _: Duration) -> Result<usize, PortError> {
            self.0 += Duration::from_micros(100);
            into.fill(0xFF);
            Ok(into.len())
        }

        fn pause(&mut self, until: Duration) {
            self.0 = self.0.max(until);
        }

        fn discard(&mut self) -> Result<(), PortError> {
            Ok(())
        }
    }

    #[test]
    fn when_garbage_never_ends_expect_a_request_to_end_in_its_time() {
        let mut line = Line::new(Flood(Duration::ZERO), Protocol::One, 1_000_000);
        let heard = line.ask(&mut read(40, 31), (1, 31), &mut Tally::default(), |_| true);
        assert_eq!(heard, Ok(0));
        assert!(line.port_mut().now() < Duration::from_millis(5));
    }
}
