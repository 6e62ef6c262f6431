//! The driver: what it keeps, and what can be asked of it.

use std::time::Duration;

use super::counters::Counters;
use super::fault::Fault;
use super::joint::Joint;
use super::state::State;
use crate::backend::{Backend, Feet, Measured, Service};
use crate::joints::{DrivenJoint, JointConfig};

/// How long a robot that is to sit is waited for, where nobody says how long it takes.
const RETIRING: Duration = Duration::from_secs(8);
/// Servos and what moves them. `now` is always a time since any fixed moment on a monotonic clock.
#[derive(Debug)]
pub struct ServoDriver<S> {
    pub(super) config: JointConfig,
    pub(super) backend: S,
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
    /// One bit for each part that the robot stands without.
    pub(super) spare_parts: u64,
    /// How long a robot that is to sit is waited for.
    pub(super) retiring: Duration,
    /// Since when commands are stale.
    pub(super) silent_since: Option<Duration>,
}

impl<S: Backend> ServoDriver<S> {
    /// A disarmed driver of the servos of `backend`, which was made for the same `config`. Nothing goes over the wire before the first [`tick`](Self::tick), which switches everything
    /// off: a process before this one may have left pulses running.
    pub fn new(config: JointConfig, backend: S) -> Self {
        let joints = vec![Joint::default(); config.joints.len()];
        Self {
            config,
            backend,
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
            spare_parts: 0,
            retiring: RETIRING,
            silent_since: None,
        }
    }

    /// Names the parts that the robot stands without, one bit each: when one of them fails the robot sits down on the
    /// legs of the others, instead of standing still and being let go.
    pub fn set_spare_parts(&mut self, parts: u64) {
        self.spare_parts = parts;
    }

    /// Whether any servo is in service: outputs may be let through, or are better cut.
    pub fn puts_out(&self) -> bool {
        (0..self.joints.len()).any(|joint| self.backend.service(joint) != Service::Off)
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
    pub fn config(&self) -> &JointConfig {
        &self.config
    }

    /// Index of a joint by name, for [`set_target`](Self::set_target).
    pub fn joint_index(&self, joint: &str) -> Option<usize> {
        self.config.index(joint)
    }

    /// The joints in the order of their indices.
    pub fn joints(&self) -> &[DrivenJoint] {
        &self.config.joints
    }

    /// What moves the servos.
    pub fn backend(&self) -> &S {
        &self.backend
    }

    /// What moves the servos, to configure it.
    pub fn backend_mut(&mut self) -> &mut S {
        &mut self.backend
    }

    /// Commanded angle of a joint in radians, as it was last written with success; `None` if it is off or not known.
    pub fn commanded(&self, joint: usize) -> Option<f64> {
        self.backend.commanded(joint)
    }

    /// What the servo of a joint has measured of late, where it measures anything.
    pub fn measured(&self, joint: usize, now: Duration) -> Measured {
        self.backend.measured(joint).recent(now)
    }

    /// What switches under feet said last, where there are any on the servos' board.
    pub fn feet(&self) -> Option<Feet> {
        self.backend.feet()
    }

    pub(super) fn enter(&mut self, now: Duration, state: State) {
        if self.state != state {
            self.state = state;
            self.since = now;
        }
    }
}
