//! A simulation that stands still, and the time that goes by without it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The computer's time less that in which a simulation stood still, for those whose time-outs are to wait with it. Clones
/// are handles to the same one. The default is one that nothing stops: the computer's time, told without a lock.
#[derive(Clone, Debug, Default)]
pub struct Standstill(Option<Arc<Mutex<Halt>>>);

#[derive(Debug, Default)]
struct Halt {
    /// Stood so far, but for the halt that lasts.
    stood: Duration,
    /// When that began, on the computer's clock.
    since: Option<Duration>,
}

impl Standstill {
    /// One that can be stopped.
    #[must_use]
    pub fn stoppable() -> Self {
        Self(Some(Arc::default()))
    }

    /// Stands still from `now` on, if it does not already.
    pub fn stop(&self, now: Duration) {
        if let Some(mut halt) = self.halt() {
            halt.since.get_or_insert(now);
        }
    }

    /// Goes on by this much while it stands.
    pub fn step(&self, by: Duration) {
        if let Some(since) = self.halt().as_mut().and_then(|halt| halt.since.as_mut()) {
            *since += by;
        }
    }

    /// Goes on from `now` on.
    pub fn go_on(&self, now: Duration) {
        let Some(mut halt) = self.halt() else { return };
        if let Some(since) = halt.since.take() {
            halt.stood += now.saturating_sub(since);
        }
    }

    /// Whether it stands.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.halt().is_some_and(|halt| halt.since.is_some())
    }

    /// The time at this moment of the computer's.
    #[must_use]
    pub fn of(&self, moment: Duration) -> Duration {
        let Some(halt) = self.halt() else { return moment };
        halt.since.map_or(moment, |since| moment.min(since)).saturating_sub(halt.stood)
    }

    fn halt(&self) -> Option<MutexGuard<'_, Halt>> {
        self.0.as_ref().map(|halt| halt.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_it_stands_expect_its_time_to_wait_and_to_go_on_from_there() {
        let standstill = Standstill::stoppable();
        assert_eq!(standstill.of(MS(900)), MS(900), "nobody stops it");
        standstill.stop(MS(1000));
        standstill.stop(MS(1500));
        assert_eq!((standstill.of(MS(990)), standstill.of(MS(61_000))), (MS(990), MS(1000)));
        assert!(standstill.stands());
        standstill.go_on(MS(61_000));
        standstill.go_on(MS(62_000));
        assert_eq!(standstill.of(MS(61_010)), MS(1010));
        assert!(!standstill.stands());
        standstill.stop(MS(61_020));
        standstill.go_on(MS(61_120));
        assert_eq!(standstill.of(MS(61_130)), MS(1030));
    }

    #[test]
    fn when_nothing_can_stop_it_expect_the_computers_time() {
        let standstill = Standstill::default();
        standstill.stop(MS(1000));
        standstill.step(MS(10));
        assert_eq!(standstill.of(MS(61_000)), MS(61_000));
        assert!(!standstill.stands());
    }

    #[test]
    fn when_it_goes_on_step_by_step_expect_no_more_than_the_steps_and_never_more_than_the_computers_time() {
        let standstill = Standstill::stoppable();
        standstill.step(MS(10));
        standstill.stop(MS(1000));
        standstill.step(MS(10));
        standstill.step(MS(10));
        assert_eq!((standstill.of(MS(1015)), standstill.of(MS(2000))), (MS(1015), MS(1020)));
        standstill.go_on(MS(2000));
        assert_eq!(standstill.of(MS(2005)), MS(1025));
    }
}
