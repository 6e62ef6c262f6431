//! Whether simulated time stands still: the simulation is paused, or nobody tells the time.

use hexapod_ros::nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A simulated clock that has not gone on for so long, of real time, stands.
pub const PAUSED_AFTER: Duration = Duration::from_secs(1);
const PAUSED: &str = "simulated time stands still, and the robot with it: if the simulation is paused, call its service pause \
                      with data: false to resume; else see who publishes /clock";
const NO_CLOCK: &str =
    "use_sim_time is set, and nothing has come on /clock yet: start the simulation, or leave use_sim_time out";

/// A clock that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paused {
    /// Since when, monotonic.
    pub since: Duration,
    /// Why, and what lets it go on.
    pub reason: &'static str,
}

/// When the simulated clock last went on. Clones are handles to the same one; the default is of a robot in real time.
#[derive(Clone, Debug, Default)]
pub struct ClockWatch(Option<Arc<Clock>>);

#[derive(Debug, Default)]
struct Clock {
    /// What it said last, ns.
    at_ns: AtomicU64,
    /// When that was new, monotonic, ns; at first when it began to be waited for.
    real_ns: AtomicU64,
    /// It has been heard.
    has_come: AtomicBool,
}

impl ClockWatch {
    /// Of a simulated clock that is waited for from `real` on.
    #[must_use]
    pub fn simulated(real: Duration) -> Self {
        let clock = Clock::default();
        clock.real_ns.store(nanos(real), Ordering::Relaxed);
        Self(Some(Arc::new(clock)))
    }

    /// Takes down what the clock says. One that says the same again does not go on.
    pub fn take(&self, at: Duration, real: Duration) {
        let Some(clock) = &self.0 else { return };
        let before = clock.at_ns.swap(nanos(at), Ordering::Relaxed);
        let is_first = !clock.has_come.swap(true, Ordering::Relaxed);
        if is_first || before != nanos(at) {
            clock.real_ns.store(nanos(real), Ordering::Relaxed);
        }
    }

    /// For how long the clock has not gone on; not at all in real time.
    #[must_use]
    pub fn silent(&self, now: Duration) -> Duration {
        let since = |clock: &Arc<Clock>| Duration::from_nanos(clock.real_ns.load(Ordering::Relaxed));
        self.0.as_ref().map_or(Duration::ZERO, |clock| now.saturating_sub(since(clock)))
    }

    /// Whether time stands still.
    #[must_use]
    pub fn paused(&self, now: Duration) -> Option<Paused> {
        let (clock, silent) = (self.0.as_ref()?, self.silent(now));
        let reason = if clock.has_come.load(Ordering::Relaxed) { PAUSED } else { NO_CLOCK };
        (silent >= PAUSED_AFTER).then(|| Paused { since: now.saturating_sub(silent), reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_a_clock_is_late_stands_or_goes_on_expect_that_said_and_the_way_out() {
        let watch = ClockWatch::simulated(MS(50_000));
        let says = |now: u64, words: &str| watch.paused(MS(now)).is_some_and(|paused| paused.reason.contains(words));
        assert!(watch.paused(MS(50_999)).is_none() && says(51_000, "nothing has come on /clock"));
        watch.take(MS(0), MS(60_000));
        assert!(watch.paused(MS(60_999)).is_none() && says(61_000, "call its service pause with data: false"));
        watch.take(MS(0), MS(61_500));
        assert!(says(61_500, "stands still"), "it says the same again");
        watch.take(MS(10), MS(61_600));
        assert!(watch.paused(MS(62_000)).is_none());
    }

    #[test]
    fn when_time_is_real_expect_it_never_to_stand() {
        let watch = ClockWatch::default();
        watch.take(MS(0), MS(0));
        assert!(watch.paused(MS(1_000_000)).is_none());
    }
}
