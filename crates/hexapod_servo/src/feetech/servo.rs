//! One servo as the driver knows it: what it was commanded, what it measures, whether it answers.

use std::time::Duration;

use thiserror::Error;

use super::config::Servo;
use super::port::PortError;
use super::registers::{
    AMPERES, CURRENT, GOAL, LOAD, PRESENT, STATE_COUNT, TEMPERATURE, TORQUE, VOLTAGE, alarms, signed,
};
use crate::backend::{Measured, Sample, Service};

/// A servo that does not answer for longer is lost.
const LOST_AFTER: Duration = Duration::from_millis(60);
/// A servo that was switched off, and did not say that it is, is switched off again after this time; one that did, after the
/// longer one: nobody else may switch it on unseen.
const OFF_RETRY: Duration = Duration::from_millis(20);
const OFF_AGAIN: Duration = Duration::from_millis(400);
/// A sample this far from the one before is wild: it is believed when so many have come in a row.
const WILD: u8 = 3;
const WILD_STEPS: f64 = 400.0;
const WILD_C: f64 = 15.0;
const WILD_V: f64 = 3.0;
/// No current is greater than what the servos' bridge bears.
const WILD_A: f64 = 5.0;
/// A servo that so often reports another goal than it was commanded is not ours any more.
const ALTERED: u8 = 3;

/// Why a servo is no longer relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Trouble {
    /// It does not answer.
    #[error("servo {id} does not answer: check its plug and the cable before it")]
    Silent {
        /// Its ID.
        id: u8,
    },
    /// The line does not work.
    #[error("servo {id} cannot be reached: {error}")]
    Line {
        /// Its ID.
        id: u8,
        /// What the line says.
        error: PortError,
    },
    /// It has let go.
    #[error("servo {id} let go by itself{}: it was overloaded, or its supply sank", complaint(*.alarm))]
    LetGo {
        /// Its ID.
        id: u8,
        /// What it complains of.
        alarm: Option<&'static str>,
    },
    /// It has another goal.
    #[error("servo {id} has the goal {read}, not {expected}: end every other program that drives the servos")]
    Altered {
        /// Its ID.
        id: u8,
        /// The goal it has.
        read: u16,
        /// The goal it was given.
        expected: u16,
    },
}

fn complaint(alarm: Option<&'static str>) -> String {
    alarm.map_or(String::new(), |alarm| format!(" and complains of {alarm}"))
}

/// A quantity of which single samples may be wrong.
#[derive(Clone, Copy, Debug, Default)]
struct Trusted {
    value: Option<f64>,
    wild: u8,
}

impl Trusted {
    /// The sample, unless it is wild.
    fn take(&mut self, value: f64, tolerance: f64) -> Option<f64> {
        let is_wild = self.value.is_some_and(|before| (value - before).abs() > tolerance);
        self.wild = if is_wild { self.wild + 1 } else { 0 };
        if is_wild && self.wild < WILD {
            return None;
        }
        (self.value, self.wild) = (Some(value), 0);
        self.value
    }
}

#[derive(Debug)]
pub(super) struct ServoUnit {
    pub servo: Servo,
    /// To be limp, and kept so.
    off: bool,
    /// It says that it is limp.
    limp: bool,
    next_off: Duration,
    /// The step it shall go to; `None`: limp.
    wanted: Option<u16>,
    /// The last goal, whether it is to be sent once more, and whether torque was switched on.
    commanded: Option<u16>,
    repeat: bool,
    holds: bool,
    /// When it answered last, and when that was first missed.
    failing_since: Option<Duration>,
    altered: u8,
    measured: Measured,
    steps: Trusted,
    volts: Trusted,
    celsius: Trusted,
    amperes: Trusted,
    pub lost: Option<Trouble>,
}

impl ServoUnit {
    pub fn new(servo: Servo) -> Self {
        Self {
            servo,
            off: true,
            limp: false,
            next_off: Duration::ZERO,
            wanted: None,
            commanded: None,
            repeat: false,
            holds: false,
            failing_since: None,
            altered: 0,
            measured: Measured::default(),
            steps: Trusted::default(),
            volts: Trusted::default(),
            celsius: Trusted::default(),
            amperes: Trusted::default(),
            lost: None,
        }
    }

    pub fn service(&self) -> Service {
        match (self.off, self.failing_since, self.holds || self.wanted.is_some()) {
            (true, ..) => Service::Off,
            (false, Some(_), _) => Service::Failing,
            (false, None, true) => Service::Holding,
            (false, None, false) => Service::Ready,
        }
    }

    pub fn measured(&self) -> Measured {
        self.measured
    }

    /// The step it was commanded and holds.
    pub fn commanded(&self) -> Option<u16> {
        self.commanded.filter(|_| self.holds)
    }

    /// Where it shall go; `None`: limp.
    pub fn set(&mut self, target_rad: Option<f64>) {
        self.wanted = target_rad.map(|target_rad| self.servo.step(target_rad));
        if self.wanted.is_none() {
            self.next_off = Duration::ZERO;
        }
    }

    /// The goal to be sent now, if it is another than before.
    pub fn due(&self) -> Option<u16> {
        self.wanted.filter(|wanted| !self.off && (!self.holds || self.repeat || self.commanded != Some(*wanted)))
    }

    /// Whether its torque is to be switched on, now that it has its goal.
    pub fn is_to_hold(&self) -> bool {
        !self.off && !self.holds && self.wanted.is_some() && self.commanded == self.wanted
    }

