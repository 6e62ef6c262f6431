//! One servo: its register file, and how it moves.

use crate::feetech::frame::checksum;
use crate::feetech::registers::{ANGLE_LIMITS, GOAL, MODEL, PRESENT, TEMPERATURE, TORQUE, VOLTAGE};

/// Registers of one servo.
const REGISTERS: usize = 128;
/// Steps a second that a servo makes at most.
const FASTEST: f64 = 3400.0;
#[derive(Debug)]
pub(super) struct Servo {
    pub id: u8,
    registers: [u8; REGISTERS],
    /// Where it is, in steps.
    pub position: f64,
    pub silent: bool,
    pub twin: bool,
    pub error: u8,
}

impl Servo {
    pub fn new(id: u8) -> Self {
        let mut servo = Self { id, registers: [0; REGISTERS], position: 2048.0, silent: false, twin: false, error: 0 };
        servo.put(MODEL, 777);
        servo.registers[5] = id;
        servo.put(ANGLE_LIMITS + 2, 4095);
        servo.reset();
        servo
    }

    pub fn put(&mut self, register: u8, value: u16) {
        let at = usize::from(register);
        self.registers[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    fn pair(&self, register: u8) -> u16 {
        u16::from_le_bytes([self.registers[usize::from(register)], self.registers[usize::from(register) + 1]])
    }

    pub fn reset(&mut self) {
        self.registers[usize::from(TORQUE)..].fill(0);
        self.registers[usize::from(VOLTAGE)] = 74;
        self.registers[usize::from(TEMPERATURE)] = 31;
        let here = self.position.round() as u16;
        self.put(GOAL, here);
        self.put(PRESENT, here);
    }

    pub fn holds(&self) -> bool {
        self.registers[usize::from(TORQUE)] == 1
    }

    pub fn go_on(&mut self, seconds: f64) {
        let before = self.position;
        if self.holds() {
            let speed = match self.pair(GOAL + 4) {
                0 => FASTEST,
                speed => f64::from(speed).min(FASTEST),
            };
            let away = f64::from(self.pair(GOAL)) - self.position;
            self.position += away.clamp(-speed * seconds, speed * seconds);
        }
        let speed = if seconds > 0.0 { ((self.position - before) / seconds).round() } else { 0.0 };
        let sign = if speed < 0.0 { 0x8000 } else { 0 };
        self.put(PRESENT, self.position.round() as u16);
        self.put(PRESENT + 2, speed.abs() as u16 | sign);
    }

    pub fn write(&mut self, first: u8, values: &[u8]) {
        let from = usize::from(first);
        if let Some(registers) = self.registers.get_mut(from..from + values.len()) {
            registers.copy_from_slice(values);
        }
        if self.registers[usize::from(TORQUE)] == 128 {
            self.position = 2048.0;
        }
    }

    pub fn reply(&self, values: &[u8]) -> Vec<u8> {
        let torque = u8::from(self.holds()) << 4;
        let mut bytes = vec![0xFF, 0xFF, self.id, values.len() as u8 + 2, self.error | torque];
        bytes.extend(values);
        bytes.push(checksum(&bytes[2..]));
        if self.twin {
            // Two that speak at once: where either pulls the line low it is low.
            let shifted: Vec<u8> = bytes.iter().cycle().skip(1).take(bytes.len()).copied().collect();
            bytes.iter_mut().zip(shifted).for_each(|(byte, other)| *byte &= other);
        }
        bytes
    }

    pub fn read(&self, first: u8, count: u8) -> Vec<u8> {
        let from = usize::from(first);
        self.registers.get(from..from + usize::from(count)).map(<[u8]>::to_vec).unwrap_or_default()
    }
}
