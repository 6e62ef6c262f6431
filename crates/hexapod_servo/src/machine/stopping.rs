//! Every way to stop: disarm, emergency stop, fault, shutdown.

use std::time::Duration;

use embedded_hal::i2c::I2c;

use super::driver::{RETRIES, ServoDriver};
use super::fault::Fault;
use super::state::State;
use crate::pca9685::{self, BusError, Level, Link};

impl<B: I2c> ServoDriver<B> {
    /// Switches everything off with the next tick. A latched fault or emergency stop stays latched. Done again when
    /// everything is off already, it forgets where the joints were last told to be: somebody has moved them by hand.
    pub fn disable(&mut self) {
        if self.boards.iter().all(|board| board.off) {
            self.joints.iter_mut().for_each(|joint| joint.position_rad = None);
        }
        self.drop_pulses();
        if self.state.is_live() {
            self.state = State::Disarmed;
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

    /// Reports a fault seen outside, e.g. a low battery or a hung bus thread. It takes effect with the next tick, in a
    /// live state only.
    pub fn trip(&mut self, reason: &'static str) {
        if self.state.is_live() {
            self.trip_pending = Some(Fault::External(reason));
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
                joint.relaxed = relaxed;
                joint.on &= !relaxed;
                if relaxed {
                    self.boards[servo.board()].shadow.set(servo.channel(), Level::Off);
                }
            }
        }
        true
    }

    /// Latches a fault. `board` is the one at fault; it is told to be off, the others keep their pulses for now.
    pub(super) fn fail(&mut self, now: Duration, fault: Fault, board: Option<usize>) {
        if let Some(index) = board {
            self.boards[index].drop_pulses();
            self.joints_off(Some(index));
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
        }
    }
}
