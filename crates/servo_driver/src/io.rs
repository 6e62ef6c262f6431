//! The I/O thread: the only one that touches the bus. It waits for nobody but the bus itself.

use crate::requests::{Action, Answer, Control, PATIENCE, Request, requests};
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::stop::{StopFlag, Stoppable};
use crate::targets::{Intake, MAX_JOINTS, Outlet, handover};
use crate::waker::Waker;
use embedded_hal::i2c::I2c;
use hexapod_ros::{monotonic_now, realtime};
use hexapod_servo::pca9685::BusError;
use hexapod_servo::{ServoConfig, ServoDriver, State};
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// Below the planner's loop would do too; above everything that is not real-time.
const PRIORITY: u8 = 60;
/// Snapshots that wait for the publishing thread.
const SNAPSHOTS: usize = 64;
/// How long boards are told to be off at the end before the thread gives up.
const OFF_PATIENCE: Duration = Duration::from_millis(200);

/// Everything the I/O thread shares with the others, before it runs.
pub struct Io {
    servos: ServoConfig,
    requests: Consumer<Request>,
    targets: Outlet,
    snapshots: Producer<Snapshot>,
    shared: Shared,
}

#[derive(Clone, Default)]
struct Shared {
    stop: StopFlag,
    halt: Arc<AtomicBool>,
    waker: Waker,
    listener: Waker,
    granted: Arc<OnceLock<realtime::Granted>>,
}

/// The ends the other threads hold.
pub struct Ends {
    /// Joint targets.
    pub intake: Intake,
    /// Enable, disable, stop.
    pub control: Control,
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
        let shared = Shared::default();
        let (control, requests) = requests(shared.stop.clone(), shared.waker.clone());
        let (intake, targets) = handover(&servos, shared.waker.clone());
        let (snapshots, seen) = RingBuffer::new(SNAPSHOTS);
        (Self { servos, requests, targets, snapshots, shared }, Ends { intake, control, snapshots: seen })
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
            let _ = self.shared.granted.set(realtime::fifo(PRIORITY));
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

    /// Whether real-time scheduling was granted; `None` until the thread has asked.
    #[must_use]
    pub fn granted(&self) -> Option<&realtime::Granted> {
        self.shared.granted.get()
    }

