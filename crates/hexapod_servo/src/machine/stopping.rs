//! Every way to stop: disarm, emergency stop, fault, shutdown.

use std::time::Duration;

use super::driver::ServoDriver;
use super::fault::Fault;
use super::state::State;
use crate::backend::{Backend, Off, Unacknowledged};

/// Commands of a robot that is to sit may pause for so long: a computer whose supply sags is slow at times, and a robot let go
/// for that would fall.
const RESUMES: Duration = Duration::from_secs(2);

impl<S: Backend> ServoDriver<S> {
    /// Switches everything off with the next tick. A latched fault or emergency stop stays latched. After an
    /// [`enable`](Self::enable) that was refused because of where the joints were last commanded to be, it forgets
    /// that: whoever is answered so says that somebody has moved them by hand. Otherwise it may be called as often as
    /// you like.
    pub fn disable(&mut self) {
        if std::mem::take(&mut self.pose_refused) && !self.puts_out() {
            self.joints.iter_mut().for_each(|joint| joint.position_rad = None);
        }
        self.let_go(None);
        if self.state.is_live() {
            self.state = State::Disarmed;
            self.fault = None;
        }
    }

    /// Cuts everything at once, ahead of anything else, and latches. The next ticks switch each part off by itself until it
    /// acknowledges, whatever became of this frame; an error says only that nobody acknowledged it.
    pub fn emergency_stop(&mut self) -> Result<(), Unacknowledged> {
        let result = self.backend.cut(&mut self.counters.wire);
        self.counters.emergency_stops += 1;
        self.let_go(None);
        self.state = State::EmergencyStop;
        self.fault = None;
        result
    }

    /// Switches everything off now, for the end of the process. True if every part acknowledged it.
    pub fn shutdown(&mut self) -> bool {
        self.disable();
        self.backend.all_off(&mut self.counters.wire) == Off::All
    }

    /// Reports a fault seen outside, e.g. a hung bus thread. It takes effect with the next tick, in a live state only.
    pub fn trip(&mut self, reason: &'static str) {
        if self.state.is_live() {
            self.trip_pending = Some(Fault::External(reason));
        }
    }

    /// Reports something that the robot shall sit down for before its servos go off, e.g. a low battery. It has the time in
    /// which it [sits](Self::set_retiring) for that, and no more joints are switched on. Commands that pause meanwhile are waited
    /// for, for a while.
    pub fn retire(&mut self, now: Duration, reason: &'static str) {
        if matches!(self.state, State::Armed | State::Arming | State::Holding) {
            self.begin_retiring(now, Fault::External(reason));
        }
    }

    /// How long a robot that is to sit is waited for; what was commanded while it sits down is not taken back.
    pub fn set_retiring(&mut self, within: Duration) {
        self.retiring = if self.state == State::Retiring { self.retiring.max(within) } else { within };
    }

    /// Tells that the robot sits. If that is what was waited for, everything goes off with the next tick.
    pub fn sat_down(&mut self, now: Duration) {
        if self.state == State::Retiring {
            self.stop_retiring(now);
            self.let_go(None);
        }
    }

    /// Goes on for as long as it takes to sit down because of `fault`.
    pub(super) fn begin_retiring(&mut self, now: Duration, fault: Fault) {
        self.counters.sit_requests += 1;
        self.counters.last_fault = Some(fault);
        self.fault = Some(fault);
        self.enter(now, State::Retiring);
    }

    /// The fault that was sat down for, at last.
    pub(super) fn stop_retiring(&mut self, now: Duration) {
        if let Some(fault) = self.fault {
            self.fail(now, fault, None);
        }
    }

    /// Ends retiring when it takes too long, or nobody commands it.
    pub(super) fn watch_retiring(&mut self, now: Duration) {
        let is_alone = self.silent_since.is_some_and(|since| now.saturating_sub(since) >= RESUMES);
        if self.state == State::Retiring && (is_alone || now.saturating_sub(self.since) >= self.retiring) {
            self.stop_retiring(now);
        }
    }

    /// Takes the pulses of one group away (see [`ServoConfig::groups`](crate::ServoConfig::groups)), or lets it be
    /// switched on again, slowly. False if there is no such group or the driver is not live.
    pub fn relax(&mut self, group: usize, relaxed: bool) -> bool {
        if group >= self.config.groups.len() || !self.state.is_live() {
            return false;
        }
        for (index, (joint, servo)) in self.joints.iter_mut().zip(&self.config.joints).enumerate() {
            if servo.group == group {
                if relaxed {
                    joint.relax();
                    self.backend.set(index, None);
                } else {
                    joint.bring_back();
                }
            }
        }
        true
    }

    /// Latches a fault. `part` is the one at fault; it is commanded off, the others keep their pulses for now. A robot
    /// that stands without that part's legs sits down first.
    pub(super) fn fail(&mut self, now: Duration, fault: Fault, part: Option<usize>) {
        if part.is_some() {
            self.let_go(part);
            let is_spare = part.is_some_and(|part| self.spare_parts.checked_shr(part as u32).unwrap_or(0) & 1 != 0);
            if self.state == State::Armed && is_spare {
                return self.begin_retiring(now, fault);
            }
        }
        if self.state == State::EmergencyStop {
            return;
        }
        self.counters.faults += 1;
        self.counters.last_fault = Some(fault);
        if self.state != State::Fault {
            self.fault = Some(fault);
        }
        self.enter(now, State::Fault);
    }

    /// Lets go of a part, or of all, and notes that its joints are off.
    pub(super) fn let_go(&mut self, part: Option<usize>) {
        self.backend.let_go(part);
        for (index, joint) in self.joints.iter_mut().enumerate() {
            joint.on &= part.is_some_and(|part| part != self.backend.part(index));
            joint.stale &= joint.on;
        }
    }
}
