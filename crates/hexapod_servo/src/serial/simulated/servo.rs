//! One servo: its register file, and how it moves.

use crate::random::Random;
use crate::serial::block::Block;
use crate::serial::crc::crc16;
use crate::serial::frame::{Protocol, checksum};
use crate::serial::series::{Field, Order, Series};

/// Registers of one servo.
const REGISTERS: usize = 256;
const ALL: Block = Block::new(0, 255);
/// Radians a second that a servo makes at most.
const FASTEST_RAD_S: f64 = 5.2;
/// A bus watchdog counts in steps of so many seconds.
const WATCHDOG_S: f64 = 0.02;
/// Protocol 2: a value is out of its range.
const OUT_OF_RANGE: u8 = 4;

#[derive(Debug)]
pub(super) struct Servo {
    series: &'static Series,
    pub id: u8,
    registers: [u8; REGISTERS],
    /// Where it is, in steps.
    pub position: f64,
    pub silent: bool,
    pub twin: bool,
    pub twice: bool,
    pub error: u8,
    /// How far off its position is in so many replies, and which number in them is any.
    pub misread: (f64, u32),
    pub wild: Option<Field>,
    /// The register that takes it so long to write, s, and how long it still writes.
    pub writes: Option<(u16, f64)>,
    pub writing_s: f64,
    /// So many frames it hears, and then does not hear so many.
    pub deaf: (u32, u32),
    pub is_deaf_now: bool,
    unheard_s: f64,
    /// Where a goal comes with a time, how fast it goes there.
    pace_rad_s: f64,
}

impl Servo {
    pub fn new(series: &'static Series, id: u8) -> Self {
        let mut servo = Self {
            series,
            id,
            registers: [0; REGISTERS],
            position: f64::from(series.middle_step),
            silent: false,
            twin: false,
            twice: false,
            error: 0,
            misread: (0.0, 0),
            wild: None,
            writes: None,
            writing_s: 0.0,
            deaf: (0, 0),
            is_deaf_now: false,
            unheard_s: 0.0,
            pace_rad_s: FASTEST_RAD_S,
        };
        let model = series.models.first().map_or(777, |model| model.number);
        servo.registers[usize::from(series.id)] = id;
        servo.set(series.model, u32::from(model));
        let order = u8::from(series.order == Order::HighFirst);
        series.high_first.into_iter().for_each(|at| servo.registers[usize::from(at)] = order);
        servo.set(series.limits.1, u32::from(series.last_step));
        series.rules.iter().for_each(|rule| servo.set(rule.field, rule.least as u32));
        // Overload, electrical shock and heat, as it comes from its maker.
        series.shutdown.into_iter().for_each(|field| servo.set(field, 0x34));
        servo.reset();
        servo
    }

    pub fn put(&mut self, first: u16, values: &[u8]) {
        let at = usize::from(first);
        self.registers[at..at + values.len()].copy_from_slice(values);
    }

    fn set(&mut self, field: Field, value: u32) {
        self.series.put(value, field, ALL, &mut self.registers);
    }

    fn get(&self, field: Field) -> i64 {
        self.series.number(field, ALL, &self.registers).unwrap_or_default()
    }

    pub fn reset(&mut self) {
        let series = self.series;
        self.registers[usize::from(series.torque)..].fill(0);
        self.set(series.voltage.0, (7.4 / series.voltage.1).round() as u32);
        if let Some(lock) = series.lock {
            self.registers[usize::from(lock)] = 1;
        }
        self.set(series.temperature, 31);
        series.force.into_iter().for_each(|field| self.set(field, 1023));
        let here = self.position.round() as u32;
        self.set(series.goal, here);
        self.set(series.position, here);
    }

    pub fn holds(&self) -> bool {
        self.registers[usize::from(self.series.torque)] == 1
    }

    fn is_stopped(&self) -> bool {
        self.series.watchdog.is_some_and(|watchdog| self.registers[usize::from(watchdog.at)] == watchdog.tripped)
    }

    /// Whether it misses the frame that comes now.
    pub fn misses_one(&mut self) -> bool {
        match &mut self.deaf {
            (0, 0) => false,
            (0, missed) => {
                *missed -= 1;
                true
            }
            (heard, _) => {
                *heard -= 1;
                false
            }
        }
    }

    /// It heard a frame, whomever that is for.
    pub fn hears(&mut self) {
        self.unheard_s = 0.0;
    }

    pub fn go_on(&mut self, seconds: f64) {
        let (series, before) = (self.series, self.position);
        self.unheard_s += seconds;
        self.writing_s -= seconds;
        if let Some(watchdog) = series.watchdog {
            let set = self.registers[usize::from(watchdog.at)];
            if self.holds() && set != 0 && set != watchdog.tripped && self.unheard_s > f64::from(set) * WATCHDOG_S {
                self.registers[usize::from(watchdog.at)] = watchdog.tripped;
            }
        }
        if self.holds() && !self.is_stopped() {
            let speed_rad_s = match self.get(series.speed) {
                0 => self.pace_rad_s,
                speed => (speed as f64 * series.speed_rad_s).min(FASTEST_RAD_S),
            };
            let (most, away) = (speed_rad_s * seconds / series.rad_per_step, self.get(series.goal) as f64 - before);
            self.position += away.clamp(-most, most);
        }
        let turned_rad = (self.position - before) * series.rad_per_step;
        let speed = if seconds > 0.0 { (turned_rad / seconds / series.speed_rad_s).round() as i32 } else { 0 };
        self.set(series.position, self.position.round() as u32);
        let speed = match series.velocity.sign {
            crate::serial::series::Sign::Bit(bit) if speed < 0 => speed.unsigned_abs() | 1 << bit,
            _ => speed as u32,
        };
        self.set(series.velocity, speed);
    }

