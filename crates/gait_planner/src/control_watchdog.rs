//! A thread that ticks, and the one that waits for its end, but not for ever: a tick that never returns must not keep the
//! process.

use crate::pulse::Pulse;
use hexapod_ros::ending::LONGEST;
use hexapod_ros::{RosError, Shutdown, Stage, monotonic_now};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

/// What a thread needs, once it may go, to see that and to leave.
const LEAVING: Duration = Duration::from_millis(250);
/// A loop that has not come back for so long while the process is to end is not waited for.
const PAUSE: Duration = Duration::from_millis(750);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The thread, watched by the one that started it.
pub(crate) struct ControlWatchdog {
    thread: JoinHandle<()>,
    ended: Arc<AtomicBool>,
}

/// Tells the end of its thread, panics included.
struct Ending(Arc<AtomicBool>, Thread);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        self.1.unpark();
    }
}

impl ControlWatchdog {
    /// Starts a thread that is to be waited for by this one.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn over(
        name: &str,
        shutdown: &Shutdown,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<Self, RosError> {
        let (ended, waiting) = (Arc::new(AtomicBool::new(false)), std::thread::current());
        shutdown.wakes(waiting.clone());
        let ending = Ending(Arc::clone(&ended), waiting);
        let thread = spawn(name, move || {
            let _ending = ending;
            work();
        })?;
        Ok(Self { thread, ended })
    }

    /// Sleeps until the thread has ended. Once the process is to end the thread has the time to sit down; none if it is
    /// lost, or has been asked to end at once, but to leave.
    ///
    /// # Errors
    /// The thread panicked, or does not come back and is left behind.
    pub(crate) fn wait(self, shutdown: &Shutdown, pulse: &Pulse) -> Result<(), RosError> {
        while !self.has_ended() && shutdown.is_running() {
            std::thread::park();
        }
        let asked = monotonic_now();
        let mut hurried: Option<Duration> = None;
        while !self.has_ended() {
            let now = monotonic_now();
            // A loop that comes back from a pause has its time again: the robot is not to be left half-way.
            let hurries = shutdown.stage() == Stage::Now || pulse.silent(now) > PAUSE;
            hurried = if hurries { hurried.or(Some(now)) } else { None };
            let late = now.saturating_sub(asked) > LONGEST + LEAVING;
            if late || hurried.is_some_and(|since| now.saturating_sub(since) > LEAVING) {
                let silent = pulse.silent(now).as_millis();
                let words = format!("the control loop has been stuck for {silent} ms and is abandoned");
                return Err(RosError::Thread(words));
            }
            std::thread::park_timeout(LOOK_EVERY);
        }
        self.thread.join().map_err(|_| RosError::Thread("the control loop panicked".into()))
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }
}

/// Starts a thread.
///
/// # Errors
/// There is none to be had.
pub(crate) fn spawn<R: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<JoinHandle<R>, RosError> {
    std::thread::Builder::new().name(name.into()).spawn(work).map_err(|error| RosError::Thread(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn when_a_loop_never_comes_back_expect_it_left_behind_in_time_with_an_error() {
        for (lost, asked_now) in [(true, false), (false, true)] {
            let (shutdown, release) = (Shutdown::default(), Shutdown::default());
            let (pulse, hangs) = (Pulse::default(), release.clone());
            if lost {
                pulse.beat(monotonic_now().saturating_sub(Duration::from_secs(9)));
            }
            let work = move || while !hangs.wait(Stage::Stopping, Duration::from_secs(20)) {};
            let control_watchdog = ControlWatchdog::over("hangs", &shutdown, work).unwrap();
            if asked_now {
                shutdown.ask_now()
            } else {
                shutdown.ask()
            };
            let started = Instant::now();
            let error = control_watchdog.wait(&shutdown, &pulse).unwrap_err();
            assert!(error.to_string().contains("abandoned"), "{error}");
            assert!(started.elapsed() >= LEAVING && started.elapsed() < 10 * LEAVING, "{:?}", started.elapsed());
            release.ask();
        }
    }

    #[test]
    fn when_a_loop_ends_or_panics_by_itself_expect_the_wait_over() {
        let shutdown = Shutdown::default();
        let wait =
            |work: fn()| ControlWatchdog::over("ends", &shutdown, work).unwrap().wait(&shutdown, &Pulse::default());
        assert!(wait(|| {}).is_ok());
        assert!(wait(|| panic!("as it must not")).unwrap_err().to_string().contains("panicked"));
    }
}
