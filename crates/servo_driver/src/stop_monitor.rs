//! The stop monitor: a thread that looks at the stop button, at how long it was kept from looking, and at what guards
//! say. Nothing that holds up the bus, the topics or the services holds up this.

use crate::device::Device;
use crate::guard_link::ToGuards;
use crate::pins::Steady;
use crate::setup::Setup;
use crate::stop::{By, StopLine};
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{Shutdown, Stage, before_suspension, monotonic_now};
use std::io;
use std::thread::JoinHandle;
use std::time::Duration;

/// A button counts when it has been pressed for this long, which no interference is.
pub(crate) const BOUNCE: Duration = Duration::from_millis(5);
/// How often it is looked at.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(4);
/// Before it is suspended, a process waits so long for its boards to be switched off.
const SUSPENDING: Duration = Duration::from_millis(400);

/// What there is to look at.
#[derive(Clone, Debug, Default)]
pub(crate) struct MonitorConfig {
    has_button: bool,
    /// The bus whose guards want to hear of this process.
    device: Option<Device>,
    /// Whether the boards are those of physics, in simulated time.
    goes_by_physics: bool,
}

impl MonitorConfig {
    pub fn of(setup: &Setup) -> Self {
        Self {
            has_button: setup.has_stop_button(),
            device: setup.map.device(),
            goes_by_physics: setup.goes_by_physics(),
        }
    }

    /// Looks until `end`. A button that is held down stops once. To be started before anything is switched on.
    ///
    /// # Errors
    /// There is no thread or socket to be had.
    pub fn watch(self, line: StopLine, end: Shutdown) -> io::Result<JoinHandle<()>> {
        let is_guarded = self.device.is_some();
        let guards = self.device.map(ToGuards::open).transpose()?;
        let suspended = line.clone();
        before_suspension(move || suspend(&suspended))?;
        line.liveness().begin(is_guarded, monotonic_now());
        if self.goes_by_physics {
            line.liveness().go_by_physics();
        }
        let mut stop_monitor =
            StopMonitor { line, guards, button: self.has_button.then(|| Steady::new(BOUNCE)), was_pressed: false };
        std::thread::Builder::new().name("servo-monitor".into()).spawn(move || {
            // Whether it is granted, the thread of the bus reports.
            let _ = realtime::fifo(priority::STOP);
            while !end.wait(Stage::Stopping, LOOK_EVERY) {
                stop_monitor.look(monotonic_now());
            }
            stop_monitor.line.liveness().end();
        })
    }
}

struct StopMonitor {
    line: StopLine,
    guards: Option<ToGuards>,
    button: Option<Steady>,
    was_pressed: bool,
}

impl StopMonitor {
    fn look(&mut self, now: Duration) {
        let liveness = self.line.liveness();
        if liveness.lapse(now).is_some() {
            self.line.stood_still(now);
        }
        liveness.look(now);
        if let Some(button) = &mut self.button {
            let pressed = button.sees(self.line.pins().stop_pressed(), now);
            if pressed && !std::mem::replace(&mut self.was_pressed, pressed) {
                self.line.emergency_stop(By::Button, now);
            }
            self.was_pressed = pressed;
        }
        if let Some(guards) = &mut self.guards {
            guards.attend(liveness.comes_round(now), (&self.line, liveness), now);
        }
    }
}

/// Everything off, as far as the bus lets it: no process that stands still can do that any more.
fn suspend(line: &StopLine) {
    const LOOK_EVERY: Duration = Duration::from_millis(1);
    let stop = line.emergency_stop(By::Suspension, monotonic_now());
    let deadline = monotonic_now() + SUSPENDING;
    while !line.is_done(stop) && monotonic_now() < deadline {
        std::thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::{Stop, TicketError};

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_this_process_stood_still_expect_a_stop_before_anybody_could_think_it_alive() {
        for (is_watched, still, late) in [(true, 150, 151), (false, 1000, 1001)] {
            let line = StopLine::default();
            line.liveness().begin(is_watched, MS(100));
            let mut stop_monitor = StopMonitor { line: line.clone(), guards: None, button: None, was_pressed: false };
            let ticket = line.ticket(MS(100));
            stop_monitor.look(MS(100 + still));
            assert_eq!(line.check(ticket), Ok(()));
            let resumed = MS(100 + still + late);
            assert!(line.liveness().lapse(resumed).is_some(), "no pulse passes");
            stop_monitor.look(resumed);
            assert_eq!((line.check(ticket), line.by()), (Err(TicketError::Stopped), By::Lapse));
            assert!(line.liveness().lapse(resumed).is_none());
            assert_eq!(line.take().map(|(kind, _)| kind), Some(Stop::Emergency));
        }
    }
}
