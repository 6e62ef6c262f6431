//! The driver and its tick.

use std::time::Duration;

use embedded_hal::i2c::I2c;

use super::boards::BoardUnit;
use super::counters::Counters;
use super::fault::Fault;
use super::joint::Joint;
use super::state::State;
use crate::calibration::{Servo, ServoConfig};
use crate::pca9685::{Level, Link};

/// Retries of one board in one tick.
pub(super) const RETRIES: u8 = 2;
/// A longer gap between two ticks while live is a fault.
const STALLED: Duration = Duration::from_millis(150);
/// Joints move with each new command, and without one this long after they last moved: so a steady stream costs its
/// changes once, wherever between the commands a tick falls. It is also the longest time one step makes up for.
const FRAME: Duration = Duration::from_millis(20);

/// Servos on PCA9685 boards on one bus. `now` is always a time since any fixed moment on a monotonic clock.
#[derive(Debug)]
pub struct ServoDriver<B> {
    pub(super) config: ServoConfig,
    pub(super) bus: B,
    pub(super) boards: Vec<BoardUnit>,
    pub(super) joints: Vec<Joint>,
    pub(super) counters: Counters,
    pub(super) state: State,
    pub(super) fault: Option<Fault>,
    /// When the present state began, as far as the machine was told.
    pub(super) since: Duration,
    pub(super) last_tick: Option<Duration>,
    pub(super) last_command: Option<Duration>,
    /// When a joint last moved or was switched on.
    pub(super) last_motion: Option<Duration>,
    /// The last command the joints were moved on for.
    pub(super) moved_for: Option<Duration>,
    /// Groups switched on so far.
    pub(super) groups_on: usize,
    pub(super) next_group: Duration,
    pub(super) arming_done: bool,
    pub(super) trip_pending: Option<Fault>,
    /// True once it was noted, in this time of holding, that the robot should sit.
    pub(super) sit_asked: bool,
    /// One bit for each board that the robot stands without.
    pub(super) spare_boards: u64,
}

impl<B: I2c> ServoDriver<B> {
    /// A disarmed driver. Nothing goes over the bus before the first [`tick`](Self::tick), which switches everything
    /// off: a process before this one may have left pulses running.
    pub fn new(config: ServoConfig, bus: B) -> Self {
        let mut boards: Vec<_> = config.boards().iter().map(BoardUnit::new).collect();
        for servo in config.servos() {
            boards[servo.board()].shadow.connect(servo.channel(), servo.range());
        }
        let joints = vec![Joint::default(); config.servos().len()];
        Self {
            config,
            bus,
            boards,
            joints,
            counters: Counters::default(),
            state: State::Disarmed,
            fault: None,
            since: Duration::ZERO,
            last_tick: None,
            last_command: None,
            last_motion: None,
            moved_for: None,
            groups_on: 0,
            next_group: Duration::ZERO,
            arming_done: false,
            trip_pending: None,
            sit_asked: false,
            spare_boards: 0,
        }
    }

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

    /// Names the boards that the robot stands without, one bit each: when one of them fails the robot sits down on the
    /// legs of the others, instead of standing still and being let go.
    pub fn set_spare_boards(&mut self, boards: u64) {
        self.spare_boards = boards;
    }

    /// Whether any board is meant to put anything out: outputs may be let through, or are better cut.
    pub fn puts_out(&self) -> bool {
        self.boards.iter().any(|board| !board.off)
    }

    /// Joints that were let go because nobody commanded them any more; [`enable`](Self::enable) brings them back.
    pub fn let_go(&self) -> usize {
        self.joints.iter().filter(|joint| joint.let_go).count()
    }

    /// The present state.
    pub fn state(&self) -> State {
        self.state
    }

    /// The fault that is latched, if the state is `Fault`, or that the robot sits down for, if it is `Retiring`.
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Counts for diagnostics.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The configuration.
    pub fn config(&self) -> &ServoConfig {
        &self.config
    }

    /// Index of a joint by name, for [`set_target`](Self::set_target).
    pub fn joint_index(&self, joint: &str) -> Option<usize> {
        self.config.joint_index(joint)
    }

    /// The servos in the order of joint indices.
    pub fn servos(&self) -> &[Servo] {
        self.config.servos()
    }

    /// The bus.
    pub fn bus(&self) -> &B {
        &self.bus
    }

    /// The bus, to configure it. Traffic of others on it is not seen by the driver.
    pub fn bus_mut(&mut self) -> &mut B {
        &mut self.bus
    }

    /// Angle in radians a joint was told, from the counts last written with success; `None` if it is off or not known.
    pub fn told(&self, joint: usize) -> Option<f64> {
        let servo = self.config.servos().get(joint)?;
        match self.boards[servo.board()].shadow.told(servo.channel())? {
            Level::Counts(counts) => Some(servo.angle_of_counts(counts)),
            Level::Off => None,
        }
    }

    pub(super) fn enter(&mut self, now: Duration, state: State) {
        if self.state != state {
            self.state = state;
            self.since = now;
        }
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
