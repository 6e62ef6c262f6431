//! Servos of a serial bus byte by byte: register files on a line that loses, garbles, delays and echoes on demand.

mod fault;
mod servo;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::frame::{BROADCAST, Instruction, Protocol, Request};
use super::parser::Parser;
use super::port::{Port, PortError};
use super::series::Series;
use crate::random::Random;
use servo::Servo;

pub use fault::Fault;

/// From the end of a request to the first reply, and between replies.
const TURNAROUND: Duration = Duration::from_micros(50);
/// What comes in within this time an adapter hands on at once.
const PACKET: Duration = Duration::from_millis(1);

#[derive(Debug)]
struct World {
    protocol: Protocol,
    servos: Vec<Servo>,
    time: Duration,
    byte: Duration,
    /// Bytes on their way to the host, and when they are there.
    coming: VecDeque<(Duration, u8)>,
    parser: Parser,
    unplugged: bool,
    echo: bool,
    late: Duration,
    slow: Duration,
    /// Until then servos speak.
    busy_until: Duration,
    lost: f64,
    garbled: f64,
    garbage: f64,
    chained: bool,
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
            Fault::Slow(slow) => self.slow = slow,
            Fault::Lost(part) => self.lost = part,
            Fault::Garbled(part) => self.garbled = part,
            Fault::Garbage(part) => self.garbage = part,
            Fault::BrownOut(id) => meant(&mut self.servos, id, &Servo::reset),
            Fault::Twin(id) => meant(&mut self.servos, id, &|servo| servo.twin = true),
            Fault::Twice(id, twice) => meant(&mut self.servos, id, &|servo| servo.twice = twice),
            Fault::Alarm(id, error) => meant(&mut self.servos, id, &|servo| servo.complain(error)),
            Fault::Written(id, register, value) => {
                meant(&mut self.servos, id, &|servo| {
                    servo.write(register, &[value]);
                });
            }
            Fault::Misread { id, steps, replies } => {
                meant(&mut self.servos, id, &|servo| servo.misread = (steps, replies));
            }
            Fault::Writes(id, register, time) => {
                meant(&mut self.servos, id, &|servo| servo.writes = Some((register, time.as_secs_f64())));
            }
            Fault::Wild(id, field, wild) => {
                meant(&mut self.servos, id, &|servo| servo.wild = wild.then_some(field));
            }
            Fault::Chained(chained) => self.chained = chained,
            Fault::Deaf { id, after, frames } => meant(&mut self.servos, id, &|servo| servo.deaf = (after, frames)),
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
        let collides = self.busy_until > self.time;
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
        let (mut at, mut replies) = (self.time + self.late, Vec::new());
        self.servos
            .iter_mut()
            .for_each(|servo| servo.is_deaf_now = servo.silent || servo.writing_s > 0.0 || servo.misses_one());
        if let Some(request) = Request::of(self.protocol, frame) {
            replies = self.replies(&request);
        }
        for reply in replies {
            at += TURNAROUND;
            if self.random.chance(self.garbage) {
                for _ in 0..self.random.below(8) {
                    let byte = if self.random.chance(0.5) { 0xFF } else { self.random.below(256) as u8 };
                    at += self.byte;
                    self.coming.push_back((at + self.slow, byte));
                }
            }
            for byte in reply {
                at += self.byte;
                if self.random.chance(self.lost) {
                    continue;
                }
                let byte = if self.random.chance(self.garbled) { self.random.below(256) as u8 } else { byte };
                self.coming.push_back((at + self.slow, byte));
            }
        }
        if at > self.time + self.late {
            self.busy_until = at;
        }
    }

    fn replies(&mut self, request: &Request<'_>) -> Vec<Vec<u8>> {
        const READ: u8 = Instruction::Read as u8;
        const WRITE: u8 = Instruction::Write as u8;
        const SYNC_READ: u8 = Instruction::SyncRead as u8;
        const SYNC_WRITE: u8 = Instruction::SyncWrite as u8;
        const PING: u8 = Instruction::Ping as u8;
        let (id, after) = (request.id, request.after_address());
        let (chained, protocol) = (self.chained, self.protocol);
        let block = request.named(after);
        let first = request.address().unwrap_or_default();
        let mut servos = self.servos.iter_mut().filter(|servo| !servo.is_deaf_now);
        servos.by_ref().for_each(|servo| servo.hears());
        let mut servos = self.servos.iter_mut().filter(|servo| !servo.is_deaf_now);
        match (request.instruction, block) {
            (READ, Some((count, []))) if id != BROADCAST => servos
                .find(|servo| servo.id == id)
                .map(|servo| vec![servo.answer(first, count, &mut self.random); 1 + usize::from(servo.twice)])
                .unwrap_or_default(),
            (WRITE, _) => {
                let meant = servos.filter(|servo| [servo.id, BROADCAST].contains(&id));
                let replies = meant.filter_map(|servo| {
                    let refused = servo.write(first, after);
                    (id == servo.id && protocol != Protocol::Lx).then(|| servo.refuse(refused))
                });
                replies.collect()
            }
            (SYNC_READ, Some((count, ids))) => {
                let replies = ids.iter().map(|id| {
                    let named = self.servos.iter_mut().find(|servo| !servo.is_deaf_now && servo.id == *id);
                    named.map(|servo| servo.answer(first, count, &mut self.random))
                });
                if chained { replies.map_while(|reply| reply).collect() } else { replies.flatten().collect() }
            }
            (SYNC_WRITE, Some((count, named))) => {
                for entry in named.chunks_exact(1 + usize::from(count)) {
                    let servo = self.servos.iter_mut().find(|servo| !servo.is_deaf_now && servo.id == entry[0]);
                    servo.map(|servo| servo.write(first, &entry[1..]));
                }
                vec![]
            }
            (PING, _) => servos.find(|servo| servo.id == id).map(|servo| servo.reply(0, &[])).into_iter().collect(),
            _ => vec![],
        }
    }
}

impl Simulated {
    /// Servos of a series with these IDs at their middle, limp, on a line of `baud` bits a second.
    pub fn new(series: &'static Series, ids: impl IntoIterator<Item = u8>, baud: u32) -> Self {
        Self(Arc::new(Mutex::new(World {
            protocol: series.protocol,
            servos: ids.into_iter().map(|id| Servo::new(series, id)).collect(),
            time: Duration::ZERO,
            byte: Duration::from_secs(10) / baud.max(1),
            coming: VecDeque::new(),
            parser: Parser::new(series.protocol),
            unplugged: false,
            echo: false,
            late: Duration::ZERO,
            slow: Duration::ZERO,
            busy_until: Duration::ZERO,
            lost: 0.0,
            garbled: 0.0,
            garbage: 0.0,
            chained: false,
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

    /// Sets bytes of a register file.
    pub fn put(&self, id: u8, first: u16, values: &[u8]) {
        self.world().servos.iter_mut().filter(|servo| servo.id == id).for_each(|servo| servo.put(first, values));
    }

    /// One byte of a register file.
    pub fn register(&self, id: u8, register: u16) -> Option<u8> {
        self.world().servos.iter().find(|servo| servo.id == id)?.read(register, 1).first().copied()
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
        if world.unplugged { Err(PortError::Gone) } else { Ok(()) }
    }
}
