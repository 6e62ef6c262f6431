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
    /// What follows is of boards that switch each servo on by itself. Those that are on:
    on: [bool; CHANNELS],
    /// Those whose pulse is the one that they were given, or comes no nearer to it.
    is_ready: [bool; CHANNELS],
    /// Who was given a pulse first is switched on first.
    turns: [u32; CHANNELS],
    turn: u32,
    /// The servo that was switched on last, until that is acknowledged.
    switched: Option<usize>,
    /// And those that were let go.
    let_go: [bool; CHANNELS],
    /// The pulses that were read last, and what had been given then.
    read: [u16; CHANNELS],
    read_of: Pulses,
    /// Whether the board cuts a pulse.
    is_cut: bool,
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
        Self {
            wanted: [None; CHANNELS],
            given: [None; CHANNELS],
            repeat: false,
            on: [false; CHANNELS],
            is_ready: [false; CHANNELS],
            turns: [0; CHANNELS],
            turn: 0,
            switched: None,
            let_go: [false; CHANNELS],
            read: [0; CHANNELS],
            read_of: [None; CHANNELS],
            is_cut: false,
        }
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
        let switches = self.next_on(next).is_some() || self.leaving(next).next().is_some();
        self.repeat || switches || self.given != *next
    }

    /// Notes what they were given.
    pub fn note(&mut self, given: Pulses) {
        self.turn = self.turn.saturating_add(1);
        for (turn, (before, given)) in self.turns.iter_mut().zip(self.given.iter().zip(&given)) {
            *turn = if before.is_none() && given.is_some() { self.turn } else { *turn };
        }
        (self.given, self.repeat) = (given, false);
    }

    /// Has what was given sent once more.
    pub fn repeat(&mut self) {
        self.repeat = true;
    }

    /// No channel has a pulse.
    pub fn forget(&mut self) {
        *self = Self { wanted: self.wanted, ..Self::new() };
    }

    /// And none shall have one.
    pub fn drop_all(&mut self) {
        *self = Self::new();
    }

    /// Servos that are on and shall be off.
    pub fn leaving(&self, next: &Pulses) -> impl Iterator<Item = usize> + use<> {
        let (on, next) = (self.on, *next);
        (0..CHANNELS).filter(move |channel| on[*channel] && next[*channel].is_none())
    }

    /// A servo that is off, shall be on, and begins where it shall be; none while another is not acknowledged.
    pub fn next_on(&self, next: &Pulses) -> Option<usize> {
        let begins = |channel: &usize| !self.on[*channel] && self.is_ready[*channel] && next[*channel].is_some();
        let first = (0..CHANNELS).filter(begins).min_by_key(|channel| self.turns[*channel]);
        first.filter(|_| self.switched.is_none())
    }

    /// Whether a servo that shall hold is still off, as far as the board has said.
    pub fn waits(&self, channel: u8) -> bool {
        let channel = usize::from(channel);
        let is_off = self.on.get(channel).is_some_and(|on| !on) || self.switched == Some(channel);
        is_off && self.wanted.get(channel).is_some_and(Option::is_some)
    }

    /// Notes that a servo was switched.
    pub fn note_switched(&mut self, channel: usize, on: bool) {
        self.on[channel] = on;
        self.is_ready[channel] &= on;
        self.let_go[channel] = !on;
        self.switched = on.then_some(channel).or(self.switched);
    }

    /// Whether servos that were switched are so for sure; those that may not be are switched again.
    pub fn acknowledge(&mut self, is_heard: bool) {
        if let Some(channel) = self.switched.take().filter(|_| !is_heard) {
            self.on[channel] = false;
        }
        let let_go = std::mem::take(&mut self.let_go);
        self.on.iter_mut().zip(let_go).for_each(|(on, let_go)| *on |= let_go && !is_heard);
    }

    /// The board says that some servo is off. If none should be, all are switched on again.
    pub fn doubt(&mut self) {
        if self.on.iter().all(|on| *on) {
            self.on = [false; CHANNELS];
        }
    }

    /// The first servo that does not come nearer to the pulse it was given, of a board that turns servos no faster than it
    /// lets them: its pulses may lag behind, and one that was given another since is not judged.
    pub fn follow(&mut self, read: &[u16; CHANNELS], is_cut: Option<bool>) -> Option<Mismatch> {
        self.is_cut = is_cut.unwrap_or(self.is_cut);
        let mut found = None;
        for (channel, (now, given)) in read.iter().zip(self.given).enumerate() {
            let Some(expected) = given else { continue };
            let (off_by, before) = (expected.abs_diff(*now), expected.abs_diff(self.read[channel]));
            let is_same = self.read_of[channel] == given;
            self.is_ready[channel] = off_by <= ALIKE_US || (is_same && *now == self.read[channel]);
            if is_same && off_by > ALIKE_US && off_by >= before && !self.is_cut {
                found = found.or(Some(Mismatch { channel, read: *now, expected }));
            }
        }
        (self.read, self.read_of) = (*read, self.given);
        found
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