    /// Whether its torque is to be switched off now.
    pub fn is_to_go_limp(&self, now: Duration) -> bool {
        (self.off || (self.wanted.is_none() && !self.limp)) && now >= self.next_off
    }

    /// Notes what was sent.
    pub fn note_goal(&mut self, goal: u16) {
        (self.commanded, self.repeat) = (Some(goal), false);
    }

    /// Whether its torque was switched on.
    pub fn holds(&self) -> bool {
        self.holds
    }

    pub fn note_torque(&mut self) {
        (self.holds, self.limp) = (true, false);
    }

    /// Notes that its torque was switched off, and whether it says that it is. Whatever it says, it begins anew if it is wanted.
    pub fn note_limp(&mut self, now: Duration, limp: bool) {
        (self.limp, self.commanded, self.holds) = (limp, None, false);
        self.next_off = now + if limp { OFF_AGAIN } else { OFF_RETRY };
    }

    pub fn is_limp(&self) -> bool {
        self.limp
    }

    /// Whether it is meant to be limp, and did not say that it is.
    pub fn resists(&self) -> bool {
        self.off && !self.limp
    }

    /// Commands it limp from the next exchange on.
    pub fn let_go(&mut self) {
        if self.off {
            return;
        }
        (self.off, self.limp, self.wanted, self.commanded) = (true, false, None, None);
        (self.failing_since, self.altered, self.next_off) = (None, 0, Duration::ZERO);
    }

    /// Commands it limp at once, whatever it said before.
    pub fn demand_limp(&mut self) {
        self.let_go();
        (self.limp, self.next_off) = (false, Duration::ZERO);
    }

    /// In service from now on. One that holds goes on holding.
    pub fn enter_service(&mut self) {
        self.off = false;
        (self.failing_since, self.altered) = (None, 0);
    }

    /// After a refused arming: limp again, unless it holds.
    pub fn stay_off(&mut self) {
        self.off |= !self.holds;
    }

    /// Judges an exchange in which it was asked.
    pub fn judge(&mut self, now: Duration, answered: bool, line: Option<PortError>) {
        if answered {
            self.failing_since = None;
            return;
        }
        // A stop that came in between says nothing of a servo.
        if self.off || line == Some(PortError::GaveWay) {
            return;
        }
        let since = *self.failing_since.get_or_insert(now);
        if now.saturating_sub(since) >= LOST_AFTER {
            let id = self.servo.id;
            self.lost = Some(line.map_or(Trouble::Silent { id }, |error| Trouble::Line { id, error }));
        }
    }

    pub fn is_failing(&self) -> bool {
        !self.off && self.failing_since.is_some()
    }

    /// Takes position and speed in.
    pub fn hear_present(&mut self, now: Duration, error: u8, values: [u8; 4]) {
        let [position_low, position_high, speed_low, speed_high] = values;
        self.measured.alarm = alarms(error).last();
        let steps = f64::from(signed([position_low, position_high], 15));
        if let Some(steps) = self.steps.take(steps, WILD_STEPS) {
            self.measured.position_rad = Some(Sample { value: self.servo.angle_rad(steps), at: now });
            let speed = f64::from(signed([speed_low, speed_high], 15));
            self.measured.velocity_rad_s = Some(Sample { value: self.servo.turned_rad(speed), at: now });
        }
    }

    /// Takes in its whole state, and compares it with what was commanded.
    pub fn hear_state(&mut self, now: Duration, error: u8, values: &[u8; STATE_COUNT]) {
        let byte = |register: u8| values[usize::from(register - TORQUE)];
        let pair = |register: u8| [byte(register), byte(register + 1)];
        let [position, speed] = [PRESENT, PRESENT + 2].map(pair);
        self.hear_present(now, error, [position[0], position[1], speed[0], speed[1]]);
        let sample = |value: Option<f64>| value.map(|value| Sample { value, at: now });
        let load = self.servo.along(f64::from(signed(pair(LOAD), 10)) / 1000.0);
        self.measured.load = sample(Some(load));
        let amperes = f64::from(signed(pair(CURRENT), 15)).abs() * AMPERES;
        let amperes = self.amperes.take(amperes, WILD_A);
        self.measured.current_a = sample(amperes).or(self.measured.current_a);
        let volts = self.volts.take(f64::from(byte(VOLTAGE)) / 10.0, WILD_V);
        self.measured.voltage_v = sample(volts).or(self.measured.voltage_v);
        let celsius = self.celsius.take(f64::from(byte(TEMPERATURE)), WILD_C);
        self.measured.temperature_c = sample(celsius).or(self.measured.temperature_c);
        self.verify(byte(TORQUE), u16::from_le_bytes(pair(GOAL)));
    }

    fn verify(&mut self, torque: u8, goal: u16) {
        if !self.holds {
            // Nobody else may switch it on unseen.
            self.limp = torque == 0;
        }
        if self.off || !self.holds {
            return;
        }
        let id = self.servo.id;
        let trouble = match self.commanded {
            _ if torque != 1 => Some(Trouble::LetGo { id, alarm: self.measured.alarm }),
            Some(expected) if goal != expected => Some(Trouble::Altered { id, read: goal, expected }),
            _ => None,
        };
        self.altered = if trouble.is_some() { self.altered + 1 } else { 0 };
        // A frame may have been lost on the way, once.
        self.repeat |= matches!(trouble, Some(Trouble::Altered { .. }));
        if self.altered >= ALTERED {
            self.lost = trouble;
        }
    }
}
