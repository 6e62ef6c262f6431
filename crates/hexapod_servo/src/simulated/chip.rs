//! One PCA9685, register by register (datasheet sections 7.2 to 7.6).

use crate::pca9685::registers::*;

const MODE1_EXTCLK: u8 = 0x40;
const MODE2_CHANGE_ON_ACK: u8 = 0x08;
const FULL_ON: u8 = 0x10;
const SUBADR1: u8 = 0x02;
const ALL_LED_ON_L: u8 = 0xFA;

/// What a channel puts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// No pulse: full-off, asleep, or waiting for RESTART.
    Low,
    /// One pulse per period.
    Pulse {
        /// Count at which it begins.
        on: u16,
        /// Its length in counts.
        counts: u16,
    },
    /// Always high: full-on.
    High,
    /// ON equals OFF, which the datasheet forbids (7.3.4).
    Undefined,
}

/// A simulated PCA9685. Registers are as after power-up (7.5) until written.
#[derive(Clone, Debug)]
pub struct Chip {
    address: u8,
    oscillator_hz: f64,
    registers: [u8; 256],
    /// LED registers in force: those at the last STOP, or at the last ACK with OCH set (7.3.2).
    in_force: [[u8; 4]; CHANNELS],
    pointer: u8,
    led_written: bool,
    resets: u64,
    /// Acknowledged the address of the present transfer.
    listening: bool,
}

impl Chip {
    /// A chip strapped to `address` whose oscillator runs at `oscillator_hz`.
    pub fn new(address: u8, oscillator_hz: f64) -> Self {
        let mut chip = Self {
            address,
            oscillator_hz,
            registers: [0; 256],
            in_force: [[0; 4]; CHANNELS],
            pointer: 0,
            led_written: false,
            resets: 0,
            listening: false,
        };
        chip.power_up();
        chip
    }

    /// Strapped address.
    pub fn address(&self) -> u8 {
        self.address
    }

    /// Value of a register as stored.
    pub fn register(&self, register: u8) -> u8 {
        self.registers[usize::from(register)]
    }

    /// Length of a PWM period in microseconds, awake or not.
    pub fn period_us(&self) -> f64 {
        self.counted_us(COUNTS_PER_PERIOD)
    }

    /// Resets since it was made.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// Output of a channel now.
    pub fn output(&self, channel: u8) -> Output {
        let asleep = self.register(MODE1) & (MODE1_SLEEP | MODE1_RESTART) != 0;
        let Some(&[on_l, on_h, off_l, off_h]) = self.in_force.get(usize::from(channel)) else { return Output::Low };
        let count = |low: u8, high: u8| u16::from_le_bytes([low, high & 0x0F]);
        let (on, off) = (count(on_l, on_h), count(off_l, off_h));
        match () {
            () if asleep || off_h & FULL_OFF != 0 => Output::Low,
            () if on_h & FULL_ON != 0 => Output::High,
            () if on == off => Output::Undefined,
            () => Output::Pulse { on, counts: off.wrapping_sub(on) & (COUNTS_PER_PERIOD - 1) },
        }
    }

    /// Length of a channel's pulse in microseconds, if it has one.
    pub fn pulse_us(&self, channel: u8) -> Option<f64> {
        match self.output(channel) {
            Output::Pulse { counts, .. } => Some(self.counted_us(counts)),
            _ => None,
        }
    }

    /// Length of so many counts in microseconds.
    fn counted_us(&self, counts: u16) -> f64 {
        let prescale = f64::from(self.register(PRE_SCALE));
        f64::from(counts) * (prescale + 1.0) / self.oscillator_hz * 1e6
    }

    /// Puts all registers back to their power-up values (7.5), as a brown-out does.
    pub fn reset(&mut self) {
        self.resets += 1;
        self.power_up();
    }

    fn power_up(&mut self) {
        self.registers = [0; 256];
        let defaults = [(MODE1, 0x11), (MODE2, 0x04), (2, 0xE2), (3, 0xE4), (4, 0xE8), (ALLCALLADR, 0xE0)];
        for (register, value) in defaults.into_iter().chain([(PRE_SCALE, 0x1E)]) {
            self.registers[usize::from(register)] = value;
        }
        for channel in 0..CHANNELS as u8 {
            self.registers[usize::from(off_h(channel))] = FULL_OFF;
        }
        self.pointer = 0;
        self.led_written = false;
        self.latch();
    }

