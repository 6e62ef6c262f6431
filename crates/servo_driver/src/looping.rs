//! What the I/O thread does: emergency stop first, then requests, targets, and the tick when it is due.

use crate::io::Io;
use crate::pins::{SharedPins, Steady};
use crate::requests::{Action, Answer, PATIENCE, Request};
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::stop::{StopFlag, Stoppable};
use crate::stop_topic::Cause;
use crate::targets::MAX_JOINTS;
use embedded_hal::i2c::I2c;
use hexapod_ros::monotonic_now;
use hexapod_servo::pca9685::{BusError, SETTLE};
use hexapod_servo::{ServoDriver, State};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long boards are told to be off at the end before the thread gives up.
const OFF_PATIENCE: Duration = Duration::from_millis(200);
/// A stop button counts when it has been pressed for this long, which no interference is.
const BOUNCE: Duration = Duration::from_millis(5);
/// A battery alarm counts when it has lasted this long: all servos starting at once let the voltage sag.
const SAG: Duration = Duration::from_millis(500);

/// A driver whose channels go off when it is dropped, however that comes.
struct OffAtEnd<B: I2c> {
    driver: ServoDriver<Stoppable<B>>,
    stop: StopFlag,
    tried: bool,
}

impl<B: I2c> OffAtEnd<B> {
    /// Tells every board to be off until each has acknowledged it, at most [`OFF_PATIENCE`]; true if all have.
    fn switch_off(&mut self) -> bool {
        self.tried = true;
        let deadline = monotonic_now() + OFF_PATIENCE;
        loop {
            // A stop that is still asked for would hold up the boards' own frames.
            let _ = self.stop.take();
            let off = self.driver.shutdown();
            if off || monotonic_now() >= deadline {
                return off;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl<B: I2c> Drop for OffAtEnd<B> {
    fn drop(&mut self) {
        if !self.tried {
            self.switch_off();
        }
    }
}

/// The thread's loop.
pub(crate) struct Looping<B: I2c> {
    guarded: OffAtEnd<B>,
    io: Io,
    schedule: Schedule,
    /// When the newest command that no tick has seen was received.
    commanded_at: Option<Duration>,
    last_stop: Result<(), BusError>,
    stopped_at: Option<Duration>,
    /// Boards that were prepared have settled then.
    settled_at: Duration,
    state: State,
    stop_pin: Steady,
    battery_pin: Steady,
}

impl<B: I2c> Looping<B> {
    pub fn new(io: Io, bus: B, rate_hz: f64) -> Self {
        let stop = io.shared.stop.clone();
        let driver = ServoDriver::new(io.servos.clone(), Stoppable::new(bus, stop.clone()));
        let guarded = OffAtEnd { driver, stop, tried: false };
        let schedule = Schedule::new(rate_hz, monotonic_now());
        Self {
            guarded,
            io,
            schedule,
            commanded_at: None,
            last_stop: Ok(()),
            stopped_at: None,
            settled_at: Duration::ZERO,
            state: State::Disarmed,
            stop_pin: Steady::new(BOUNCE),
            battery_pin: Steady::new(SAG),
        }
    }

    /// Runs until it is asked to end; true if every board was seen to be off then.
    pub fn run(mut self) -> bool {
        while !self.io.shared.halt.load(Ordering::SeqCst) {
            self.inputs(monotonic_now());
            let urgent = self.emergency() | self.requests();
            self.targets();
            let now = monotonic_now();
            let due = if urgent { now } else { self.schedule.due(self.commanded_at) }.max(self.settled_at);
            if now >= due {
                self.tick(now, due);
            } else {
                // A button that was just pressed is looked at again as soon as that counts.
                let bounce = if self.stop_pin.is_pending() { BOUNCE } else { Duration::MAX };
                std::thread::park_timeout((due - now).min(bounce));
            }
        }
        self.pins().enable_outputs(false);
        let off = self.guarded.switch_off();
        // What listeners see last.
        let snapshot = Snapshot::take(&mut self.guarded.driver, monotonic_now(), Duration::ZERO, 0);
        let _ = self.io.snapshots.push(snapshot);
        off
    }

    /// What asks for a stop besides the service: the topic, the button, the battery.
    fn inputs(&mut self, now: Duration) {
        let state = self.guarded.driver.state();
        let (pressed, low) = (self.pins().stop_pressed(), self.pins().battery_low());
        let pressed = self.stop_pin.sees(pressed, now);
        let topic = match self.io.shared.topic.cause(now) {
            Some(Cause::Held) => true,
            // While nothing is on, silence only keeps it so.
            Some(Cause::Silent(_)) => state.is_live(),
            None => false,
        };
        if (pressed || topic) && state != State::EmergencyStop {
            self.io.shared.stop.raise();
        }
        if self.battery_pin.sees(low, now) {
            self.guarded.driver.trip("the battery is low");
        }
    }

    fn pins(&self) -> &SharedPins {
        self.io.shared.stop.pins()
    }

    /// Why the servos may not be switched on, whatever the boards say.
    fn forbidden(&mut self, now: Duration) -> Option<String> {
        if self.pins().stop_pressed() {
            return Some("FAILED stop button: it is pressed, or its wire is broken".into());
        }
        if self.pins().battery_low() {
            return Some("FAILED battery: it is low".into());
        }
        self.io.shared.topic.cause(now).map(|cause| format!("FAILED emergency_stop: {cause}"))
    }

    /// The emergency stop, ahead of anything else.
    fn emergency(&mut self) -> bool {
        let asked = self.io.shared.stop.take();
        if asked {
            // Again: the stop may have come between an enable and its release.
            self.pins().cut();
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
            Action::Relax { group, relaxed } => self.relax(group, relaxed),
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
        if let Some(message) = self.forbidden(monotonic_now()) {
            return Answer { success: false, message };
        }
        // Commands that came in with the request count for its checks.
        self.targets();
        // A hang that has only just ended is a fault first: else pulses were "on already" that go with the next tick.
        if self.guarded.driver.state().is_live() {
            self.guarded.driver.tick(monotonic_now());
        }
        let before = self.guarded.driver.state();
        let report = self.guarded.driver.enable(monotonic_now());
        if !before.is_live() {
            self.settled_at = monotonic_now() + SETTLE;
        }
        if report.passed() && !self.io.shared.stop.is_raised() {
            self.pins().release();
        }
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

    fn relax(&mut self, group: usize, relaxed: bool) -> Answer {
        let success = self.guarded.driver.relax(group, relaxed);
        let message = match (success, relaxed) {
            (true, true) => "relaxed".into(),
            (true, false) => "switched on again, slowly".into(),
            (false, _) => format!("pulses are off: {}", self.guarded.driver.state()),
        };
        Answer { success, message }
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
        self.pins().enable_outputs(state.is_live() || state == State::Fault);
        self.commanded_at = None;
        let missed = self.schedule.ticked(now, due);
        let snapshot = Snapshot::take(&mut self.guarded.driver, now, now.saturating_sub(due), missed);
        // With the ring full the publishing thread is behind, and the next snapshot will do.
        let _ = self.io.snapshots.push(snapshot);
        if state != self.state {
            self.state = state;
            self.io.shared.listener.wake();
        }
    }
}
