//! The driver: what it keeps, and what can be asked of it.

use std::time::Duration;

use embedded_hal::i2c::I2c;

use super::boards::BoardUnit;
use super::counters::Counters;
use super::fault::Fault;
use super::joint::Joint;
use super::state::State;
use crate::calibration::{Servo, ServoConfig};
use crate::pca9685::Level;

/// How long a robot that is to sit is waited for, where nobody says how long it takes.
const RETIRING: Duration = Duration::from_secs(8);
/// Retries of one board in one tick.
pub(super) const RETRIES: u8 = 2;
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
    /// When the present state began, as far as the machine knows.
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
    /// True while the last `enable` was refused because of where the joints were last commanded to be.
    pub(super) pose_refused: bool,
    /// True once it was noted, in this time of holding, that the robot should sit.
    pub(super) sit_asked: bool,
    /// One bit for each board that the robot stands without.
    pub(super) spare_boards: u64,
    /// How long a robot that is to sit is waited for.
    pub(super) retiring: Duration,
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
            pose_refused: false,
            sit_asked: false,
            spare_boards: 0,
            retiring: RETIRING,
        }
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
    pub fn released_count(&self) -> usize {
        self.joints.iter().filter(|joint| joint.released).count()
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

    /// Commanded angle of a joint in radians, from the counts last written with success; `None` if it is off or not
    /// known.
    pub fn commanded(&self, joint: usize) -> Option<f64> {
        let servo = self.config.servos().get(joint)?;
        match self.boards[servo.board()].shadow.commanded(servo.channel())? {
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
}
