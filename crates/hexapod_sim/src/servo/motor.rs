//! A servo at one moment.

use super::ServoKind;
use crate::engine::Drive;

/// What a servo's potentiometer and the physics know of its shaft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaft {
    /// rad.
    pub position: f64,
    /// rad/s.
    pub speed: f64,
}

/// How a servo is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakage {
    /// Its motor or electronics are dead: it gives no torque, only its gears' friction.
    Limp,
    /// Its gears are jammed: it stays where it is.
    Jammed,
}

/// A servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servo {
    kind: ServoKind,
    /// Fastest motion of the target, rad/s; infinite for a servo that goes as fast as its motor can.
    slew: f64,
    /// How fast the target follows the last pulse.
    pace: f64,
    /// Time since the last pulse, s.
    since_pulse_s: f64,
    /// The angle of the last pulse, if it gets pulses.
    reported: Option<f64>,
    /// How it is broken, and where it was then.
    broken: Option<(Breakage, f64)>,
    /// What the controller is at: the target after the slew.
    target: Option<f64>,
    /// How fast that moves, rad/s; zero where it jumps.
    rate: f64,
}

impl Servo {
    /// A servo without a pulse.
    pub fn new(kind: ServoKind) -> Self {
        Self {
            kind,
            slew: f64::INFINITY,
            pace: f64::INFINITY,
            since_pulse_s: f64::INFINITY,
            reported: None,
            broken: None,
            target: None,
            rate: 0.0,
        }
    }

    /// One whose target goes evenly from pulse to pulse, and never faster than this, rad/s.
    #[must_use]
    pub fn slewed(mut self, rad_s: f64) -> Self {
        self.slew = rad_s;
        self
    }

    /// Breaks it where its shaft is, or mends it.
    pub fn break_as(&mut self, breakage: Option<Breakage>, shaft: &Shaft) {
        self.broken = breakage.map(|breakage| (breakage, shaft.position));
    }

    /// Its kind.
    pub fn kind(&self) -> &ServoKind {
        &self.kind
    }

    /// A pulse has come, of this angle (rad), or none is coming any more; it counts until the next call.
    ///
    /// A planner's angles are stairs, and a pulse that repeats the one before is none. A target that goes evenly makes a
    /// slope of them: over the time between two pulses, but never over less than a frame of 50 Hz, for pulses of faster
    /// boards are known a step of the physics early or late.
    pub fn tell(&mut self, angle: Option<f64>) {
        let angle = angle.filter(|angle| angle.is_finite());
        if angle != self.reported {
            let way = angle.zip(self.target).map(|(reported, target)| (reported - target).abs());
            let within_s = self.since_pulse_s.clamp(SMOOTH_S, LONGEST_PERIOD_S);
            self.pace = way.map_or(f64::INFINITY, |way| way / within_s);
            self.reported = angle;
        }
        self.since_pulse_s = 0.0;
    }

    /// The angle that its controller is at.
    pub fn target(&self) -> Option<f64> {
        self.target
    }

    /// Where it holds its shaft: where it jammed, or else where its controller is; nowhere without a pulse.
    pub(crate) fn held(&self) -> Option<f64> {
        match self.broken {
            Some((Breakage::Jammed, at)) => Some(at),
            Some((Breakage::Limp, _)) | None => self.target,
        }
    }

    /// Lets the controller's target follow the pulse over a step.
    pub fn follow(&mut self, shaft: &Shaft, step_s: f64) {
        self.since_pulse_s += step_s;
        let before = self.target.filter(|_| self.slew.is_finite());
        self.target = self.reported.map(|aim| {
            let from = self.target.unwrap_or(if self.slew.is_finite() { shaft.position } else { aim });
            let most = if self.slew.is_finite() { self.slew.min(self.pace) * step_s } else { f64::INFINITY };
            aim.max(from - most).min(from + most)
        });
        self.rate = before.zip(self.target).map_or(0.0, |(before, target)| (target - before) / step_s);
    }

    /// What it does to the joint over the next step, at a supply.
    pub fn drive(&self, shaft: &Shaft, volts: f64, step_s: f64) -> Drive {
        let kind = &self.kind;
        let idle = Drive { friction: kind.friction, ..Drive::default() };
        match self.broken {
            Some((Breakage::Jammed, rest)) => {
                return Drive { stiffness: JAMMED, damping: JAMMED_DAMPING, rest, ..idle };
            }
            Some((Breakage::Limp, _)) => return idle,
            None => {}
        }
        let Some(target) = self.target.filter(|_| volts > 0.0) else { return idle };
        let driven = Drive { damping: kind.back_emf(), ..idle };
        let slack = kind.dead_band + 0.5 * kind.backlash;
        let error = target - shaft.position;
        if error.abs() <= slack {
            return driven;
        }
        let rest = target - slack.copysign(error);
        let stall = kind.stall_torque * volts / kind.nominal_v;
        // A bridge that is fully on is a softer spring, which pulls with the stall torque where the step leads if the
        // shaft keeps its speed. A constant torque would carry a light leg past its target in one step and back in the
        // next, for ever; a spring ends in the step.
        let ahead = rest - shaft.position - shaft.speed * step_s + kind.lead * (self.rate - shaft.speed);
        let stiffness = kind.stiffness(volts).min(stall / ahead.abs());
        let lead = stiffness * kind.lead;
        Drive { stiffness, rest, torque: lead * self.rate, damping: driven.damping + lead, ..driven }
    }

    /// Current it draws, A: what the bridge takes from the supply at its duty.
    pub fn current(&self, shaft: &Shaft, volts: f64) -> f64 {
        let kind = &self.kind;
        let Some(target) = self.target.filter(|_| volts > 0.0 && self.broken.is_none()) else { return 0.0 };
        let error = target - shaft.position;
        let beyond = (error.abs() - kind.dead_band).max(0.0).copysign(error);
        let duty = (beyond / kind.full_error).clamp(-1.0, 1.0);
        let motor = kind.stall_current * (duty * volts / kind.nominal_v - shaft.speed / kind.no_load_speed);
        kind.idle_current + (duty * motor).max(0.0)
    }
}

/// Jammed gears give way by a third of a degree under 2 N m, as a joint's stop does.
const JAMMED: f64 = 300.0;
const JAMMED_DAMPING: f64 = 3.0;
/// A target that goes evenly takes this long to a new pulse, s, unless pulses come less often.
const SMOOTH_S: f64 = 0.02;
/// Pulses farther apart than this do not follow each other, s: boards send 24 a second at least.
const LONGEST_PERIOD_S: f64 = 0.05;
