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

/// A level in the form that is quick to compare: 0 for off, else the counts, which are never 0.
type Code = u16;

const OFF: Code = 0;

#[derive(Clone, Copy, Debug)]
struct Slot {
    range: Option<PulseRange>,
    /// What was written last.
    written: Code,
    wanted: Code,
    /// The last write failed, perhaps half-way; its bytes are to be repeated before any others.
    torn: bool,
}

impl Slot {
    /// What to write next; that is the same as what was written if there is nothing to write.
    #[inline]
    fn due(&self) -> Code {
        if self.torn { self.written } else { self.wanted }
    }

    /// True if there is something to write.
    #[inline]
    fn is_due(&self) -> bool {
        self.torn || self.written != self.wanted
    }

    /// True if what is due must be full-off, or the channel full-off before it: because a write torn on the way would
    /// leave a pulse out of range.
    #[inline]
    fn due_off(&self) -> bool {
        let due = self.due();
        let Some(range) = self.range else { return true };
        due == OFF || (!self.torn && self.written != OFF && !range.mix_within_is_safe(self.written, due))
    }

    /// The pulse to write next, with its range.
    #[inline]
    fn due_pulse(&self) -> Option<(PulseRange, Code)> {
        let due = self.due();
        self.range.filter(|_| self.is_due() && due != OFF).map(|range| (range, due))
    }

    fn note(&mut self, code: Code, done: bool) {
        self.written = code;
        self.torn = !done;
    }

    fn is_sure(&self, code: Code) -> bool {
        !self.torn && self.written == code
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
        let slot = Slot { range: None, written: OFF, wanted: OFF, torn: true };
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
                (Level::Counts(counts), Some(range)) => range.limit(counts),
                _ => OFF,
            };
        }
    }

    /// What the channel was told, if the telling succeeded.
    pub fn told(&self, channel: u8) -> Option<Level> {
        let slot = self.slots.get(usize::from(channel))?;
        (!slot.torn).then_some(if slot.written == OFF { Level::Off } else { Level::Counts(slot.written) })
    }

    /// True if every channel is known to be off.
    pub fn is_off(&self) -> bool {
        self.slots.iter().all(|slot| slot.is_sure(OFF))
    }

    /// True if a flush would write something.
    pub fn is_due(&self) -> bool {
        self.slots.iter().any(Slot::is_due)
    }

    /// Wants all channels off, and takes for granted only that they are on their way there.
    pub fn forget(&mut self) {
        self.mark(false);
    }

    /// Notes that every channel is off, as after a confirmed write to all of them.
    pub(super) fn note_off(&mut self) {
        self.mark(true);
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
            if self.slots[channel].is_due() && self.slots[channel].due_off() {
                self.write_off(channel, link)?;
            }
        }
        let mut channel = 0;
        while channel < CHANNELS {
            if self.slots[channel].is_due() {
                channel += self.write_run(channel, link)?;
            }
            // What ends a run is not due.
            channel += 1;
        }
        Ok(())
    }

    /// Full-off for one channel: a single register, so nothing can tear.
    fn write_off<B: I2c>(&mut self, channel: usize, link: &mut Link<'_, B>) -> Result<(), BusError> {
        let result = link.write(self.address, &[off_h(channel as u8), FULL_OFF]);
        self.slots[channel].note(OFF, result.is_ok());
        result
    }

    /// One burst for the run of due channels that begins at `first`; returns how many it has.
    fn write_run<B: I2c>(&mut self, first: usize, link: &mut Link<'_, B>) -> Result<usize, BusError> {
        // Room for ON of the first channel too, which is left out.
        let mut bytes = [0; 2 + 4 * CHANNELS];
        let mut count = 0;
        for (slot, registers) in self.slots[first..].iter().zip(bytes[1..].chunks_exact_mut(4)) {
            let Some((range, counts)) = slot.due_pulse() else { break };
            let ([off_l, off_h], [on_l, on_h]) = (range.off_within(counts).to_le_bytes(), range.on().to_le_bytes());
            registers.copy_from_slice(&[on_l, on_h, off_l, off_h]);
            count += 1;
        }
        if count == 0 {
            return Ok(0);
        }
        bytes[2] = off_l(first as u8);
        let result = link.write(self.address, &bytes[2..1 + 4 * count]);
        for slot in &mut self.slots[first..first + count] {
            slot.note(slot.due(), result.is_ok());
        }
        result.map(|()| count)
    }

    /// Notes that every channel was told to be off, and whether that is sure.
    fn mark(&mut self, sure: bool) {
        for slot in &mut self.slots {
            slot.note(OFF, sure);
            slot.wanted = OFF;
        }
    }
}
