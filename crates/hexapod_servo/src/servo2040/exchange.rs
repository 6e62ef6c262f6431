//! What goes to and fro between driver and board in an exchange.

use std::time::Duration;

use super::board::Servo2040;
use super::dialect::Dialect;
use super::frame::{CHANNELS, Frame};
use super::link::BUSY;
use super::outputs::Pulses;
use super::packet::{self, Packets};
use super::reading::Ask;
use crate::backend::{Measured, Tally};
use crate::serial::{Port, PortError};

/// A board that did not answer after its relay was switched off gets the command again after this time.
const OFF_RETRY: Duration = Duration::from_millis(20);
/// And one that did after this: nobody else may switch it on unseen.
const OFF_AGAIN: Duration = Duration::from_millis(400);

/// The pulse that is sent for a servo that is off, us.
const MIDDLE_US: u16 = 1500;

impl<P: Port> Servo2040<P> {
    /// Has it off: at once, again soon if it does not answer, and now and then when it does.
    pub(super) fn keep_off(&mut self, now: Duration, tally: &mut Tally) -> bool {
        if now < self.next_off {
            self.feel(now, tally);
            return true;
        }
        let is_off = self.open_relay(tally).unwrap_or(false);
        self.next_off = now + if is_off { OFF_AGAIN } else { OFF_RETRY };
        self.answers = is_off;
        if is_off && self.touch.is_some() && self.dialect.is_none() {
            self.dialect = self.link.identify(tally).ok().flatten().map(|found| found.dialect);
        }
        is_off
    }

    /// Reads touch inputs while servos are off, from a board that answers: they say more than the gait's plan then, too.
    fn feel(&mut self, now: Duration, tally: &mut Tally) {
        let Some(dialect) = self.dialect.filter(|_| self.answers && self.touch.is_some()) else { return };
        let reading = self.link.read(dialect, Ask::Touch, tally);
        self.answers = matches!(reading, Ok(Some(_)));
        if let Ok(Some(reading)) = reading {
            self.note(&reading, now);
        }
    }

    /// The traffic of one tick in service: whether it answered.
    pub(super) fn serve(&mut self, now: Duration, tally: &mut Tally) -> Result<bool, PortError> {
        let Some(dialect) = self.dialect else { return Ok(false) };
        if now < self.busy_until {
            return Ok(true);
        }
        match self.drive(dialect, now, tally) {
            // Where nothing may move, the board can be asked all the same.
            Ok(()) | Err(PortError::GaveWay) => {}
            failed => failed?,
        }
        if now < self.busy_until {
            return Ok(true);
        }
        self.reads_supply = !self.reads_supply || self.closed_since.is_none();
        let ask = match (&self.touch, self.reads_supply) {
            (Some(_), _) => Ask::Everything,
            (None, _) if dialect.has_packets() => Ask::Pulses,
            (None, true) => Ask::Supply,
            (None, false) => Ask::Pulses,
        };
        let reading = self.link.read(dialect, ask, tally)?;
        reading.inspect(|reading| self.note(reading, now));
        Ok(reading.is_some())
    }

    /// Gives the servos their pulses, and all of them their supply or none.
    fn drive(&mut self, dialect: Dialect, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let next = self.outputs.next(dialect);
        if !self.outputs.is_wanted() {
            if self.closed_since.is_some() {
                self.link.open_relay(Some(dialect), tally)?;
                (self.closed_since, self.supply) = (None, Measured::default());
                self.outputs.forget();
            }
            return Ok(());
        }
        let is_open = self.closed_since.is_none();
        if !is_open && !self.outputs.is_due(&next) {
            return Ok(());
        }
        let sent = if dialect.has_packets() {
            self.send_packets(&next, is_open, now, tally)
        } else {
            self.send(dialect, &next, is_open, tally)
        };
        if sent != Err(PortError::GaveWay) {
            // What failed may have been heard.
            self.closed_since = self.closed_since.or(Some(now));
            self.outputs.note(next);
        }
        sent.inspect_err(|_| self.outputs.repeat())
    }

    /// The relay is closed while all servos are off, and they are switched on one by one: the board stands still for each. A
    /// servo turns to the pulse that the board has for it then, which comes to the one it was given at the board's pace.
    fn send_packets(&mut self, next: &Pulses, closes: bool, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let mut packets = Packets::none();
        if closes {
            self.outputs.forget();
            self.is_closing = true;
            // What it let go for before, as that there was no supply behind an open relay, is over.
            self.link.order(&mut packets, packet::RESET, &[]);
        }
        for channel in self.outputs.leaving(next) {
            self.link.order(&mut packets, packet::ENABLE, &[channel as u8, 0]);
            self.outputs.note_switched(channel, false);
        }
        let mut targets = [0; 2 * CHANNELS];
        for (channel, (bytes, pulse)) in (0..).zip(targets.chunks_exact_mut(2).zip(next)) {
            let pulse_us = pulse.or(self.outputs.given(channel)).unwrap_or(MIDDLE_US);
            bytes.copy_from_slice(&pulse_us.to_le_bytes());
        }
        self.link.order(&mut packets, packet::SET_TARGETS, &targets);
        if closes {
            self.link.order(&mut packets, packet::RELAY, &[1]);
        }
        if let Some(channel) = self.outputs.next_on(next) {
            self.link.order(&mut packets, packet::ENABLE, &[channel as u8, 1]);
            self.outputs.note_switched(channel, true);
            self.busy_until = now + BUSY;
        }
        self.link.send_packets(&packets, tally)
    }

    fn send(&mut self, dialect: Dialect, next: &Pulses, closes: bool, tally: &mut Tally) -> Result<(), PortError> {
        let pulses = next.map(Option::unwrap_or_default);
        if dialect.releases_one() {
            let relay = if closes { Frame::relay(true) } else { Frame::empty() };
            return self.link.send(&relay.and_pulses(0, &pulses), tally);
        }
        if closes {
            self.link.send(&Frame::relay(true), tally)?;
        }
        if dialect.has_short_frame() && next.iter().all(Option::is_some) {
            return self.link.send(&Frame::all(&pulses), tally);
        }
        let mut channel = 0;
        while channel < CHANNELS {
            let run = next[channel..].iter().take_while(|pulse| pulse.is_some()).count();
            let (frame, count) = Frame::run(channel, &pulses[channel..channel + run]);
            if count > 0 {
                self.link.send(&frame, tally)?;
            }
            channel += count.max(1);
        }
        Ok(())
    }
}
