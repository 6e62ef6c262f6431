//! What has been written to one board, what shall be, and the fewest bytes from one to the other.

use embedded_hal::i2c::I2c;

use super::link::{BusError, Link};
use super::range::PulseRange;
use super::registers::{ALL_LED_OFF_H, CHANNELS, FULL_OFF, off_l};

/// What a channel puts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// No pulse: full-off.
    Off,
    /// A pulse of so many counts.
    Counts(u16),
}

/// OFF_L and OFF_H together, [`FULL_OFF`] included.
type OffRegister = u16;

const OFF_BIT: OffRegister = u16::from_be_bytes([FULL_OFF, 0]);
const LOW_BYTE: OffRegister = 0xFF;
/// No pulse; pulses have at least one count.
const NONE: u16 = 0;

#[derive(Clone, Copy, Debug)]
struct Slot {
    range: Option<PulseRange>,
    /// What was written last.
    written: OffRegister,
    /// Counts it shall have, or [`NONE`].
    wanted: u16,
    /// The last write failed, perhaps half-way; its bytes are to be repeated before any others.
    torn: bool,
    /// Counts it had when it was set full-off on its way to others, or [`NONE`].
    left: u16,
    /// It waits to be asked for the pulse again.
    waits: bool,
}

impl Slot {
    const UNKNOWN: Self = Self { range: None, written: OFF_BIT, wanted: NONE, torn: true, left: NONE, waits: false };

    /// What to write next; that is the same as what was written if there is nothing to write.
    #[inline]
    fn due(&self) -> OffRegister {
        if self.torn {
            return self.written;
        }
        let Some(range) = self.range.filter(|_| self.wanted != NONE) else { return self.off() };
        let pulse = range.off_within(self.wanted);
        if self.is_off() || range.is_safe_between(self.written, pulse) { pulse } else { self.off() }
    }

    /// Full-off with OFF_L as it is: one register changes, so nothing can tear.
    #[inline]
    fn off(&self) -> OffRegister {
        self.written & LOW_BYTE | OFF_BIT
    }

    /// True if there is something to write.
    #[inline]
    fn is_due(&self) -> bool {
        self.torn || (!self.waits && self.written != self.due())
    }

    fn is_off(&self) -> bool {
        self.written & OFF_BIT != 0
    }

    fn on(&self) -> u16 {
        self.range.map_or(0, |range| range.on())
    }

    /// Counts of what was written.
    fn counts(&self) -> u16 {
        self.range.filter(|_| !self.is_off()).map_or(NONE, |range| range.counts(self.written))
    }

    /// Notes a write of what was due.
    #[inline]
    fn note(&mut self, off: OffRegister, done: bool) {
        if off & OFF_BIT == 0 {
            self.left = NONE;
        } else if !self.is_off() {
            self.left = self.counts();
            self.waits = self.wanted != NONE;
        }
        self.written = off;
        self.torn = !done;
    }

    /// Notes that the channel was commanded off and is to stay so.
    fn drop_pulse(&mut self, done: bool) {
        *self = Self { range: self.range, written: self.off(), torn: !done, ..Self::UNKNOWN };
    }

    fn commanded(&self) -> Option<Level> {
        let counts = match self.counts() {
            NONE if self.wanted != NONE => self.left,
            counts => counts,
        };
        (!self.torn).then_some(if counts == NONE { Level::Off } else { Level::Counts(counts) })
    }
}

/// The registers of one board as far as they are known, and what they shall become.
#[derive(Clone, Debug)]
pub struct Shadow {
    address: u8,
    slots: [Slot; CHANNELS],
    /// Nothing is known of the registers: one frame switches all channels off before any other.
    lost: bool,
}

impl Shadow {
    /// A board of which nothing is known; all channels are wanted off.
    pub fn new(address: u8) -> Self {
        Self { address, slots: [Slot::UNKNOWN; CHANNELS], lost: true }
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
        self.slots.get(usize::from(channel)).map_or(0, Slot::on)
    }

