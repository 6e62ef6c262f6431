//! What enjoykin's firmware does with the packets that come in, and as time goes on.

use std::time::Duration;

use crate::calibration::TOUCH_INPUTS;
use crate::servo2040::frame::CHANNELS;
use crate::servo2040::packet::{
    DONE, ENABLE, GET_INPUTS, GET_STATE, Heard, INPUTS, Packets, REFUSED, RELAY, REPORT, RESET, SET_TARGETS, STATE,
    each,
};

const TICK: Duration = Duration::from_millis(10);
/// Pulses go no faster, us a tick.
const STEP_US: u16 = 20;
const ZERO_US: u16 = 1500;
/// Without a packet for so long it lets go.
const WATCHDOG: Duration = Duration::from_millis(200);
/// After a reset it measures for so long before it judges.
const WARM: Duration = Duration::from_millis(400);
const LEAST_V: f64 = 4.0;
/// It stands still for so long with each servo that it switches on.
const SWITCHES: Duration = Duration::from_millis(20);

/// A board and its servos.
#[derive(Debug)]
pub(super) struct Enjoykin {
    pub relay: bool,
    targets: [u16; CHANNELS],
    pulses: [u16; CHANNELS],
    on: [bool; CHANNELS],
    /// Bits 0 to 3 of the flags.
    trips: u8,
    /// What it reports unasked, until somebody hears it.
    reports: Vec<[u8; 4]>,
    pub amperes: f64,
    pub volts: f64,
    pub pressed: [bool; TOUCH_INPUTS],
    /// Bytes that no zero has ended yet.
    waiting: Vec<u8>,
    ticked: Duration,
    /// When it last heard a packet, unless it was reset since.
    heard: Option<Duration>,
    reset: Duration,
    /// It stands still until then.
    pub busy_until: Duration,
}

impl Enjoykin {
    pub fn new() -> Self {
        Self {
            relay: false,
            targets: [ZERO_US; CHANNELS],
            pulses: [ZERO_US; CHANNELS],
            on: [false; CHANNELS],
            trips: 0,
            reports: vec![],
            amperes: 0.0,
            volts: 7.4,
            pressed: [false; TOUCH_INPUTS],
            waiting: vec![],
            ticked: Duration::ZERO,
            heard: None,
            reset: Duration::ZERO,
            busy_until: Duration::ZERO,
        }
    }

    pub fn pulse_us(&self, channel: usize) -> Option<u16> {
        self.pulses.get(channel).copied().filter(|_| self.relay && self.on[channel])
    }

    pub fn write(&mut self, channel: usize, pulse_us: u16) {
        self.targets[channel] = pulse_us;
    }

    /// As with its supply gone for a moment.
    pub fn restart(&mut self) {
        let kept = (self.amperes, self.volts, self.pressed, self.ticked);
        *self = Self { reset: self.ticked, ..Self::new() };
        (self.amperes, self.volts, self.pressed, self.ticked) = kept;
    }

    pub fn trip(&mut self, flag: u8, code: u8, value: f64) {
        let [low, high] = ((value * 1000.0).round() as u16).to_le_bytes();
        (self.trips, self.on, self.relay) = (self.trips | flag, [false; CHANNELS], false);
        self.reports.push([code, 0, low, high]);
    }

    pub fn advance_to(&mut self, time: Duration) {
        if time > self.ticked + 100 * TICK {
            self.ticked = time - 100 * TICK;
        }
        while self.ticked + TICK <= time {
            self.ticked += TICK;
            for (pulse, target) in self.pulses.iter_mut().zip(self.targets) {
                *pulse = target.clamp(pulse.saturating_sub(STEP_US), *pulse + STEP_US);
            }
            if self.heard.is_some_and(|heard| self.ticked > heard + WATCHDOG) && self.trips & 1 == 0 {
                self.trip(1, 0x40, 0.0);
            }
            let volts = if self.relay { self.volts } else { 0.0 };
            if self.ticked > self.reset + WARM && volts < LEAST_V && self.trips & 2 == 0 {
                self.trip(2, 0x30, volts);
            }
        }
    }

    /// What bytes make it answer.
    pub fn hear(&mut self, burst: &[u8], time: Duration) -> Vec<u8> {
        self.waiting.extend(burst);
        let Some(end) = self.waiting.iter().rposition(|byte| *byte == 0) else { return vec![] };
        let bytes: Vec<u8> = self.waiting.drain(..=end).collect();
        let mut reply = vec![];
        each(&bytes, |heard| {
            self.heard = Some(time);
            reply.extend(self.obey(heard, time));
        });
        reply
    }

    fn obey(&mut self, heard: Heard<'_>, time: Duration) -> Vec<u8> {
        let mut packets = Packets::none();
        self.reports.drain(..).for_each(|report| packets.push(0, REPORT, &report));
        match (heard.command, heard.payload) {
            (GET_STATE, []) => packets.push(heard.number, STATE, &self.state()),
            (GET_INPUTS, []) => {
                let closed = self.pressed.iter().enumerate().fold(0, |bits, (bit, on)| bits | u8::from(*on) << bit);
                packets.push(heard.number, INPUTS, &[closed]);
            }
            (ENABLE, &[_, 1]) if self.trips != 0 => packets.push(heard.number, REFUSED, &[ENABLE, 0x40]),
            (ENABLE, &[channel, on]) if usize::from(channel) < CHANNELS => {
                self.on[usize::from(channel)] = on != 0;
                if on != 0 {
                    self.busy_until = self.busy_until.max(time) + SWITCHES;
                }
                packets.push(heard.number, DONE, &[ENABLE]);
            }
            (SET_TARGETS, payload) if payload.len() == 2 * CHANNELS => self.aim(heard, &mut packets),
            (RELAY, &[on]) => {
                self.relay = on != 0;
                packets.push(heard.number, DONE, &[RELAY]);
            }
            (RESET, []) => {
                (self.targets, self.pulses) = ([ZERO_US; CHANNELS], [ZERO_US; CHANNELS]);
                (self.on, self.trips, self.heard, self.reset) = ([false; CHANNELS], 0, None, time);
                packets.push(heard.number, DONE, &[RESET]);
            }
            (command, _) => packets.push(heard.number, REFUSED, &[command, 3]),
        }
        packets.bytes().to_vec()
    }

    fn aim(&mut self, heard: Heard<'_>, packets: &mut Packets) {
        let mut is_cut = false;
        for (channel, bytes) in heard.payload.chunks_exact(2).enumerate() {
            let wanted = u16::from_le_bytes([bytes[0], bytes[1]]);
            self.targets[channel] = wanted.clamp(500, 2500);
            is_cut |= self.targets[channel] != wanted;
        }
        if is_cut {
            packets.push(heard.number, REPORT, &[0x10, 0, 0, 0]);
        } else {
            packets.push(heard.number, DONE, &[SET_TARGETS]);
        }
    }

    fn state(&self) -> Vec<u8> {
        let mut state: Vec<u8> = self.pulses.iter().flat_map(|pulse| pulse.to_le_bytes()).collect();
        let (amperes, volts) = if self.relay { (self.amperes, self.volts) } else { (0.0, 0.0) };
        state.extend(((amperes * 1000.0).round() as u16).to_le_bytes());
        state.extend([0; 2 * (CHANNELS - 1)]);
        state.extend(((volts * 1000.0).round() as u16).to_le_bytes());
        let any_off = self.on.iter().any(|on| !on);
        state.push(self.trips | u8::from(any_off) << 4 | u8::from(self.relay) << 6);
        state
    }
}
