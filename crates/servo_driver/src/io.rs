//! What the I/O thread and the others share, before it runs.

use crate::call_queue::{CallQueue, MAX_CALLS};
use crate::front::Front;
use crate::heartbeats::Heartbeats;
use crate::lease::GuardWatch;
use crate::pins::Pins;
use crate::planner::Planner;
use crate::requests::Request;
use crate::silent_sources::SilentSources;
use crate::snapshot::Snapshot;
use crate::stop::StopLine;
use crate::supply::SupplyLimits;
use crate::targets::{Intake, Outlet, handover};
use crate::under_way::UnderWay;
use crate::waker::Waker;
use hexapod_ros::monotonic_now;
use hexapod_ros::realtime;
use hexapod_servo::JointConfig;
use hexapod_servo::simulated::ServoTime;
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Snapshots that wait for the publishing thread.
const SNAPSHOTS: usize = 64;

/// The monotonic clock, or one that a test turns by hand.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The I/O thread's side.
pub struct Io {
    pub(crate) joints: JointConfig,
    pub(crate) requests: Consumer<Request>,
    pub(crate) targets: Outlet,
    pub(crate) snapshots: Producer<Snapshot>,
    pub(crate) shared: Shared,
    pub(crate) clock: Clock,
    /// What the time-outs of the servos wait with.
    pub(crate) servo_time: ServoTime,
    /// One bit for each part that the robot stands without.
    pub(crate) spare_parts: u64,
    /// What servos measure beyond these counts as the battery alarm.
    pub(crate) supply_limits: SupplyLimits,
    /// Who must be there to switch the servos off, if this process dies.
    pub(crate) guard: Option<GuardWatch>,
}

#[derive(Clone)]
pub(crate) struct Shared {
    pub line: StopLine,
    pub heartbeats: Heartbeats,
    pub planner: Planner,
    pub silent: SilentSources,
    pub halt: Arc<AtomicBool>,
    pub waker: Waker,
    /// The thread that tells, and answers calls.
    pub listener: Waker,
    pub granted: Arc<OnceLock<realtime::SchedulingResult>>,
}

/// The ends the other threads hold.
pub struct Ends {
    /// Joint targets.
    pub intake: Intake,
    /// Where calls and stops come in.
    pub front: Front,
    /// Where calls are answered.
    pub call_queue: CallQueue,
    /// What comes back after each tick.
    pub snapshots: Consumer<Snapshot>,
}

impl Io {
    /// The thread's side and the others' ends.
    #[must_use]
    pub fn new(joints: JointConfig) -> (Self, Ends) {
        let waker = Waker::default();
        let shared = Shared {
            line: StopLine::new(waker.clone()),
            heartbeats: Heartbeats::default(),
            planner: Planner::default(),
            silent: SilentSources::default(),
            halt: Arc::default(),
            waker,
            listener: Waker::default(),
            granted: Arc::default(),
        };
        let (intake, targets) = handover(&joints, shared.waker.clone(), shared.silent.clone());
        let (to_io, requests) = RingBuffer::new(MAX_CALLS);
        let (snapshots, seen) = RingBuffer::new(SNAPSHOTS);
        let (calls, waiting) = sync_channel(MAX_CALLS);
        let front = Front {
            line: shared.line.clone(),
            heartbeats: shared.heartbeats.clone(),
            under_way: UnderWay::default(),
            planner: shared.planner.clone(),
            silent: shared.silent.clone(),
            calls,
            call_queue: shared.listener.clone(),
        };
        let call_queue = CallQueue {
            calls: waiting,
            requests: to_io,
            line: shared.line.clone(),
            heartbeats: shared.heartbeats.clone(),
            bus: shared.waker.clone(),
            count: intake.count(),
            open: Vec::new(),
        };
        let clock: Clock = Arc::new(monotonic_now);
        let (servo_time, spare_parts, supply_limits, guard) = (ServoTime::default(), 0, SupplyLimits::default(), None);
        let io =
            Self { joints, requests, targets, snapshots, shared, clock, servo_time, spare_parts, supply_limits, guard };
        (io, Ends { intake, front, call_queue, snapshots: seen })
    }

    /// Uses these pins, too.
    #[must_use]
    pub fn with_pins(self, pins: impl Pins + 'static) -> Self {
        self.shared.line.pins().connect(pins);
        self
    }

    /// Goes by this clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Lets what is timed of servos and commands wait while a simulation stands still. Whoever stops them is heard all the
    /// same.
    #[must_use]
    pub fn with_servo_time(self, servo_time: ServoTime) -> Self {
        Self { servo_time, ..self }
    }

    /// Sits down before it lets go when one of these parts fails (a bit for each).
    #[must_use]
    pub fn with_spare_parts(self, spare_parts: u64) -> Self {
        Self { spare_parts, ..self }
    }

    /// Takes what the servos measure beyond these for a battery alarm.
    #[must_use]
    pub fn with_supply_limits(self, supply_limits: SupplyLimits) -> Self {
        Self { supply_limits, ..self }
    }

    /// Arms only while this guard is there.
    #[must_use]
    pub fn with_guard(self, guard: GuardWatch) -> Self {
        Self { guard: Some(guard), ..self }
    }
}
