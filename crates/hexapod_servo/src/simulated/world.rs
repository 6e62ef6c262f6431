//! The state behind all handles of one simulated bus.

use std::time::Duration;

use embedded_hal::i2c::{ErrorKind, NoAcknowledgeSource, Operation};

use super::chip::Chip;
use super::fault::{BusFault, When};
use super::transcript::{BusTally, Outcome, Transfer};
use crate::random::Random;

const SOFTWARE_RESET: u8 = 0x06;

#[derive(Debug)]
pub(super) struct World {
    pub chips: Vec<Chip>,
    pub dead: Vec<u8>,
    pub time: Duration,
    pub random: Random,
    pub schedule: Vec<(When, BusFault)>,
    pub tally: BusTally,
    pub transcript: Option<Vec<Transfer>>,
    nacks: u32,
    hang: Option<Duration>,
    tear: Option<(usize, bool)>,
    nack_probability: f64,
    tear_probability: f64,
}

impl World {
    pub fn new(chips: Vec<Chip>) -> Self {
        Self {
            chips,
            dead: Vec::new(),
            time: Duration::ZERO,
            random: Random(0),
            schedule: Vec::new(),
            tally: BusTally::default(),
            transcript: None,
            nacks: 0,
            hang: None,
            tear: None,
            nack_probability: 0.0,
            tear_probability: 0.0,
        }
    }

    pub fn inject(&mut self, fault: BusFault) {
        match fault {
            BusFault::Nack { transactions } => self.nacks = transactions,
            BusFault::Dead { address } => self.dead.push(address),
            BusFault::Alive { address } => self.dead.retain(|&dead| dead != address),
            BusFault::Hang { time } => self.hang = Some(time),
            BusFault::Tear { bytes, stop } => self.tear = Some((bytes, stop)),
            BusFault::BrownOut { address } => {
                self.chips.iter_mut().filter(|chip| chip.address() == address).for_each(Chip::reset);
            }
            BusFault::NackProbability(probability) => self.nack_probability = probability,
            BusFault::TearProbability(probability) => self.tear_probability = probability,
        }
    }

    /// Injects what is due before the coming attempt; returns the time the attempt hangs.
    pub fn begin(&mut self) -> Option<Duration> {
        let (attempt, time) = (self.tally.attempts, self.time);
        let due = |when: &When| match *when {
            When::Transaction(number) => attempt >= number,
            When::Time(due) => time >= due,
        };
        while let Some(index) = self.schedule.iter().position(|(when, _)| due(when)) {
            let (_, fault) = self.schedule.remove(index);
            self.inject(fault);
        }
        self.tally.attempts += 1;
        let hang = self.hang.take();
        self.time += hang.unwrap_or_default();
        hang
    }

    /// One transfer from START to STOP.
    pub fn transfer(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), ErrorKind> {
        let total =
            operations.iter().map(|operation| if let Operation::Write(bytes) = operation { bytes.len() } else { 0 });
        let total: usize = total.sum();
        let answered = self.call(address);
        let refused = self.nacks > 0 || self.random.chance(self.nack_probability);
        self.nacks = self.nacks.saturating_sub(1);
        if refused || (!answered && address != 0) {
            self.note(address, operations, Outcome::NotAcknowledged);
            return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Address));
        }
        let tear = self.pick_tear(total);
        let mut written = 0;
        let mut read = 0;
        for operation in operations.iter_mut() {
            match operation {
                Operation::Write(bytes) => {
                    for &byte in bytes.iter() {
                        if tear.is_some_and(|(limit, _)| written >= limit) {
                            break;
                        }
                        self.deliver(address, written, byte);
                        written += 1;
                    }
                }
                Operation::Read(bytes) => {
                    for byte in bytes.iter_mut() {
                        // Several listeners pull the line low together.
                        *byte = self.listening().fold(0xFF, |value, chip| value & chip.shift_out());
                    }
                    read += bytes.len();
                }
            }
        }
        if tear.is_none_or(|(_, stop)| stop) {
            self.chips.iter_mut().for_each(Chip::stop);
        }
        if tear.is_some() {
            self.note(address, operations, Outcome::Torn(written));
            return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Data));
        }
        self.tally.add(written, read);
        self.note(address, operations, Outcome::Done);
        Ok(())
    }

    pub fn note(&mut self, address: u8, operations: &[Operation<'_>], outcome: Outcome) {
        self.tally.nacks += u64::from(matches!(outcome, Outcome::NotAcknowledged | Outcome::Torn(_)));
        let Some(transcript) = &mut self.transcript else { return };
        let (mut written, mut read) = (Vec::new(), Vec::new());
        for operation in operations {
            match operation {
                Operation::Write(bytes) => written.extend_from_slice(bytes),
                Operation::Read(bytes) => read.extend_from_slice(bytes),
            }
        }
        transcript.push(Transfer { address, written, read, outcome });
    }

    /// Marks the chips that acknowledge this address for the transfer to come; true if there is one.
    fn call(&mut self, address: u8) -> bool {
        let mut any = false;
        for chip in &mut self.chips {
            let listens = chip.answers(address) && !self.dead.contains(&chip.address());
            chip.set_listening(listens);
            any |= listens;
        }
        any
    }

    fn pick_tear(&mut self, total: usize) -> Option<(usize, bool)> {
        if total == 0 {
            return None;
        }
        if let Some((bytes, stop)) = self.tear.take() {
            return (bytes < total).then_some((bytes, stop));
        }
        let torn = self.random.chance(self.tear_probability);
        torn.then(|| (self.random.below(total), self.random.chance(0.5)))
    }

    fn listening(&mut self) -> impl Iterator<Item = &mut Chip> {
        self.chips.iter_mut().filter(|chip| chip.is_listening())
    }

    fn deliver(&mut self, address: u8, position: usize, byte: u8) {
        if address == 0 && position == 0 && byte == SOFTWARE_RESET {
            self.chips.iter_mut().for_each(Chip::reset);
        }
        for chip in self.listening() {
            match position {
                0 => chip.point_to(byte),
                _ => chip.take(byte),
            }
        }
    }
}
