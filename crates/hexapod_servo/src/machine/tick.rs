//! One period of the driver.

use std::time::Duration;

use embedded_hal::i2c::I2c;

use super::driver::{RETRIES, ServoDriver};
use super::fault::Fault;
use super::joint::Joint;
use super::state::State;
use crate::pca9685::{Level, Link};

/// A longer gap between two ticks while live is a fault.
const STALLED: Duration = Duration::from_millis(150);
/// Joints move with each new command, and without one this long after they last moved: so a steady stream costs its
/// changes once, wherever between the commands a tick falls. It is also the longest time one step makes up for.
const FRAME: Duration = Duration::from_millis(20);

impl<B: I2c> ServoDriver<B> {
    /// One period: looks at the age of the commands, moves the joints one step, writes what changed, reads back what
    /// is due. Call it at a steady rate, 20 ms apart at most. Allocates nothing.
    pub fn tick(&mut self, now: Duration) -> State {
        let elapsed = self.last_tick.map_or(Duration::ZERO, |last| now.saturating_sub(last));
        self.last_tick = Some(now);
        self.counters.ticks += 1;
        if let Some(fault) = self.trip_pending.take() {
            self.fail(now, fault, None);
        }
        if self.state.is_live() && elapsed > STALLED {
            self.fail(now, Fault::Stalled(elapsed), None);
        }
        self.watch_commands(now);
        self.watch_retiring(now);
        if matches!(self.state, State::Arming | State::Armed) {
            self.open_groups(now);
        }
        if self.state.is_live() {
            self.move_joints(now);
            self.finish_arming(now);
            self.watch_strain(now, elapsed);
        }
        self.exchange(now);
        self.state
    }

    /// The time the joints are to move on by, if they are to move now.
    fn time_to_move(&mut self, now: Duration) -> Option<Duration> {
        let still = self.last_motion.map_or(FRAME, |last| now.saturating_sub(last)).min(FRAME);
        let fresh = self.moved_for != self.last_command;
        self.moved_for = self.last_command;
        (fresh || still == FRAME).then_some(still)
    }

    /// Adds up how long each servo has been asked for what it is not given, and faults before it burns.
    fn watch_strain(&mut self, now: Duration, elapsed: Duration) {
        let Some(limit) = self.config.timing().stall_after else { return };
        let error_rad = self.config.timing().stall_error_rad;
        let strained = |joint: &mut Joint| joint.strain(error_rad, elapsed) >= limit;
        if let Some(joint) = self.joints.iter_mut().position(strained) {
            self.joints[joint].strained = Duration::ZERO;
            self.fail(now, Fault::Strained { joint, limit }, None);
        }
    }

    fn move_joints(&mut self, now: Duration) {
        let Some(elapsed) = self.time_to_move(now) else { return };
        let soft_rad_s = self.config.timing().soft_start_rad_s;
        let arming = self.state == State::Arming;
        for (joint, servo) in self.joints.iter_mut().zip(self.config.servos()) {
            let limit_rad_s = servo.speed_limit_rad_s();
            let speed_rad_s = if arming || !joint.met { limit_rad_s.min(soft_rad_s) } else { limit_rad_s };
            if let Some(step) = joint.step(speed_rad_s * elapsed.as_secs_f64()) {
                let level = Level::Counts(servo.counts(step.position_rad));
                self.boards[servo.board()].shadow.set(servo.channel(), level);
                if step.moved {
                    self.last_motion = Some(now);
                }
            }
        }
    }

    /// The bus traffic of one tick.
    fn exchange(&mut self, now: Duration) {
        let drop_all =
            self.state == State::Fault && now.saturating_sub(self.since) >= self.config.timing().fault_off_after;
        if drop_all {
            self.drop_pulses();
        }
        for index in 0..self.boards.len() {
            let board = &mut self.boards[index];
            let mut link = Link::new(&mut self.bus, &mut self.counters.wire, RETRIES);
            let outcome = if board.off {
                self.counters.failed_ticks += u64::from(board.keep_off(now, &mut link).is_err());
                Ok(())
            } else {
                board.serve(now, &mut link)
            };
            self.counters.failed_ticks += u64::from(board.is_failing());
            if let Err(fault) = outcome {
                self.fail(now, fault, Some(index));
            }
        }
    }
}
