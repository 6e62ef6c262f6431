//! The time that a driver's time-outs go by.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The computer's time, or that of the physics that play for the driver's boards: however long those are held up or paused,
/// nothing times out meanwhile. Clones are handles to the same one. The default is the computer's time.
#[derive(Clone, Debug, Default)]
pub struct ServoTime(Option<Arc<Physics>>);

#[derive(Debug, Default)]
struct Physics {
    /// Simulated so far, ns.
    simulated: AtomicU64,
    /// The same at the driver's last tick; 0: there was none.
    ticked: AtomicU64,
    is_paused: AtomicBool,
}

impl ServoTime {
    /// The time of physics that have not begun yet.
    #[must_use]
    pub fn of_physics() -> Self {
        Self(Some(Arc::default()))
    }

    /// The physics have gone on by this much.
    pub fn step(&self, by: Duration) {
        if let Some(physics) = &self.0 {
            let ns = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
            physics.simulated.fetch_add(ns, Ordering::Relaxed);
        }
    }

    /// The physics are paused, or go on.
    pub fn pause(&self, paused: bool) {
        if let Some(physics) = &self.0 {
            physics.is_paused.store(paused, Ordering::Relaxed);
        }
    }

    /// Whether somebody has paused the physics.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.0.as_ref().is_some_and(|physics| physics.is_paused.load(Ordering::Relaxed))
    }

    /// The time at this moment of the computer's, which was just now.
    #[must_use]
    pub fn at(&self, moment: Duration) -> Duration {
        self.0.as_ref().map_or(moment, |physics| Duration::from_nanos(physics.simulated.load(Ordering::Relaxed)))
    }

    /// The same for a tick of the driver, which the physics wait for.
    #[must_use]
    pub fn tick(&self, moment: Duration) -> Duration {
        let time = self.at(moment);
        if let Some(physics) = &self.0 {
            physics.ticked.store(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        time
    }

    /// The time of the driver's last tick, if it goes by this time.
    #[must_use]
    pub fn ticked(&self) -> Option<Duration> {
        let ticked = self.0.as_ref()?.ticked.load(Ordering::Relaxed);
        (ticked != 0).then(|| Duration::from_nanos(ticked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_physics_go_on_expect_their_time_whatever_the_computers_is() {
        let time = ServoTime::of_physics();
        let seen = time.clone();
        time.step(MS(10));
        time.step(MS(5));
        time.pause(true);
        assert_eq!((seen.at(MS(1)), seen.at(MS(61_000)), seen.is_paused()), (MS(15), MS(15), true));
        time.pause(false);
        assert!(!seen.is_paused());
        assert_eq!((time.ticked(), seen.tick(MS(61_000))), (None, MS(15)));
        time.step(MS(7));
        assert_eq!(time.ticked(), Some(MS(15)));
    }

    #[test]
    fn when_there_are_no_physics_expect_the_computers_time() {
        let time = ServoTime::default();
        time.pause(true);
        time.step(MS(10));
        assert_eq!((time.at(MS(61_000)), time.is_paused(), time.ticked()), (MS(61_000), false, None));
    }
}
