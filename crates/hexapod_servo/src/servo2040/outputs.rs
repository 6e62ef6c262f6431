//! The pulses that servos shall have, and those they were given, us.

use super::dialect::Dialect;
use super::frame::CHANNELS;

/// Pulses that both firmwares put out as they are, us: beyond, one ignores and the other cuts them.
pub(super) const SHORTEST_US: u16 = 500;
pub(super) const LONGEST_US: u16 = 2500;
/// A board that counts in floating point may report 1499 where it was given 1500.
const ALIKE_US: u16 = 2;

/// A pulse for each channel; `None`: no pulse.
pub(super) type Pulses = [Option<u16>; CHANNELS];

/// The channels of a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outputs {
    wanted: Pulses,
    given: Pulses,
    /// What was given may not have arrived.
    repeat: bool,
}

/// A channel that does not have the pulse it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub channel: usize,
    pub read: u16,
    pub expected: u16,
}

impl Outputs {
    pub fn new() -> Self {
        Self { wanted: [None; CHANNELS], given: [None; CHANNELS], repeat: false }
    }

    /// Where a servo shall go with the next exchange.
    pub fn set(&mut self, channel: u8, pulse_us: Option<u16>) {
        if let Some(wanted) = self.wanted.get_mut(usize::from(channel)) {
            *wanted = pulse_us.map(|pulse_us| pulse_us.clamp(SHORTEST_US, LONGEST_US));
        }
    }

    /// The pulse that a channel was given, us.
    pub fn given(&self, channel: u8) -> Option<u16> {
        self.given.get(usize::from(channel)).copied().flatten()
    }

    /// Whether any servo shall hold.
    pub fn is_wanted(&self) -> bool {
        self.wanted.iter().any(Option::is_some)
    }

    /// What the channels are to have: where no servo can be let go by itself, one that was driven holds.
    pub fn next(&self, dialect: Dialect) -> Pulses {
        let holds = |channel: usize| self.given[channel].filter(|_| !dialect.releases_one());
        std::array::from_fn(|channel| self.wanted[channel].or_else(|| holds(channel)))
    }

    /// Whether they have something else now, or may have.
    pub fn is_due(&self, next: &Pulses) -> bool {
        self.repeat || self.given != *next
    }

    /// Notes what they were given.
    pub fn note(&mut self, given: Pulses) {
        (self.given, self.repeat) = (given, false);
    }

    /// Has what was given sent once more.
    pub fn repeat(&mut self) {
        self.repeat = true;
    }

    /// No channel has a pulse.
    pub fn forget(&mut self) {
        self.note([None; CHANNELS]);
    }

    /// And none shall have one.
    pub fn drop_all(&mut self) {
        *self = Self::new();
    }

    /// The first channel that reads otherwise than it was given.
    pub fn mismatch(&self, read: &[u16]) -> Option<Mismatch> {
        let pairs = self.given.iter().zip(read).enumerate();
        let mut pairs = pairs.filter_map(|(channel, (given, read))| Some((channel, (*given)?, *read)));
        let found = pairs.find(|(_, expected, read)| expected.abs_diff(*read) > ALIKE_US);
        found.map(|(channel, expected, read)| Mismatch { channel, read, expected })
    }

    /// Whether no channel has a pulse that was given one.
    pub fn are_gone(&self, read: &[u16]) -> bool {
        let mut pairs = self.given.iter().zip(read).filter(|(given, _)| given.is_some());
        pairs.all(|(_, read)| *read == 0)
    }
}
