//! One period of the driver.

use std::time::Duration;

use super::driver::ServoDriver;
use super::fault::Fault;
use super::joint::{Joint, jump_rad};
use super::path::FRAME;
use super::state::State;
use crate::backend::{Backend, Service};

/// A longer gap between two ticks while live is a fault.
const STALLED: Duration = Duration::from_millis(150);

impl<S: Backend> ServoDriver<S> {
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
        let behind = self.joints.iter().any(Joint::is_behind);
        (fresh || behind || still == FRAME).then_some(still)
    }

    /// Adds up how long each servo has been asked for what it is not given, and faults before it burns.
    fn watch_strain(&mut self, now: Duration, elapsed: Duration) {
        let Some(limit) = self.config.timing.stall_after else { return };
        let error_rad = self.config.timing.stall_error_rad;
        let strained = |joint: &mut Joint| joint.strain(error_rad, elapsed) >= limit;
        if let Some(joint) = self.joints.iter_mut().position(strained) {
            self.joints[joint].strained = Duration::ZERO;
            self.fail(now, Fault::Strained { joint, limit }, None);
        }
    }

    /// After a time without writes, such as a bus that hung or commands that came late, the newest command lies far ahead
    /// of what servos hold. All of them would jump there at once, at full speed, and draw more than a supply gives. They
    /// go the way they were commanded instead.
    /// True if that begins now.
    fn keep_from_jumping(&mut self) -> bool {
        let (backend, servos) = (&self.backend, &self.config.joints);
        let begins = self.joints.iter().zip(servos).enumerate().any(|(index, (joint, servo))| {
            backend.service(index) != Service::Failing && joint.would_jump(jump_rad(servo))
        });
        if begins {
            self.joints.iter_mut().filter(|joint| joint.is_late()).for_each(|joint| joint.path.fall_behind());
            self.counters.catch_ups += 1;
        }
        begins
    }

    fn move_joints(&mut self, now: Duration) {
        let Some(elapsed) = self.time_to_move(now) else { return };
        // They begin at rest: with a small step.
        let elapsed = if self.keep_from_jumping() { elapsed.min(FRAME / 2) } else { elapsed };
        let soft_rad_s = self.config.timing.soft_start_rad_s;
        let arming = self.state == State::Arming;
        for (index, (joint, servo)) in self.joints.iter_mut().zip(&self.config.joints).enumerate() {
            let limit_rad_s = servo.speed_limit_rad_s;
            let speed_rad_s = if arming || !joint.met { limit_rad_s.min(soft_rad_s) } else { limit_rad_s };
            // What a part does not take does not reach its servos.
            let service = self.backend.service(index);
            if matches!(service, Service::Failing | Service::Settling) {
                // What comes to rest begins from there with a small step.
                joint.begun &= service == Service::Failing;
                continue;
            }
            if let Some(step) = joint.step(speed_rad_s, elapsed) {
                self.backend.set(index, Some(step.position_rad));
                if step.moved {
                    self.last_motion = Some(now);
                }
            }
        }
    }

    /// The traffic of one tick.
    fn exchange(&mut self, now: Duration) {
        let drop_all =
            self.state == State::Fault && now.saturating_sub(self.since) >= self.config.timing.fault_off_after;
        if drop_all {
            self.let_go(None);
        }
        self.counters.failed_ticks += u64::from(self.backend.exchange(now, &mut self.counters.wire) > 0);
        while let Some((part, trouble)) = self.backend.take_lost() {
            self.fail(now, Fault::Part(trouble), Some(part));
        }
    }
}
