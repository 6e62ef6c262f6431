//! What is made of what the board says, and of its silence.

use std::time::Duration;

use super::board::Servo2040;
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
            self.note_pulses(&pulses);
        }
        if let Some(supply) = reading.supply {
            self.note_supply(supply, now);
            self.note_trip(reading.trip);
        }
    }

    /// Judges what it says of its servos' pulses: what was lost is sent again.
    fn note_pulses(&mut self, pulses: &[u16; CHANNELS]) {
        let Some(Mismatch { channel, read, expected }) = self.outputs.mismatch(pulses) else {
            self.altered = 0;
            return;
        };
        // Sent again, pulses of a board that was reset would be there and its relay open: no garbage has so many zeros.
        if self.outputs.are_gone(pulses) {
            self.lost = Some(Trouble::Reset);
            return;
        }
        self.outputs.repeat();
        self.altered += 1;
        if self.altered >= BELIEVED {
            self.lost = Some(Trouble::Altered { channel, read, expected });
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
                if self.tripped >= BELIEVED {
                    self.lost = Some(Trouble::Tripped(trip));
                }
            }
            _ => self.tripped = 0,
        }
    }

    /// Judges an exchange in service. True if it answered.
    pub(super) fn judge(&mut self, now: Duration, result: Result<bool, PortError>) -> bool {
        match result {
            Ok(true) => (self.answered_at, self.misses) = (now, 0),
            Err(PortError::GaveWay) => {}
            Ok(false) | Err(PortError::Failed(_)) => {
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