    /// True if it acknowledges this address (7.1).
    pub(super) fn answers(&self, address: u8) -> bool {
        let mode1 = self.register(MODE1);
        let sub_call = (0..3).any(|n| mode1 & (0x08 >> n) != 0 && self.register(SUBADR1 + n) >> 1 == address);
        let all_call = mode1 & MODE1_ALL_CALL != 0 && self.register(ALLCALLADR) >> 1 == address;
        address == self.address || sub_call || all_call
    }

    pub(super) fn set_listening(&mut self, listening: bool) {
        self.listening = listening;
    }

    pub(super) fn is_listening(&self) -> bool {
        self.listening
    }

    pub(super) fn point_to(&mut self, register: u8) {
        self.pointer = register;
    }

    pub(super) fn take(&mut self, value: u8) {
        let register = self.pointer;
        self.store(register, value);
        self.count_up();
    }

    pub(super) fn shift_out(&mut self) -> u8 {
        let register = self.pointer;
        self.count_up();
        if (ALL_LED_ON_L..=ALL_LED_OFF_H).contains(&register) { 0 } else { self.register(register) }
    }

    /// A STOP condition on the bus.
    pub(super) fn stop(&mut self) {
        if self.register(MODE2) & MODE2_CHANGE_ON_ACK == 0 && self.led_written {
            self.led_written = false;
            self.registers[usize::from(MODE1)] &= !MODE1_RESTART;
            self.latch();
        }
    }

    fn count_up(&mut self) {
        if self.register(MODE1) & MODE1_AUTO_INCREMENT != 0 {
            self.pointer = if self.pointer == LED15_OFF_H { MODE1 } else { self.pointer.wrapping_add(1) };
        }
    }

    fn store(&mut self, register: u8, value: u8) {
        let asleep = self.register(MODE1) & MODE1_SLEEP != 0;
        match register {
            MODE1 => self.store_mode1(value),
            MODE2 => self.registers[usize::from(MODE2)] = value & 0x1F,
            SUBADR1..=ALLCALLADR => self.registers[usize::from(register)] = value & 0xFE,
            LED0_ON_L..=LED15_OFF_H => self.store_led(register, value),
            ALL_LED_ON_L..=ALL_LED_OFF_H => {
                for channel in 0..CHANNELS as u8 {
                    self.store_led(on_l(channel) + (register - ALL_LED_ON_L), value);
                }
            }
            PRE_SCALE if asleep => self.registers[usize::from(PRE_SCALE)] = value.max(PRESCALE_MIN),
            _ => {}
        }
    }

    /// RESTART reads 1 when SLEEP stopped a running PWM and is cleared by writing 1 to it awake (7.3.1.1); EXTCLK
    /// stays until reset and is taken in SLEEP only.
    fn store_mode1(&mut self, value: u8) {
        let old = self.register(MODE1);
        let running = self.in_force.iter().any(|registers| registers[3] & FULL_OFF == 0);
        let falls_asleep = old & MODE1_SLEEP == 0 && value & MODE1_SLEEP != 0;
        let restarts = value & MODE1_RESTART != 0 && value & MODE1_SLEEP == 0;
        let mut new = value & !(MODE1_RESTART | MODE1_EXTCLK) | old & (MODE1_RESTART | MODE1_EXTCLK);
        if falls_asleep && running {
            new |= MODE1_RESTART;
        } else if restarts {
            new &= !MODE1_RESTART;
        }
        if value & MODE1_EXTCLK != 0 && old & MODE1_SLEEP != 0 {
            new |= MODE1_EXTCLK;
        }
        self.registers[usize::from(MODE1)] = new;
    }

    fn store_led(&mut self, register: u8, value: u8) {
        let high = (register - LED0_ON_L) % 2 == 1;
        self.registers[usize::from(register)] = if high { value & 0x1F } else { value };
        self.led_written = true;
        let last_of_channel = (register - LED0_ON_L) % 4 == 3;
        if self.register(MODE2) & MODE2_CHANGE_ON_ACK != 0 && last_of_channel {
            self.latch();
        }
    }

    fn latch(&mut self) {
        let start = usize::from(LED0_ON_L);
        let led = &self.registers[start..start + 4 * CHANNELS];
        for (in_force, registers) in self.in_force.iter_mut().zip(led.chunks_exact(4)) {
            in_force.copy_from_slice(registers);
        }
    }
}
