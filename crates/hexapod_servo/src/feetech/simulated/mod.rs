//! Feetech servos byte by byte: register files on a line that loses, garbles, delays and echoes on demand.

mod servo;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::feetech::frame::Instruction;
use crate::feetech::parser::Parser;
use crate::feetech::port::{Port, PortError};
use crate::feetech::registers::BROADCAST;
use crate::random::Random;
use servo::Servo;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A servo neither hears nor answers, or does so again.
    Silent(u8, bool),
    /// The adapter is gone, or back.
    Unplugged(bool),
    /// The adapter hands back what it sends.
    Echo(bool),
    /// Replies begin later by so much.
    Late(Duration),
    /// Part of the bytes that come in that are lost.
    Lost(f64),
    /// Part of the bytes that come in that are turned into others.
    Garbled(f64),
    /// Part of the replies before which some bytes of garbage come in.
    Garbage(f64),
    /// A servo's supply sinks: it is limp, and has lost what it was commanded.
    BrownOut(u8),
    /// A second servo has the same ID: both answer at once.
    Twin(u8),
    /// What a servo complains of from now on, as its error byte.
    Alarm(u8, u8),
    /// Somebody else writes a register of a servo.
    Written(u8, u8, u8),
}

/// From the end of a request to the first reply, and between replies.
const TURNAROUND: Duration = Duration::from_micros(50);
/// What comes in within this time an adapter hands on at once.
const PACKET: Duration = Duration::from_millis(1);

#[derive(Debug)]
struct World {
    servos: Vec<Servo>,
    time: Duration,
    byte: Duration,
    /// Bytes on their way to the host, and when they are there.
    coming: VecDeque<(Duration, u8)>,
    parser: Parser,
    unplugged: bool,
    echo: bool,
    late: Duration,
    lost: f64,
    garbled: f64,
    garbage: f64,
    random: Random,
    frames: Vec<Vec<u8>>,
}

/// Servos on a line in memory, with a clock that goes on as bytes do. Clones are handles to the same line.
#[derive(Clone, Debug)]
pub struct Simulated(Arc<Mutex<World>>);

impl World {
    fn inject(&mut self, fault: Fault) {
        let meant = |servos: &mut Vec<Servo>, id: u8, change: &dyn Fn(&mut Servo)| {
            servos.iter_mut().filter(|servo| servo.id == id).for_each(change);
        };
        match fault {
            Fault::Silent(id, silent) => meant(&mut self.servos, id, &|servo| servo.silent = silent),
            Fault::Unplugged(unplugged) => self.unplugged = unplugged,
            Fault::Echo(echo) => self.echo = echo,
            Fault::Late(late) => self.late = late,
            Fault::Lost(part) => self.lost = part,
            Fault::Garbled(part) => self.garbled = part,
            Fault::Garbage(part) => self.garbage = part,
            Fault::BrownOut(id) => meant(&mut self.servos, id, &Servo::reset),
            Fault::Twin(id) => meant(&mut self.servos, id, &|servo| servo.twin = true),
            Fault::Alarm(id, error) => meant(&mut self.servos, id, &|servo| servo.error = error),
            Fault::Written(id, register, value) => {
                meant(&mut self.servos, id, &|servo| servo.write(register, &[value]));
            }
        }
    }

    fn advance_to(&mut self, time: Duration) {
        let seconds = time.saturating_sub(self.time).as_secs_f64();
        if seconds > 0.0 {
            self.servos.iter_mut().for_each(|servo| servo.go_on(seconds));
        }
        self.time = self.time.max(time);
    }

    /// Bytes that the host sends, as servos hear them.
    fn hear(&mut self, bytes: &[u8]) {
        // Two that speak at once on one wire: nobody hears either.
        let collides = self.coming.back().is_some_and(|(at, _)| *at > self.time);
        self.advance_to(self.time + self.byte * bytes.len() as u32);
        if collides {
            self.coming.iter_mut().for_each(|(_, byte)| *byte &= 0x55);
            return;
        }
        if self.echo {
            let now = self.time;
            self.coming.extend(bytes.iter().map(|&byte| (now, byte)));
        }
        for piece in bytes.chunks(64) {
            let room = self.parser.room();
            room[..piece.len()].copy_from_slice(piece);
            self.parser.take(piece.len());
            while let Some(frame) = self.parser.next_frame().map(<[u8]>::to_vec) {
                self.obey(&frame);
                self.frames.push(frame);
            }
        }
    }

