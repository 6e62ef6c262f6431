//! What one board has been told, what it shall be told, and the fewest bytes from one to the other.

use embedded_hal::i2c::I2c;

use super::link::{BusError, Link};
use super::range::PulseRange;
use super::registers::{ALL_LED_OFF_H, CHANNELS, FULL_OFF, off_h, off_l};

/// What a channel puts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// No pulse: full-off.
    Off,
    /// A pulse of so many counts.
    Counts(u16),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    /// The last write succeeded.
    Sure(Level),
    /// The last write failed, perhaps half-way; these bytes are to be repeated before any others.
    Torn(Level),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    range: Option<PulseRange>,
    written: Written,
    wanted: Level,
}

impl Slot {
    /// What to write next, if anything.
    fn due(&self) -> Option<Level> {
        match self.written {
            Written::Torn(level) => Some(level),
            Written::Sure(level) => (level != self.wanted).then_some(self.wanted),
        }
    }

    /// The pulse to write next, with its range.
    fn due_pulse(&self) -> Option<(PulseRange, u16)> {
        match (self.due()?, self.range) {
            (Level::Counts(counts), Some(range)) => Some((range, counts)),
            _ => None,
        }
    }

    /// True if the channel must be full-off before its next bytes are written: because that is what is wanted, or
    /// because a write torn on the way would leave a pulse out of range.
    fn due_off(&self) -> bool {
        match (self.due(), self.written, self.range) {
            (Some(Level::Off), ..) => true,
            (Some(Level::Counts(to)), Written::Sure(Level::Counts(from)), Some(range)) => !range.mix_is_safe(from, to),
            _ => false,
        }
    }
}

/// The registers of one board as far as they are known, and what they shall become.
#[derive(Clone, Debug)]
pub struct Shadow {
    address: u8,
    slots: [Slot; CHANNELS],
}

impl Shadow {
    /// A board of which nothing is known; all channels are wanted off.
    pub fn new(address: u8) -> Self {
        let slot = Slot { range: None, written: Written::Torn(Level::Off), wanted: Level::Off };
        Self { address, slots: [slot; CHANNELS] }
    }

    /// Seven-bit address.
    pub fn address(&self) -> u8 {
        self.address
    }

    /// Names the pulses a channel may be given. A channel without a range stays off. Ignored past channel 15.
    pub fn connect(&mut self, channel: u8, range: PulseRange) {
        if let Some(slot) = self.slots.get_mut(usize::from(channel)) {
            slot.range = Some(range);
        }
    }

    /// The fixed ON count of a channel.
    pub fn on(&self, channel: u8) -> u16 {
        self.slots.get(usize::from(channel)).and_then(|slot| slot.range).map_or(0, |range| range.on())
    }

    /// What the channel shall put out after the next [`flush`](Self::flush); pulses are brought within its range.
    pub fn set(&mut self, channel: u8, level: Level) {
        if let Some(slot) = self.slots.get_mut(usize::from(channel)) {
            slot.wanted = match (level, slot.range) {
                (Level::Counts(counts), Some(range)) => Level::Counts(range.limit(counts)),
                _ => Level::Off,
            };
        }
    }

    /// What the channel was told, if the telling succeeded.
    pub fn told(&self, channel: u8) -> Option<Level> {
        match self.slots.get(usize::from(channel))?.written {
            Written::Sure(level) => Some(level),
            Written::Torn(_) => None,
        }
    }

    /// True if every channel is known to be off.
    pub fn is_off(&self) -> bool {
        self.slots.iter().all(|slot| slot.written == Written::Sure(Level::Off))
    }

    /// True if a flush would write something.
    pub fn is_due(&self) -> bool {
        self.slots.iter().any(|slot| slot.due().is_some())
    }

    /// Wants all channels off, and takes for granted only that they are on their way there.
    pub fn forget(&mut self) {
        self.mark(Written::Torn(Level::Off));
    }

    /// Notes that every channel is off, as after a confirmed write to all of them.
    pub(super) fn note_off(&mut self) {
        self.mark(Written::Sure(Level::Off));
    }

    /// Switches all channels off: one register, three bytes with the address (7.3.4).
    pub fn all_off<B: I2c>(&mut self, link: &mut Link<'_, B>) -> Result<(), BusError> {
        self.forget();
        link.write(self.address, &[ALL_LED_OFF_H, FULL_OFF])?;
        self.note_off();
        Ok(())
    }

    /// Writes what is due. On an error the channels of the failed write are repeated by the next flush.
    pub fn flush<B: I2c>(&mut self, link: &mut Link<'_, B>) -> Result<(), BusError> {
        for channel in 0..CHANNELS {
            if self.slots[channel].due_off() {
                self.write_off(channel, link)?;
            }
        }
        let mut channel = 0;
        while channel < CHANNELS {
            if self.slots[channel].due_pulse().is_some() {
                channel = self.write_run(channel, link)?;
            } else {
                channel += 1;
            }
        }
        Ok(())
    }

    /// Full-off for one channel: a single register, so nothing can tear.
    fn write_off<B: I2c>(&mut self, channel: usize, link: &mut Link<'_, B>) -> Result<(), BusError> {
        let result = link.write(self.address, &[off_h(channel as u8), FULL_OFF]);
        self.slots[channel].written = written(&result, Level::Off);
        result
    }

    /// One burst for the run of due channels that begins at `first`; returns the channel after it.
    fn write_run<B: I2c>(&mut self, first: usize, link: &mut Link<'_, B>) -> Result<usize, BusError> {
        let mut bytes = [0; 4 * CHANNELS];
        let mut length = 1;
        let mut end = first;
        bytes[0] = off_l(first as u8);
        while let Some((range, counts)) = self.slots.get(end).and_then(Slot::due_pulse) {
            if end > first {
                bytes[length..length + 2].copy_from_slice(&range.on().to_le_bytes());
                length += 2;
            }
            bytes[length..length + 2].copy_from_slice(&range.off(counts).to_le_bytes());
            length += 2;
            end += 1;
        }
        let result = link.write(self.address, &bytes[..length]);
        for slot in &mut self.slots[first..end] {
            if let Some((_, counts)) = slot.due_pulse() {
                slot.written = written(&result, Level::Counts(counts));
            }
        }
        result.map(|()| end)
    }

    fn mark(&mut self, written: Written) {
        for slot in &mut self.slots {
            slot.written = written;
            slot.wanted = Level::Off;
        }
    }
}

fn written(result: &Result<(), BusError>, level: Level) -> Written {
    match result {
        Ok(()) => Written::Sure(level),
        Err(_) => Written::Torn(level),
    }
}
