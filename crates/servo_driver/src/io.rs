//! The I/O thread: the only one that touches the bus. It waits for nobody but the bus itself.

use crate::desk::{Desk, MAX_CALLS};
use crate::front::Front;
use crate::heartbeats::Heartbeats;
use crate::lease::GuardWatch;
use crate::looping::Looping;
use crate::pins::Pins;
use crate::planner::Planner;
use crate::requests::Request;
use crate::snapshot::Snapshot;
use crate::stop::StopLine;
use crate::targets::{Intake, Outlet, handover};
use crate::waker::Waker;
use embedded_hal::i2c::I2c;
use hexapod_ros::monotonic_now;
use hexapod_ros::realtime::{self, priority};
use hexapod_servo::ServoConfig;
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// Snapshots that wait for the publishing thread.
const SNAPSHOTS: usize = 64;

/// The monotonic clock, or one that a test turns by hand.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Everything the I/O thread shares with the others, before it runs.
pub struct Io {
    pub(crate) servos: ServoConfig,
    pub(crate) requests: Consumer<Request>,
    pub(crate) targets: Outlet,
    pub(crate) snapshots: Producer<Snapshot>,
    pub(crate) shared: Shared,
    pub(crate) clock: Clock,
    /// One bit for each board that the robot stands without.
    pub(crate) spare_boards: u64,
    /// Who must be there to switch the servos off, if this process dies.
    pub(crate) guard: Option<GuardWatch>,
}

#[derive(Clone)]
pub(crate) struct Shared {
    pub line: StopLine,
    pub heartbeats: Heartbeats,
    pub planner: Planner,
    pub halt: Arc<AtomicBool>,
    pub waker: Waker,
    /// The thread that tells, and answers calls.
    pub listener: Waker,
    granted: Arc<OnceLock<realtime::Granted>>,
}

/// The ends the other threads hold.
pub struct Ends {
    /// Joint targets.
    pub intake: Intake,
    /// Where calls and stops come in.
    pub front: Front,
    /// Where calls are answered.
    pub desk: Desk,
    /// What comes back after each tick.
    pub snapshots: Consumer<Snapshot>,
}

/// The running thread. Dropping it lets it end, with all channels off.
pub struct IoThread {
    thread: Option<JoinHandle<bool>>,
    shared: Shared,
}

/// How the thread ended, if not in order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IoEnd {
    /// It panicked; its channels were switched off.
    #[error("the servo I/O thread panicked: {0}; all channels were told to be off")]
    Panicked(String),
    /// Boards did not acknowledge being switched off.
    #[error("not every board acknowledged being switched off; cut the servos' power")]
    NotOff,
    /// It hangs in a transaction.
    #[error("the bus hangs and the channels could not be switched off; cut the servos' power")]
    Hung,
}

impl Io {
    /// The thread's side and the others' ends.
    #[must_use]
    pub fn new(servos: ServoConfig) -> (Self, Ends) {
        let waker = Waker::default();
        let shared = Shared {
            line: StopLine::new(waker.clone()),
            heartbeats: Heartbeats::default(),
            planner: Planner::default(),
            halt: Arc::default(),
            waker,
            listener: Waker::default(),
            granted: Arc::default(),
        };
        let (intake, targets) = handover(&servos, shared.waker.clone());
        let (to_io, requests) = RingBuffer::new(MAX_CALLS);
        let (snapshots, seen) = RingBuffer::new(SNAPSHOTS);
        let (calls, waiting) = sync_channel(MAX_CALLS);
        let front = Front {
            line: shared.line.clone(),
            heartbeats: shared.heartbeats.clone(),
            planner: shared.planner.clone(),
            calls,
            desk: shared.listener.clone(),
        };
        let desk = Desk {
            calls: waiting,
            requests: to_io,
            line: shared.line.clone(),
            bus: shared.waker.clone(),
            count: intake.count(),
            open: Vec::new(),
        };
        let (clock, spare_boards, guard): (Clock, _, _) = (Arc::new(monotonic_now), 0, None);
        let io = Self { servos, requests, targets, snapshots, shared, clock, spare_boards, guard };
        (io, Ends { intake, front, desk, snapshots: seen })
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

    /// Sits down before it lets go when one of these boards fails (a bit for each).
    #[must_use]
    pub fn with_spare_boards(self, spare_boards: u64) -> Self {
        Self { spare_boards, ..self }
    }

    /// Arms only while this guard is there.
    #[must_use]
    pub fn with_guard(self, guard: GuardWatch) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// What the thread would do, to be done pass by pass.
    #[must_use]
    pub fn into_loop<B: I2c>(self, bus: B, rate_hz: f64) -> Looping<B> {
        Looping::new(self, bus, rate_hz)
    }

    /// Starts the thread `servo-io`, which ticks at `rate_hz` and at new commands. The calling thread is unparked
    /// whenever the driver's state changes.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn spawn<B: I2c + Send + 'static>(self, bus: B, rate_hz: f64) -> std::io::Result<IoThread> {
        let shared = self.shared.clone();
        shared.listener.register();
        let thread = std::thread::Builder::new().name("servo-io".into()).spawn(move || {
            self.shared.waker.register();
            let _ = self.shared.granted.set(realtime::join_loops(priority::SERVO_IO));
            Looping::new(self, bus, rate_hz).run()
        })?;
        Ok(IoThread { thread: Some(thread), shared })
    }
}

impl IoThread {
    /// Whether the thread has ended by itself, which it only does in a panic.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// What asks for a stop when the thread is `silent`, in a transaction that hangs: the outputs are cut here, if there
    /// is a pin for that. A heartbeat that is lost, or boards that should have been switched off by now.
    pub(crate) fn cut_if_hung(&self, silent: Duration, limit: Duration, now: Duration) {
        if silent > limit || self.shared.heartbeats.cause(now).is_some() {
            self.shared.line.pins().cut();
        }
    }

    /// Whether real-time scheduling was granted; `None` until the thread has asked.
    #[must_use]
    pub fn granted(&self) -> Option<&realtime::Granted> {
        self.shared.granted.get()
    }

    /// Switches all channels off and ends the thread; waits at most `patience`. Cuts the outputs if that fails.
    ///
    /// # Errors
    /// The thread panicked, hangs, or a board was not seen to be off.
    pub fn end(&mut self, patience: Duration) -> Result<(), IoEnd> {
        self.end_within(patience).inspect_err(|_| self.shared.line.pins().cut())
    }

    fn end_within(&mut self, patience: Duration) -> Result<(), IoEnd> {
        self.ask_to_end();
        let deadline = monotonic_now() + patience;
        while !self.is_finished() {
            if monotonic_now() > deadline {
                return Err(IoEnd::Hung);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        match self.thread.take().map(JoinHandle::join) {
            None | Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => Err(IoEnd::NotOff),
            Some(Err(panic)) => Err(IoEnd::Panicked(words(&*panic))),
        }
    }

    fn ask_to_end(&self) {
        self.shared.halt.store(true, Ordering::SeqCst);
        self.shared.waker.wake();
    }
}

impl Drop for IoThread {
    fn drop(&mut self) {
        self.ask_to_end();
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".into())
}