    fn obey(&mut self, frame: &[u8]) {
        let [_, _, id, _, instruction, parameters @ .., _] = frame else { return };
        let (mut at, mut replies) = (self.time + self.late, Vec::new());
        let mut servos = self.servos.iter_mut().filter(|servo| !servo.silent);
        const READ: u8 = Instruction::Read as u8;
        const WRITE: u8 = Instruction::Write as u8;
        const SYNC_READ: u8 = Instruction::SyncRead as u8;
        const SYNC_WRITE: u8 = Instruction::SyncWrite as u8;
        match (*instruction, parameters) {
            (READ, [first, count]) => {
                replies
                    .extend(servos.find(|servo| servo.id == *id).map(|servo| servo.reply(&servo.read(*first, *count))));
            }
            (WRITE, [first, values @ ..]) => {
                for servo in servos.filter(|servo| [servo.id, BROADCAST].contains(id)) {
                    servo.write(*first, values);
                    replies.extend((*id == servo.id).then(|| servo.reply(&[])));
                }
            }
            (SYNC_READ, [first, count, ids @ ..]) => {
                for id in ids {
                    let named = self.servos.iter().find(|servo| !servo.silent && servo.id == *id);
                    replies.extend(named.map(|servo| servo.reply(&servo.read(*first, *count))));
                }
            }
            (SYNC_WRITE, [first, count, named @ ..]) => {
                for entry in named.chunks_exact(1 + usize::from(*count)) {
                    if let Some(servo) = self.servos.iter_mut().find(|servo| !servo.silent && servo.id == entry[0]) {
                        servo.write(*first, &entry[1..]);
                    }
                }
            }
            (instruction, []) if instruction == Instruction::Ping as u8 => {
                replies.extend(servos.find(|servo| servo.id == *id).map(|servo| servo.reply(&[])));
            }
            _ => {}
        }
        for reply in replies {
            at += TURNAROUND;
            if self.random.chance(self.garbage) {
                for _ in 0..self.random.below(8) {
                    let byte = if self.random.chance(0.5) { 0xFF } else { self.random.below(256) as u8 };
                    at += self.byte;
                    self.coming.push_back((at, byte));
                }
            }
            for byte in reply {
                at += self.byte;
                if self.random.chance(self.lost) {
                    continue;
                }
                let byte = if self.random.chance(self.garbled) { self.random.below(256) as u8 } else { byte };
                self.coming.push_back((at, byte));
            }
        }
    }
}

impl Simulated {
    /// Servos of these IDs at their middle, limp, on a line of `baud` bits a second.
    pub fn new(ids: impl IntoIterator<Item = u8>, baud: u32) -> Self {
        Self(Arc::new(Mutex::new(World {
            servos: ids.into_iter().map(Servo::new).collect(),
            time: Duration::ZERO,
            byte: Duration::from_secs(10) / baud.max(1),
            coming: VecDeque::new(),
            parser: Parser::default(),
            unplugged: false,
            echo: false,
            late: Duration::ZERO,
            lost: 0.0,
            garbled: 0.0,
            garbage: 0.0,
            random: Random(1),
            frames: Vec::new(),
        })))
    }

    /// Something goes wrong from now on.
    pub fn inject(&self, fault: Fault) {
        self.world().inject(fault);
    }

    /// Lets time pass; it never goes back.
    pub fn advance_to(&self, time: Duration) {
        self.world().advance_to(time);
    }

    /// Moves a servo by hand, in steps.
    pub fn turn(&self, id: u8, step: f64) {
        let mut world = self.world();
        world.servos.iter_mut().filter(|servo| servo.id == id).for_each(|servo| {
            servo.position = step;
            servo.go_on(0.0);
        });
    }

    /// Sets two bytes of a register file.
    pub fn put(&self, id: u8, register: u8, value: u16) {
        self.world().servos.iter_mut().filter(|servo| servo.id == id).for_each(|servo| servo.put(register, value));
    }

    /// Where a servo is, in steps.
    pub fn position(&self, id: u8) -> Option<f64> {
        self.world().servos.iter().find(|servo| servo.id == id).map(|servo| servo.position)
    }

    /// Whether a servo has torque.
    pub fn holds(&self, id: u8) -> bool {
        self.world().servos.iter().any(|servo| servo.id == id && servo.holds())
    }

    /// What the host sent since this was last asked.
    pub fn take_frames(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.world().frames)
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
            return Err(PortError::Failed(None));
        }
        world.hear(frame);
        Ok(())
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        let mut world = self.world();
        if world.unplugged {
            return Err(PortError::Failed(None));
        }
        let first = world.coming.front().map(|(at, _)| *at).filter(|at| *at <= until);
        let Some(first) = first else {
            world.advance_to(until);
            return Ok(0);
        };
        let last = until.min(first.max(world.time) + PACKET);
        let mut count = 0;
        while let Some((at, byte)) = world.coming.front().copied().filter(|(at, _)| *at <= last && count < into.len()) {
            into[count] = byte;
            count += 1;
            world.coming.pop_front();
            world.advance_to(at);
        }
        Ok(count)
    }

    fn pause(&mut self, until: Duration) {
        self.world().advance_to(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        let mut world = self.world();
        let now = world.time;
        world.coming.retain(|(at, _)| *at > now);
        if world.unplugged { Err(PortError::Failed(None)) } else { Ok(()) }
    }
}