    /// Writes registers, unless that is refused.
    pub fn write(&mut self, first: u16, values: &[u8]) -> bool {
        let series = self.series;
        let goal_block = Block::new(first, values.len().min(255) as u8);
        if let Some(goal) = series.number(series.goal, goal_block, values) {
            let limits = self.get(series.limits.0)..=self.get(series.limits.1);
            if self.is_stopped() || (series.refuses_goals && !limits.contains(&goal)) {
                return true;
            }
            if let Some(time) = series.move_time.and_then(|time| series.number(time, goal_block, values)) {
                let away_rad = (goal as f64 - self.position).abs() * series.rad_per_step;
                self.pace_rad_s = (away_rad / (time as f64 / 1000.0)).min(FASTEST_RAD_S);
            }
            // Protocol 1 of Dynamixel, and LX: whoever gets a goal goes there.
            if series.torque_with_goal {
                self.registers[usize::from(series.torque)] = 1;
            }
        }
        let is_kept = first < series.torque && !(series.goal.at..series.goal.at + 4).contains(&first);
        if is_kept && series.lock.is_some_and(|lock| self.registers[usize::from(lock)] != 0) {
            return false;
        }
        if let ([id], true) = (values, first == series.id) {
            self.id = *id;
        }
        if let Some((_, time_s)) = self.writes.filter(|(register, _)| *register == first) {
            self.writing_s = time_s;
        }
        let from = usize::from(first);
        if let Some(registers) = self.registers.get_mut(from..from + values.len()) {
            registers.copy_from_slice(values);
        }
        if self.registers[usize::from(series.torque)] == 128 {
            self.position = f64::from(series.middle_step);
        }
        false
    }

    /// What it answers to being written.
    pub fn refuse(&self, refused: bool) -> Vec<u8> {
        let mut bytes = self.reply(0, &[]);
        if refused && self.series.protocol == Protocol::Two {
            bytes[8] |= OUT_OF_RANGE;
            let end = bytes.len() - 2;
            let crc = crc16(&bytes[..end]).to_le_bytes();
            bytes[end..].copy_from_slice(&crc);
        }
        bytes
    }

    pub fn reply(&self, first: u16, values: &[u8]) -> Vec<u8> {
        let mut bytes = match self.series.protocol {
            Protocol::One => {
                let torque = if self.series.name == "sts" { u8::from(self.holds()) << 4 } else { 0 };
                vec![0xFF, 0xFF, self.id, values.len() as u8 + 2, self.error | torque]
            }
            Protocol::Lx => vec![0x55, 0x55, self.id, values.len() as u8 + 3, (first / 4) as u8],
            Protocol::Two => {
                let alert = u8::from(self.series.alarm.is_some_and(|field| self.get(field) != 0)) << 7;
                vec![0xFF, 0xFF, 0xFD, 0x00, self.id, 0, 0, 0x55, alert]
            }
        };
        for &byte in values {
            bytes.push(byte);
            if self.series.protocol == Protocol::Two && bytes[7..].ends_with(&[0xFF, 0xFF, 0xFD]) {
                bytes.push(0xFD);
            }
        }
        match self.series.protocol {
            Protocol::One | Protocol::Lx => bytes.push(checksum(&bytes[2..])),
            Protocol::Two => {
                let length = (bytes.len() - 5) as u16;
                bytes[5..7].copy_from_slice(&length.to_le_bytes());
                let crc = crc16(&bytes);
                bytes.extend(crc.to_le_bytes());
            }
        }
        if self.twin {
            // Two that speak at once: where either pulls the line low it is low.
            let shifted: Vec<u8> = bytes.iter().cycle().skip(1).take(bytes.len()).copied().collect();
            bytes.iter_mut().zip(shifted).for_each(|(byte, other)| *byte &= other);
        }
        bytes
    }

    /// Its reply to a request for registers, with what it misreads.
    pub fn answer(&mut self, first: u16, count: u16, random: &mut Random) -> Vec<u8> {
        let (series, block) = (self.series, Block::new(first, count.min(255) as u8));
        let mut values = self.read(first, count);
        if let (Some(step), (off, 1..)) = (series.number(series.position, block, &values), self.misread) {
            self.misread.1 -= 1;
            series.put((step as f64 + off) as u32, series.position, block, &mut values);
        }
        if let Some(field) = self.wild {
            series.put(random.below(1 << 16) as u32, field, block, &mut values);
        }
        self.reply(first, &values)
    }

    pub fn read(&self, first: u16, count: u16) -> Vec<u8> {
        let from = usize::from(first);
        self.registers.get(from..from + usize::from(count)).map(<[u8]>::to_vec).unwrap_or_default()
    }

    /// What it complains of from now on.
    pub fn complain(&mut self, bits: u8) {
        match self.series.alarm {
            Some(field) => self.set(field, u32::from(bits)),
            None => self.error = bits,
        }
    }
}
