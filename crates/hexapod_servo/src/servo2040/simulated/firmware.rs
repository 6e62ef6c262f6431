//! What the firmwares do with the bytes that come in.

use crate::calibration::TOUCH_INPUTS;
use crate::servo2040::dialect::Dialect;
use crate::servo2040::frame::{CHANNELS, CURRENT, GET, RELAY, TOUCH, halves, whole};

/// The pulses that the servo library puts out, us.
const PULSES_US: std::ops::RangeInclusive<u16> = 500..=2500;
const MIDDLE_US: u16 = 1500;
const SET: u8 = 0xD3;
const SET_ALL: u8 = 0xD5;
const FAULT_WORD: u8 = 27;

/// A board and its servos.
#[derive(Debug)]
pub(super) struct Firmware {
    pub dialect: Dialect,
    pub relay: bool,
    /// What each channel puts out, us; 0: nothing.
    pub levels: [u16; CHANNELS],
    /// The last pulse that each channel had, us.
    pub last: [u16; CHANNELS],
    pub fault_word: u16,
    pub amperes: f64,
    pub volts: f64,
    /// The touch inputs that are pressed.
    pressed: [bool; TOUCH_INPUTS],
}

impl Firmware {
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            relay: false,
            levels: [0; CHANNELS],
            last: [0; CHANNELS],
            fault_word: 0,
            amperes: 0.0,
            volts: 7.4,
            pressed: [false; TOUCH_INPUTS],
        }
    }

    pub fn reset(&mut self) {
        (self.relay, self.levels, self.last, self.fault_word) = (false, [0; CHANNELS], [0; CHANNELS], 0);
    }

    pub fn trip(&mut self, amperes: f64) {
        if self.dialect == Dialect::Olli {
            (self.relay, self.levels) = (false, [0; CHANNELS]);
            self.fault_word = 1 | ((amperes * 10.0).round() as u16 & 0x3FF) << 4;
        }
    }

    pub fn press(&mut self, input: usize, pressed: bool) {
        self.pressed[input] = pressed;
    }

    /// What a burst of bytes makes it answer. Bytes that a frame lacks do not come: Chica takes each for 0x7F.
    pub fn hear(&mut self, burst: &[u8]) -> Vec<u8> {
        let mut bytes = burst.iter().copied().peekable();
        let mut reply = Vec::new();
        while let Some(command) = bytes.next() {
            let is_strict = self.dialect == Dialect::Olli;
            let mut next = || match bytes.peek() {
                Some(byte) if is_strict && byte & 0x80 != 0 => None,
                None if is_strict => None,
                _ => Some(bytes.next().unwrap_or(0xFF) & 0x7F),
            };
            match command {
                SET_ALL if is_strict => {
                    let packed: Option<Vec<u8>> = (0..29).map(|_| next()).collect();
                    if let Some(packed) = packed {
                        self.set(0, &unpacked(&packed));
                    }
                }
                SET | GET => {
                    let Some((first, count)) = next().zip(next()) else { continue };
                    if command == GET {
                        reply.extend(self.answer(first, count));
                        continue;
                    }
                    let values: Option<Vec<u16>> = (0..count).map(|_| Some(whole(&[next()?, next()?]))).collect();
                    if let Some(values) = values {
                        self.set(first, &values);
                    }
                }
                _ => {}
            }
        }
        reply
    }

    pub fn set(&mut self, first: u8, values: &[u16]) {
        for (index, value) in (first..).zip(values) {
            match index {
                RELAY => self.switch(*value != 0),
                _ if usize::from(index) < CHANNELS => self.pulse(usize::from(index), *value),
                _ => {}
            }
        }
    }

    fn pulse(&mut self, channel: usize, value: u16) {
        if self.dialect == Dialect::Olli && (!self.relay || value < *PULSES_US.start()) {
            return;
        }
        if value == 0 {
            self.levels[channel] = 0;
            return;
        }
        self.last[channel] = value.clamp(*PULSES_US.start(), *PULSES_US.end());
        self.levels[channel] = if self.relay { self.last[channel] } else { 0 };
    }

    fn switch(&mut self, on: bool) {
        (self.relay, self.fault_word, self.levels) = (on, 0, [0; CHANNELS]);
        if on && self.dialect == Dialect::Chica {
            self.last.iter_mut().filter(|last| **last == 0).for_each(|last| *last = MIDDLE_US);
            self.levels = self.last;
        }
    }

    fn answer(&self, first: u8, count: u8) -> Vec<u8> {
        let mut reply = vec![GET, first, count];
        if self.dialect == Dialect::Olli && (count == 0 || first + count > FAULT_WORD + 1) {
            return vec![];
        }
        (first..first.saturating_add(count)).filter_map(|index| self.value(index)).for_each(|value| {
            reply.extend(halves(value));
        });
        if self.dialect == Dialect::Olli {
            reply.push(reply.iter().fold(0, |sum, byte| sum ^ byte) | 0x80);
        }
        reply
    }

    fn value(&self, index: u8) -> Option<u16> {
        let (amperes, volts) = if self.relay { (self.amperes, self.volts) } else { (0.0, 0.0) };
        let is_chica = self.dialect == Dialect::Chica;
        match index {
            CURRENT if is_chica => Some(((amperes / 0.0814).round() + 512.0) as u16),
            CURRENT => Some((amperes * 100.0).round() as u16),
            _ if index == CURRENT + 1 && is_chica => Some((volts * 310.3).round() as u16),
            _ if index == CURRENT + 1 => Some((volts * 100.0).round() as u16),
            // Connected with 3.3 V, or open and pulled down.
            TOUCH..CURRENT => Some(if self.pressed[usize::from(index - TOUCH)] { 1023 } else { 3 }),
            _ if is_chica => self.last.get(usize::from(index)).copied(),
            RELAY => Some(0),
            FAULT_WORD => Some(self.fault_word),
            _ => self.last.get(usize::from(index)).copied(),
        }
    }
}

/// Pulses, us, of 11 bits each, the highest bit first, in the low 7 bits of each byte.
fn unpacked(packed: &[u8]) -> Vec<u16> {
    let bits: Vec<u16> =
        packed.iter().flat_map(|byte| (0..7).rev().map(move |bit| u16::from(byte >> bit & 1))).collect();
    let number = |bits: &[u16]| bits.iter().fold(0, |number, bit| number << 1 | bit);
    bits.chunks_exact(11).take(CHANNELS).map(|bits| 500 + number(bits).min(2000)).collect()
}
