//! A board byte by byte, on a line that loses, garbles and delays on demand.

mod board;
mod enjoykin;
mod fault;
mod firmware;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::dialect::Dialect;
use super::frame::CHANNELS;
use crate::random::Random;
use crate::serial::{Port, PortError};
use board::Board;

pub use fault::Fault;

/// From the end of a request to its reply.
const TURNAROUND: Duration = Duration::from_micros(300);

#[derive(Debug)]
struct World {
    board: Board,
    time: Duration,
    byte: Duration,
    /// Bytes on their way to the host, and when they are there.
    coming: VecDeque<(Duration, u8)>,
    silent: bool,
    unplugged: bool,
    late: Duration,
    lost: f64,
    garbled: f64,
    deaf: f64,
    random: Random,
    writes: Vec<Vec<u8>>,
}

/// A board on a line in memory, with a clock that goes on as bytes do. Clones are handles to the same board.
#[derive(Clone, Debug)]
pub struct Simulated(Arc<Mutex<World>>);

impl World {
    fn hear(&mut self, bytes: &[u8]) {
        self.time += self.byte * bytes.len() as u32;
        self.writes.push(bytes.to_vec());
        if self.silent || self.random.chance(self.deaf) {
            return;
        }
        let (reply, from) = self.board.hear(bytes, self.time);
        let mut at = from + TURNAROUND + self.late;
        for byte in reply {
            at += self.byte;
            if self.random.chance(self.lost) {
                continue;
            }
            let byte = if self.random.chance(self.garbled) { self.random.below(256) as u8 } else { byte };
            self.coming.push_back((at, byte));
        }
    }

    fn inject(&mut self, fault: Fault) {
        match fault {
            Fault::Silent(silent) => self.silent = silent,
            Fault::Unplugged(unplugged) => self.unplugged = unplugged,
            Fault::Reset => self.board.reset(),
            Fault::Tripped(amperes) => self.board.trip(amperes),
            Fault::Draws(amperes) => self.board.supply(Some(amperes), None),
            Fault::Supplied(volts) => self.board.supply(None, Some(volts)),
            Fault::Pressed(input, pressed) => self.board.press(input, pressed),
            Fault::Late(late) => self.late = late,
            Fault::Lost(part) => self.lost = part,
            Fault::Garbled(part) => self.garbled = part,
            Fault::Deaf(part) => self.deaf = part,
            Fault::Written(channel, pulse_us) => self.board.write(channel, pulse_us),
            Fault::Opened => self.board.open(),
        }
    }
}

impl Simulated {
    /// A board with this firmware and its relay open, on a line of `baud` bits a second.
    pub fn new(dialect: Dialect, baud: u32) -> Self {
        Self(Arc::new(Mutex::new(World {
            board: Board::new(dialect),
            time: Duration::ZERO,
            byte: Duration::from_secs(10) / baud.max(1),
            coming: VecDeque::new(),
            silent: false,
            unplugged: false,
            late: Duration::ZERO,
            lost: 0.0,
            garbled: 0.0,
            deaf: 0.0,
            random: Random(1),
            writes: Vec::new(),
        })))
    }

    /// Something goes wrong from now on.
    pub fn inject(&self, fault: Fault) {
        self.world().inject(fault);
    }

    /// Lets time pass; it never goes back.
    pub fn advance_to(&self, time: Duration) {
        let mut world = self.world();
        world.time = world.time.max(time);
        let now = world.time;
        world.board.advance_to(now);
    }

    /// The pulse that a servo has, us, if it has one, and the supply to heed it.
    pub fn pulse_us(&self, channel: usize) -> Option<u16> {
        self.world().board.pulse_us(channel)
    }

    /// How many servos hold.
    pub fn holding(&self) -> usize {
        (0..CHANNELS).filter(|channel| self.pulse_us(*channel).is_some()).count()
    }

    /// Whether the relay is closed.
    pub fn is_supplied(&self) -> bool {
        self.world().board.is_supplied()
    }

    /// What the host wrote since this was last asked.
    pub fn take_writes(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.world().writes)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Port for Simulated {
    fn now(&self) -> Duration {
        self.world().time
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        let mut world = self.world();
        if world.unplugged {
            return Err(PortError::Gone);
        }
        world.hear(frame);
        Ok(())
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        let mut world = self.world();
        if world.unplugged {
            return Err(PortError::Gone);
        }
        let first = world.coming.front().map(|(at, _)| *at).filter(|at| *at <= until);
        world.time = world.time.max(first.unwrap_or(until));
        let now = world.time;
        let mut count = 0;
        while let Some((_, byte)) = world.coming.front().copied().filter(|(at, _)| *at <= now && count < into.len()) {
            into[count] = byte;
            count += 1;
            world.coming.pop_front();
        }
        Ok(count)
    }

    fn pause(&mut self, until: Duration) {
        self.advance_to(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        let mut world = self.world();
        let now = world.time;
        world.coming.retain(|(at, _)| *at > now);
        if world.unplugged { Err(PortError::Gone) } else { Ok(()) }
    }
}