    /// What the channel shall put out after the next [`flush`](Self::flush), or the one after; pulses are brought
    /// within its range.
    #[inline]
    pub fn set(&mut self, channel: u8, level: Level) {
        if let Some(slot) = self.slots.get_mut(usize::from(channel)) {
            slot.wanted = match (level, slot.range) {
                (Level::Counts(counts), Some(range)) => range.limit(counts),
                _ => NONE,
            };
            slot.waits = false;
        }
    }

    /// What was written to the channel, if that succeeded. A channel that is off on its way from one pulse to another
    /// still counts as commanded to the first: that is where its servo stands.
    pub fn commanded(&self, channel: u8) -> Option<Level> {
        self.slots.get(usize::from(channel))?.commanded()
    }

    /// What the channel's four registers must read, if they are known.
    pub fn registers(&self, channel: u8) -> Option<[u8; 4]> {
        let slot = self.slots.get(usize::from(channel)).filter(|slot| !slot.torn && !self.lost)?;
        let ([on_l, on_h], [off_l, off_h]) = (slot.on().to_le_bytes(), slot.written.to_le_bytes());
        Some([on_l, on_h, off_l, off_h])
    }

    /// True if every channel is known to be off, and wanted so.
    pub fn is_off(&self) -> bool {
        self.slots.iter().all(|slot| !slot.torn && slot.is_off() && slot.wanted == NONE)
    }

    /// True if a flush would write something.
    pub fn is_due(&self) -> bool {
        self.slots.iter().any(Slot::is_due)
    }

    /// Wants all channels off, and takes for granted only that they are on their way there.
    pub fn forget(&mut self) {
        self.lost = true;
        self.slots.iter_mut().for_each(|slot| slot.drop_pulse(false));
    }

    /// Notes that OFF of every channel was written as 0 and full-off.
    pub(super) fn note_started(&mut self) {
        self.note_off();
        self.slots.iter_mut().for_each(|slot| slot.written = OFF_BIT);
    }

    /// Switches all channels off: one register, three bytes with the address (7.3.4).
    pub fn all_off<B: I2c>(&mut self, link: &mut Link<'_, B>) -> Result<(), BusError> {
        self.forget();
        link.write(self.address, &[ALL_LED_OFF_H, FULL_OFF])?;
        self.note_off();
        Ok(())
    }

    /// Writes what is due, four bytes a channel. On an error the channels of the failed write are repeated by the next
    /// flush. A channel that must be off between two pulses gets the second when it is [`set`](Self::set) again, or
    /// with the second flush.
    pub fn flush<B: I2c>(&mut self, link: &mut Link<'_, B>) -> Result<(), BusError> {
        if self.lost {
            let wanted = self.slots.map(|slot| slot.wanted);
            let result = self.all_off(link);
            self.slots.iter_mut().zip(wanted).for_each(|(slot, wanted)| slot.wanted = wanted);
            result?;
        }
        let mut channel = 0;
        while channel < CHANNELS {
            let written = self.write_run(channel, link)?;
            if written == 0 {
                self.slots[channel].waits = false;
            }
            channel += written.max(1);
        }
        Ok(())
    }

    /// One burst for the run of due channels that begins at `first`; returns how many it has.
    #[inline]
    fn write_run<B: I2c>(&mut self, first: usize, link: &mut Link<'_, B>) -> Result<usize, BusError> {
        // Room for ON of the first channel too, which is left out.
        let mut bytes = [0; 2 + 4 * CHANNELS];
        let mut count = 0;
        for (slot, registers) in self.slots[first..].iter().zip(bytes[1..].chunks_exact_mut(4)) {
            if !slot.is_due() {
                break;
            }
            let ([off_l, off_h], [on_l, on_h]) = (slot.due().to_le_bytes(), slot.on().to_le_bytes());
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

    /// Notes that every channel is off, as after a confirmed write to all of them.
    fn note_off(&mut self) {
        self.lost = false;
        self.slots.iter_mut().for_each(|slot| slot.drop_pulse(true));
    }
}
