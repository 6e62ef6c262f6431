//! Motion of one joint.

use std::time::Duration;

use super::path::{FRAME, Path};
use crate::joints::DrivenJoint;

/// A step is no jump if a servo makes it within [`FRAME`] at this part of its greatest speed.
const JUMP: f64 = 0.5;

/// The longest step of a servo that is no jump.
pub(super) fn jump_rad(servo: &DrivenJoint) -> f64 {
    JUMP * servo.speed_limit_rad_s * FRAME.as_secs_f64()
}

/// Target and commanded position of one joint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Joint {
    /// Where it shall go, in radians, within limits; `None` until commanded.
    pub target_rad: Option<f64>,
    /// The same as it was asked for, limits or not.
    pub asked_rad: f64,
    /// When it was last commanded; `None` until then.
    pub commanded: Option<Duration>,
    /// The way from its last commanded position to its target, as it was commanded.
    pub path: Path,
    /// True while it is on and has got no command for longer than a stream of them has gaps.
    pub silent: bool,
    /// True while whoever commands it is there and speaks only when a command changes: then silence is no loss.
    pub kept: bool,
    /// True while it is on and its commands have stopped: it stays where it is.
    pub stale: bool,
    /// Where it was last commanded to be, in radians; survives disarming, so that re-arming starts from here.
    pub position_rad: Option<f64>,
    /// True while it is given pulses.
    pub on: bool,
    /// True once it has met its target since it was switched on or commands resumed; until then it moves slowly.
    pub met: bool,
    /// True if the last step ended on its target.
    pub at_target: bool,
    /// True while it is kept off by request.
    pub relaxed: bool,
    /// True while it is kept off because nobody commanded it any more.
    pub released: bool,
    /// True once it has been given a pulse since it was switched on.
    pub begun: bool,
    /// How long it has been asked for what it is not given, less the time it has rested.
    pub strained: Duration,
}

/// One step of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Where it is commanded to be, in radians.
    pub position_rad: f64,
    /// True if that is new.
    pub moved: bool,
}

impl Joint {
    /// Switches it on where it stands, if that was measured; else where it was last commanded to be, else where it is
    /// commanded. Nothing without a target.
    pub fn switch_on(&mut self, measured_rad: Option<f64>) {
        self.on = self.target_rad.is_some();
        self.stale = false;
        self.met = false;
        self.at_target = false;
        self.begun = false;
        self.position_rad = measured_rad.or(self.position_rad).or(self.target_rad);
    }

    /// Age of its last command.
    pub fn age(&self, now: Duration) -> Option<Duration> {
        self.commanded.map(|then| now.saturating_sub(then))
    }

    /// True if its command counts at `now`: it came within `timeout`, or is all that a source that is there has to say.
    pub fn is_fresh(&self, now: Duration, timeout: Duration) -> bool {
        self.age(now).is_some_and(|age| age <= timeout || self.kept)
    }

    /// Notes whether its commands are still coming. One that is commanded again after they had stopped moves slowly at first,
    /// and so does one that is commanded more than `jump_rad` away after a silence: something was lost meanwhile.
    pub fn watch(&mut self, now: Duration, timeout: Duration, jump_rad: f64) {
        let silent = self.on && self.age(now).is_none_or(|age| age > timeout);
        let stale = self.on && !self.is_fresh(now, timeout);
        let goes_on = silent || !self.silent || self.is_within(jump_rad);
        self.met &= goes_on && (stale || !self.stale);
        (self.silent, self.stale) = (silent, stale);
    }

    fn is_within(&self, jump_rad: f64) -> bool {
        self.target_rad.zip(self.position_rad).is_none_or(|(target, position)| (target - position).abs() <= jump_rad)
    }

    /// Takes its pulse away until somebody asks for it again.
    pub fn relax(&mut self) {
        self.relaxed = true;
        self.on = false;
        self.stale = false;
    }

    /// Lets it be switched on again, slowly.
    pub fn bring_back(&mut self) {
        self.relaxed = false;
        self.released = false;
    }

    /// Counts `elapsed` as strain if it is on and commanded to be more than `error_rad` from what is asked for, as at a
    /// limit or at full speed; else as rest. A joint that still moves slowly, after arming, rests. Returns the strain.
    pub fn strain(&mut self, error_rad: f64, elapsed: Duration) -> Duration {
        let error = self.position_rad.map_or(0.0, |position_rad| (self.asked_rad - position_rad).abs());
        let strained = self.on && self.met && !self.stale && error > error_rad;
        self.strained = if strained { self.strained + elapsed } else { self.strained.saturating_sub(elapsed) };
        self.strained
    }

    /// True if its next step would make up for time in which it got no command, and be more than `jump_rad`.
    pub fn would_jump(&self, jump_rad: f64) -> bool {
        self.is_late() && !self.is_within(jump_rad)
    }

    /// True while it makes up for time in which it got no command.
    pub fn is_behind(&self) -> bool {
        self.on && !self.stale && self.path.is_behind()
    }

    /// True if its next step would make up for time in which it got no command. A joint that moves slowly needs no
    /// care, nor one that makes up for lost time already.
    pub fn is_late(&self) -> bool {
        self.on && self.met && !self.stale && !self.path.is_behind() && self.path.is_late()
    }

    /// One step of `elapsed` toward the target, at most `speed_rad_s` fast; `None` if the joint is off or its commands
    /// have stopped. The first one after it was switched on stays where it is.
    pub fn step(&mut self, speed_rad_s: f64, elapsed: Duration) -> Option<Step> {
        let (true, Some(target_rad), Some(position_rad)) = (self.on && !self.stale, self.target_rad, self.position_rad)
        else {
            return None;
        };
        let step_rad = if self.begun { speed_rad_s * elapsed.as_secs_f64() } else { 0.0 };
        if !self.met {
            self.path.skip();
        }
        let goal_rad = self.path.advance(elapsed);
        let error_rad = goal_rad - position_rad;
        let next = if error_rad.abs() <= step_rad { goal_rad } else { position_rad + step_rad.copysign(error_rad) };
        self.at_target = next == target_rad;
        self.met |= self.at_target;
        self.position_rad = Some(next);
        let moved = next != position_rad || !self.begun;
        self.begun = true;
        Some(Step { position_rad: next, moved })
    }
}
