//! A simulation that stands still, and the time that goes by without it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The computer's time less that in which a simulation stood still, for those whose time-outs are to wait with it. Clones
/// are handles to the same one; one that nobody stops is the computer's time.
#[derive(Clone, Debug, Default)]
pub struct Standstill(Arc<Mutex<Halt>>);

#[derive(Debug, Default)]
struct Halt {
    /// Stood so far, but for the halt that lasts.
    stood: Duration,
    /// When that began, on the computer's clock.
    since: Option<Duration>,
}

impl Standstill {
    /// Stands still from `now` on, if it does not already.
    pub fn stop(&self, now: Duration) {
        self.halt().since.get_or_insert(now);
    }

    /// Goes on by this much while it stands.
    pub fn step(&self, by: Duration) {
        self.halt().since.iter_mut().for_each(|since| *since += by);
    }

    /// Goes on from `now` on.
    pub fn go_on(&self, now: Duration) {
        let mut halt = self.halt();
        if let Some(since) = halt.since.take() {
            halt.stood += now.saturating_sub(since);
        }
    }

    /// The time at this moment of the computer's.
    #[must_use]
    pub fn of(&self, moment: Duration) -> Duration {
        let halt = self.halt();
        halt.since.map_or(moment, |since| moment.min(since)).saturating_sub(halt.stood)
    }

    fn halt(&self) -> MutexGuard<'_, Halt> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_it_stands_expect_its_time_to_wait_and_to_go_on_from_there() {
        let standstill = Standstill::default();
        assert_eq!(standstill.of(MS(900)), MS(900), "nobody stops it");
        standstill.stop(MS(1000));
        standstill.stop(MS(1500));
        assert_eq!((standstill.of(MS(990)), standstill.of(MS(61_000))), (MS(990), MS(1000)));
        standstill.go_on(MS(61_000));
        standstill.go_on(MS(62_000));
        assert_eq!(standstill.of(MS(61_010)), MS(1010));
        standstill.stop(MS(61_020));
        standstill.go_on(MS(61_120));
        assert_eq!(standstill.of(MS(61_130)), MS(1030));
    }

    #[test]
    fn when_it_goes_on_step_by_step_expect_no_more_than_the_steps_and_never_more_than_the_computers_time() {
        let standstill = Standstill::default();
        standstill.step(MS(10));
        standstill.stop(MS(1000));
        standstill.step(MS(10));
        standstill.step(MS(10));
        assert_eq!((standstill.of(MS(1015)), standstill.of(MS(2000))), (MS(1015), MS(1020)));
        standstill.go_on(MS(2000));
        assert_eq!(standstill.of(MS(2005)), MS(1025));
    }
}
