//! What is made of what the board says, and of its silence.

use std::time::Duration;

use super::board::Servo2040;
use super::dialect::Dialect;
use super::frame::CHANNELS;
use super::outputs::Mismatch;
use super::reading::Reading;
use super::trip::Trip;
use super::trouble::Trouble;
use crate::backend::{Feet, Sample};
use crate::serial::{Port, PortError};

/// A board that has not answered for so long is lost, once it was missed so often.
const LOST_AFTER: Duration = Duration::from_millis(80);
const MISSES: u8 = 3;
/// So often in a row the board must say what is wrong before it is believed: Chica's replies have no checksum.
const BELIEVED: u8 = 3;
/// The supply is there so long after the relay was closed.
const SUPPLIED: Duration = Duration::from_millis(100);

impl<P: Port> Servo2040<P> {
    /// Notes what it says.
    pub(super) fn note(&mut self, reading: &Reading, now: Duration) {
        if let Some((touch, touched)) = self.touch.as_ref().zip(reading.touch) {
            self.feet = Some(Feet { pressed: touched.pressed(touch), at: now });
        }
        if let Some(pulses) = reading.pulses.filter(|_| !self.off) {
            self.note_pulses(&pulses, reading);
        }
        if !self.off {
            self.note_relay(reading);
        }
        if let Some(supply) = reading.supply {
            self.note_supply(supply, now);
            self.note_trip(reading.trip.filter(|_| !self.off));
        }
    }

    /// Judges what it says of its servos' pulses: what was lost is sent again.
    fn note_pulses(&mut self, pulses: &[u16; CHANNELS], reading: &Reading) {
        let has_packets = self.dialect.is_some_and(Dialect::has_packets);
        let found =
            if has_packets { self.outputs.follow(pulses, reading.is_cut) } else { self.outputs.mismatch(pulses) };
        let Some(Mismatch { channel, read, expected }) = found else {
            self.altered = 0;
            return;
        };
        // Sent again, pulses of a board that was reset would be there and its relay open: no garbage has so many zeros.
        if !has_packets && self.outputs.are_gone(pulses) {
            self.lost = Some(Trouble::Reset);
            return;
        }
        self.outputs.repeat();
        self.altered += 1;
        if self.altered >= BELIEVED {
            self.lost = Some(Trouble::Altered { channel, read, expected });
        }
    }

    /// Judges what it says of its relay and its servos, if it does: what was lost is sent again. But a relay that was closed and
    /// is open stays so: who opened it may have meant it.
    fn note_relay(&mut self, reading: &Reading) {
        self.outputs.acknowledge(reading.is_heard);
        if !reading.is_heard {
            self.outputs.repeat();
        }
        let is_open = reading.is_supplied == Some(false) && self.closed_since.is_some() && reading.trip.is_none();
        let is_lost = is_open && self.is_closing && !reading.is_heard;
        self.is_closing &= !reading.is_heard;
        if is_lost {
            self.closed_since = None;
            self.outputs.forget();
            return;
        }
        self.opened = if is_open { self.opened.saturating_add(1) } else { 0 };
        if self.opened >= BELIEVED {
            self.lost = Some(Trouble::Reset);
        } else if reading.any_off && !is_open && reading.trip.is_none() {
            self.outputs.doubt();
        }
    }

    fn note_supply(&mut self, (amperes, volts): (f64, f64), now: Duration) {
        let sample = |value| Some(Sample { value, at: now });
        if self.closed_since.is_some_and(|since| now.saturating_sub(since) >= SUPPLIED) {
            self.supply.current_a = sample(amperes.max(0.0));
            self.supply.voltage_v = sample(volts);
        }
    }

    fn note_trip(&mut self, trip: Option<Trip>) {
        match trip {
            Some(trip) if self.closed_since.is_some() => {
                self.tripped += 1;
                // What it said first was measured then: it measures nothing once it has let go.
                let trip = *self.trip.get_or_insert(trip);
                if self.tripped >= BELIEVED {
                    self.lost = Some(Trouble::Tripped(trip));
                }
            }
            _ => (self.tripped, self.trip) = (0, None),
        }
    }

    /// Judges an exchange in service. True if it answered.
    pub(super) fn judge(&mut self, now: Duration, result: Result<bool, PortError>) -> bool {
        match result {
            Ok(true) => (self.answered_at, self.misses) = (now, 0),
            Err(PortError::GaveWay) => {}
            Ok(false) | Err(PortError::Gone | PortError::Failed(_)) => {
                self.misses = self.misses.saturating_add(1);
                self.outputs.repeat();
                if self.misses >= MISSES && now.saturating_sub(self.answered_at) >= LOST_AFTER {
                    self.lost = Some(result.err().map_or(Trouble::Silent, Trouble::Line));
                }
            }
        }
        self.misses == 0
    }
}
