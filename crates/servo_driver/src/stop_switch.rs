//! What stops a tool that drives servos without a node: the button, its guard, its own standstill, whoever suspends it.

use crate::own_guard::OwnGuard;
use crate::pins::Pins;
use crate::setup::Setup;
use crate::stop::{By, Outcome, StopLine};
use crate::stop_monitor::MonitorConfig;
use crate::stoppable::Gate;
use hexapod_ros::{Shutdown, monotonic_now};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

/// The pins of such a tool. Each stop cuts the outputs here and now, whatever the bus does.
#[derive(Debug)]
pub struct StopSwitch {
    line: StopLine,
    gate: Gate,
    /// The newest stop that the tool has heard of.
    reported: AtomicU64,
    guard: Mutex<Option<OwnGuard>>,
    end: Shutdown,
    stop_monitor: Option<JoinHandle<()>>,
}

impl StopSwitch {
    /// Watches what `setup` names, with these pins and this guard.
    ///
    /// # Errors
    /// There is no thread or socket to be had.
    pub fn new(setup: &Setup, pins: impl Pins, guard: Option<OwnGuard>) -> std::io::Result<Self> {
        let (line, end) = (StopLine::default(), Shutdown::default());
        line.pins().connect(pins);
        let stop_monitor = Some(MonitorConfig::of(setup).watch(line.clone(), end.clone())?);
        let gate = Gate::new(line.clone());
        Ok(Self { line, gate, reported: AtomicU64::new(0), guard: Mutex::new(guard), end, stop_monitor })
    }

    /// Why everything is to be off: the button is pressed, or there was a stop since this was last asked. Outputs that it has
    /// cut are free again when there is none any more.
    #[must_use]
    pub fn stopped(&self) -> Option<&'static str> {
        // Drawn first: a stop that comes now is of the next time.
        let ticket = self.line.ticket(monotonic_now());
        let taken = self.line.take();
        if let Some((_, number)) = taken {
            self.reported.store(number, Ordering::SeqCst);
        }
        match (taken, self.line.pins().stop_pressed()) {
            (None, false) => {
                let _ = self.line.release(ticket);
                None
            }
            (_, true) => Some("the stop button is pressed, or its wire is broken"),
            (Some(_), false) => Some(match self.line.by() {
                By::Guard => "the guard heard nothing of this process and switched everything off",
                By::Lapse => "this process stood still",
                By::Suspension => "this process was suspended",
                _ => "the stop button was pressed",
            }),
        }
    }

    /// Everything is off, or could not be switched off: whoever waits for that need wait no longer.
    pub fn settle(&self) {
        self.line.done(self.reported.load(Ordering::SeqCst), Outcome { acknowledged: true, latched: false });
    }

    /// The gate of these stops, with a permit until the next of them.
    pub fn gate(&self) -> &Gate {
        self.permit();
        &self.gate
    }

    /// Lets motion pass until the next stop.
    pub fn permit(&self) {
        self.gate.permit(self.line.ticket(monotonic_now()));
    }

    /// Looks after the guard now and then.
    pub fn keep_guard(&self) {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let now = monotonic_now();
        if let Some(guard) = guard.as_mut() {
            guard.keep(self.line.liveness().misses_guard(now), now);
        }
    }

    /// Lets the boards' outputs through, or not.
    pub fn enable_outputs(&self, on: bool) {
        self.line.pins().enable_outputs(on);
    }
}

impl Drop for StopSwitch {
    fn drop(&mut self) {
        self.end.ask();
        drop(self.stop_monitor.take().map(JoinHandle::join));
        self.line.pins().disconnect();
    }
}
