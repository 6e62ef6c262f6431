//! Every way to stop: disarm, emergency stop, fault, shutdown.

use std::time::Duration;

use embedded_hal::i2c::I2c;

use super::driver::{RETRIES, ServoDriver};
use super::fault::Fault;
use super::state::State;
use crate::pca9685::{self, BusError, Level, Link};

impl<B: I2c> ServoDriver<B> {
    /// Switches everything off with the next tick. A latched fault or emergency stop stays latched. After an
    /// [`enable`](Self::enable) that was refused because of where the joints were last commanded to be, it forgets
    /// that: whoever is answered so says that somebody has moved them by hand. Otherwise it may be called as often as
    /// you like.
    pub fn disable(&mut self) {
        if std::mem::take(&mut self.pose_refused) && self.boards.iter().all(|board| board.off) {
            self.joints.iter_mut().for_each(|joint| joint.position_rad = None);
        }
        self.drop_pulses();
        if self.state.is_live() {
            self.state = State::Disarmed;
            self.fault = None;
        }
    }

    /// Writes the All Call frame at once, ahead of anything else, and latches. The next ticks switch each board off by
    /// itself until it acknowledges, whatever became of this frame; an error says only that no board acknowledged it.
    pub fn emergency_stop(&mut self) -> Result<(), BusError> {
        let mut link = Link::new(&mut self.bus, &mut self.counters.wire, RETRIES);
        let result = pca9685::all_call_off(&mut link);
        self.counters.emergency_stops += 1;
        self.drop_pulses();
        self.state = State::EmergencyStop;
        self.fault = None;
        result
    }

    /// Switches everything off now, for the end of the process. True if every board acknowledged it.
    pub fn shutdown(&mut self) -> bool {
        self.disable();
        let mut link = Link::new(&mut self.bus, &mut self.counters.wire, RETRIES);
        let _ = pca9685::all_call_off(&mut link);
        let mut all_off = true;
        for board in &mut self.boards {
            let mut link = Link::new(&mut self.bus, &mut self.counters.wire, RETRIES);
            all_off &= board.shadow.all_off(&mut link).is_ok();
        }
        all_off
    }

    /// Reports a fault seen outside, e.g. a hung bus thread. It takes effect with the next tick, in a live state only.
    pub fn trip(&mut self, reason: &'static str) {
        if self.state.is_live() {
            self.trip_pending = Some(Fault::External(reason));
        }
    }

    /// Reports something that the robot shall sit down for before its servos go off, e.g. a low battery. With all joints
    /// commanded that are on it has the time in which it [sits](Self::set_retiring) for that, and no more are switched on;
    /// in any other live state it is a fault at once.
    pub fn retire(&mut self, now: Duration, reason: &'static str) {
        match self.state {
            State::Armed | State::Arming => self.begin_retiring(now, Fault::External(reason)),
            State::Holding => self.trip(reason),
            _ => {}
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
            self.drop_pulses();
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

    /// Ends retiring when it takes too long.
    pub(super) fn watch_retiring(&mut self, now: Duration) {
        if self.state == State::Retiring && now.saturating_sub(self.since) >= self.retiring {
            self.stop_retiring(now);
        }
    }

    /// Takes the pulses of one group away (see [`ServoConfig::groups`](crate::ServoConfig::groups)), or lets it be
    /// switched on again, slowly. False if there is no such group or the driver is not live.
    pub fn relax(&mut self, group: usize, relaxed: bool) -> bool {
        if group >= self.config.groups().len() || !self.state.is_live() {
            return false;
        }
        for (joint, servo) in self.joints.iter_mut().zip(self.config.servos()) {
            if servo.group() == group {
                if relaxed {
                    joint.relax();
                    self.boards[servo.board()].shadow.set(servo.channel(), Level::Off);
                } else {
                    joint.bring_back();
                }
            }
        }
        true
    }

    /// Latches a fault. `board` is the one at fault; it is commanded off, the others keep their pulses for now. A robot
    /// that stands without that board's legs sits down first.
    pub(super) fn fail(&mut self, now: Duration, fault: Fault, board: Option<usize>) {
        if let Some(index) = board {
            self.boards[index].drop_pulses();
            self.joints_off(Some(index));
            if self.state == State::Armed && self.spare_boards & (1 << index) != 0 {
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

    pub(super) fn drop_pulses(&mut self) {
        for board in &mut self.boards {
            board.drop_pulses();
        }
        self.joints_off(None);
    }

    /// Notes that the joints of a board, or of all, have no pulse any more.
    pub(super) fn joints_off(&mut self, board: Option<usize>) {
        for (joint, servo) in self.joints.iter_mut().zip(self.config.servos()) {
            joint.on &= board.is_some_and(|index| index != servo.board());
            joint.stale &= joint.on;
        }
    }
}
