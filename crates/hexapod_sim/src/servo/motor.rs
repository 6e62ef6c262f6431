//! A servo at one moment.

use super::{PulseClock, ServoKind};
use crate::engine::Drive;

/// What a servo's potentiometer and the physics know of its shaft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaft {
    /// rad.
    pub position: f64,
    /// rad/s.
    pub speed: f64,
}

/// A servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servo {
    kind: ServoKind,
    /// Fastest motion of the target, rad/s; infinite for a servo that goes as fast as its motor can.
    slew: f64,
    /// What its plug is told: the angle of the pulse, if there is one.
    told: Option<f64>,
    /// The pulse of the frame that began last, and of the last one that has ended.
    begun: (u64, Option<f64>),
    ended: (u64, Option<f64>),
    /// What the controller is at: the target after the slew.
    target: Option<f64>,
}

impl Servo {
    /// A servo without a pulse.
    pub fn new(kind: ServoKind) -> Self {
        Self { kind, slew: f64::INFINITY, told: None, begun: (0, None), ended: (0, None), target: None }
    }

    /// One that never moves its target faster than this, rad/s.
    #[must_use]
    pub fn slewed(mut self, rad_s: f64) -> Self {
        self.slew = rad_s;
        self
    }

    /// Its kind.
    pub fn kind(&self) -> &ServoKind {
        &self.kind
    }

    /// The angle of the pulse on its plug from now on, rad; `None` for no pulse.
    pub fn tell(&mut self, angle: Option<f64>) {
        self.told = angle.filter(|angle| angle.is_finite());
    }

    /// The angle that its controller is at.
    pub fn target(&self) -> Option<f64> {
        self.target
    }

    /// Lets time pass on the plug, up to `now_ns`; without a clock, pulses are acted on at once.
    pub fn hear(&mut self, clock: Option<&PulseClock>, now_ns: u64) {
        let Some(clock) = clock else {
            self.ended.1 = self.told;
            return;
        };
        let (begun, ended) = (clock.begun(now_ns), clock.ended(now_ns));
        if ended > self.ended.0 && begun > ended {
            self.ended = (ended, self.begun.1);
        }
        if begun > self.begun.0 {
            self.begun = (begun, self.told);
        }
        if ended > self.ended.0 {
            self.ended = (ended, self.begun.1);
        }
    }

    /// Lets the controller's target follow the pulse over a step.
    pub fn follow(&mut self, shaft: &Shaft, step_s: f64) {
        self.target = self.ended.1.map(|aim| {
            let from = self.target.unwrap_or(if self.slew.is_finite() { shaft.position } else { aim });
            let most = self.slew * step_s;
            aim.max(from - most).min(from + most)
        });
    }

    /// What it does to the joint over the next step, at a supply.
    pub fn drive(&self, shaft: &Shaft, volts: f64, step_s: f64) -> Drive {
        let kind = &self.kind;
        let idle = Drive { friction: kind.friction, ..Drive::default() };
        let Some(target) = self.target.filter(|_| volts > 0.0) else { return idle };
        let driven = Drive { damping: kind.back_emf(), ..idle };
        let slack = kind.dead_band + 0.5 * kind.backlash;
        let error = target - shaft.position;
        if error.abs() <= slack {
            return driven;
        }
        let rest = target - slack.copysign(error);
        let stiffness = kind.stiffness(volts);
        let stall = kind.stall_torque * volts / kind.nominal_v;
        // Where the step leads if the shaft keeps its speed: what is saturated now may not be then.
        let ahead = rest - shaft.position - shaft.speed * step_s;
        if stiffness * ahead.abs() < stall {
            Drive { stiffness, rest, ..driven }
        } else {
            Drive { torque: stall.copysign(ahead), ..driven }
        }
    }

    /// Current it draws, A: what the bridge takes from the supply at its duty.
    pub fn current(&self, shaft: &Shaft, volts: f64) -> f64 {
        let kind = &self.kind;
        let Some(target) = self.target.filter(|_| volts > 0.0) else { return 0.0 };
        let error = target - shaft.position;
        let beyond = (error.abs() - kind.dead_band).max(0.0).copysign(error);
        let duty = (beyond / kind.full_error).clamp(-1.0, 1.0);
        let motor = kind.stall_current * (duty * volts / kind.nominal_v - shaft.speed / kind.no_load_speed);
        kind.idle_current + (duty * motor).max(0.0)
    }
}