    /// Switches all channels off and ends the thread; waits at most `patience`.
    ///
    /// # Errors
    /// The thread panicked, hangs, or a board was not seen to be off.
    pub fn end(&mut self, patience: Duration) -> Result<(), IoEnd> {
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

/// A driver whose channels go off when it is dropped, however that comes.
struct OffAtEnd<B: I2c> {
    driver: ServoDriver<Stoppable<B>>,
    stop: StopFlag,
    off: bool,
}

impl<B: I2c> OffAtEnd<B> {
    /// Tells every board to be off until each has acknowledged it, at most [`OFF_PATIENCE`]; true if all have.
    fn switch_off(&mut self) -> bool {
        let deadline = monotonic_now() + OFF_PATIENCE;
        while !self.off {
            // A stop that is still asked for would hold up the boards' own frames.
            let _ = self.stop.take();
            self.off = self.driver.shutdown();
            if self.off || monotonic_now() >= deadline {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.off
    }
}

impl<B: I2c> Drop for OffAtEnd<B> {
    fn drop(&mut self) {
        self.switch_off();
    }
}

/// The thread's loop.
struct Looping<B: I2c> {
    guarded: OffAtEnd<B>,
    io: Io,
    schedule: Schedule,
    /// When the newest command that no tick has seen was received.
    commanded_at: Option<Duration>,
    last_stop: Result<(), BusError>,
    stopped_at: Option<Duration>,
    state: State,
}

impl<B: I2c> Looping<B> {
    fn new(io: Io, bus: B, rate_hz: f64) -> Self {
        let stop = io.shared.stop.clone();
        let driver = ServoDriver::new(io.servos.clone(), Stoppable::new(bus, stop.clone()));
        let guarded = OffAtEnd { driver, stop, off: false };
        let schedule = Schedule::new(rate_hz, monotonic_now());
        Self { guarded, io, schedule, commanded_at: None, last_stop: Ok(()), stopped_at: None, state: State::Disarmed }
    }

    fn run(mut self) -> bool {
        while !self.io.shared.halt.load(Ordering::SeqCst) {
            let urgent = self.emergency() | self.requests();
            self.targets();
            let now = monotonic_now();
            let due = if urgent { now } else { self.schedule.due(self.commanded_at) };
            if now >= due {
                self.tick(now, due);
            } else {
                std::thread::park_timeout(due - now);
            }
        }
        let off = self.guarded.switch_off();
        // What listeners see last.
        let snapshot = Snapshot::take(&self.guarded.driver, monotonic_now(), Duration::ZERO, 0);
        let _ = self.io.snapshots.push(snapshot);
        off
    }

    /// The emergency stop, ahead of anything else.
    fn emergency(&mut self) -> bool {
        let asked = self.io.shared.stop.take();
        if asked {
            self.last_stop = self.guarded.driver.emergency_stop();
            self.stopped_at = Some(monotonic_now());
        }
        asked
    }

    fn requests(&mut self) -> bool {
        let mut any = false;
        while let Ok(request) = self.io.requests.pop() {
            any = true;
            if request.action == Action::EmergencyStop || monotonic_now() < request.at + PATIENCE {
                self.answer(&request);
            }
        }
        any
    }

    fn answer(&mut self, request: &Request) {
        let answer = match request.action {
            Action::Enable => self.enable(request),
            Action::Disable => self.disable(),
            Action::EmergencyStop => self.stopped(),
        };
        // Nobody waits any more: they were told that nothing was switched on.
        if request.reply.try_send(answer).is_err() && request.action == Action::Enable {
            self.guarded.driver.disable();
        }
    }

    fn enable(&mut self, request: &Request) -> Answer {
        if self.stopped_at.is_some_and(|at| request.at <= at) {
            return Answer { success: false, message: "an emergency stop came in; ask again".into() };
        }
        // Commands that came in with the request count for its checks.
        self.targets();
        let before = self.guarded.driver.state();
        let report = self.guarded.driver.enable(monotonic_now());
        let message = if before.is_live() { format!("pulses were on already: {before}") } else { report.to_string() };
        Answer { success: report.passed(), message }
    }

    fn disable(&mut self) -> Answer {
        self.guarded.driver.disable();
        let message = match self.guarded.driver.state() {
            state @ (State::Fault | State::EmergencyStop) => format!("pulses off; {state} stays until enabled"),
            _ => "pulses off".into(),
        };
        Answer { success: true, message }
    }

    fn stopped(&mut self) -> Answer {
        // The flag is raised before the request is queued, but maybe after this pass looked at it.
        self.emergency();
        match self.last_stop {
            Ok(()) => Answer { success: true, message: "all channels off, until enabled".into() },
            Err(error) => Answer {
                success: false,
                message: format!("{error}; each board is told again until it acknowledges. Cut the servos' power"),
            },
        }
    }

    fn targets(&mut self) {
        let Some(targets) = self.io.targets.newest() else { return };
        let mut list = [(0, 0.0); MAX_JOINTS];
        // Refused targets are counted by the driver; messages were checked before they came here.
        let _ = self.guarded.driver.command(targets.at, targets.list(&mut list));
        self.commanded_at = Some(targets.at);
    }

    fn tick(&mut self, now: Duration, due: Duration) {
        let state = self.guarded.driver.tick(now);
        self.commanded_at = None;
        let missed = self.schedule.ticked(now, due);
        let snapshot = Snapshot::take(&self.guarded.driver, now, now.saturating_sub(due), missed);
        // With the ring full the publishing thread is behind, and the next snapshot will do.
        let _ = self.io.snapshots.push(snapshot);
        if state != self.state {
            self.state = state;
            self.io.shared.listener.wake();
        }
    }
}
