//! Whether the control loop comes back, seen from outside it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// When the control loop has begun its present cycle: it writes, others look.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Monotonic, ns; zero while nothing is due.
    begun_ns: AtomicU64,
    is_simulated: AtomicBool,
}

impl Pulse {
    /// A cycle begins.
    pub fn beat(&self, now: Duration) {
        self.begun_ns.store(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }

    /// The same in simulated time, in which a busy computer makes a cycle slow, and nothing is late.
    pub fn beat_slowly(&self, now: Duration) {
        self.is_simulated.store(true, Ordering::Relaxed);
        self.beat(now);
    }

    /// Nothing is due until the next beat.
    pub fn rest(&self) {
        self.begun_ns.store(0, Ordering::Relaxed);
    }

    /// For how long the cycle has been going on.
    #[must_use]
    pub fn silent(&self, now: Duration) -> Duration {
        match self.begun_ns.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            begun => now.saturating_sub(Duration::from_nanos(begun)),
        }
    }

    /// Whether it has been going on for longer than any cycle may.
    #[must_use]
    pub fn is_lost(&self, now: Duration) -> bool {
        let most = if self.is_simulated.load(Ordering::Relaxed) { LOST_IN_SIMULATION_AFTER } else { LOST_AFTER };
        self.silent(now) > most
    }
}

/// Three cycles of the slowest loop.
const LOST_AFTER: Duration = Duration::from_millis(150);
/// How long other programs may take both processors while a cycle goes on.
const LOST_IN_SIMULATION_AFTER: Duration = Duration::from_secs(10);
/// A process that was stopped as a whole finds its loop silent, too, and gives it this long to come back.
const AGAIN_AFTER: Duration = Duration::from_millis(40);
/// How often it is said that the loop is lost.
const SAY_EVERY: Duration = Duration::from_secs(1);

/// Looks at a pulse again and again.
#[derive(Debug, Default)]
pub struct Alarm {
    silent_since: Option<Duration>,
    said: Option<Duration>,
}

impl Alarm {
    /// For how long the loop has not come back, if that is worth saying now.
    pub fn look(&mut self, pulse: &Pulse, now: Duration) -> Option<Duration> {
        if !pulse.is_lost(now) {
            *self = Self::default();
            return None;
        }
        let since = *self.silent_since.get_or_insert(now);
        let again = self.said.is_none_or(|said| now.saturating_sub(said) >= SAY_EVERY);
        if now.saturating_sub(since) < AGAIN_AFTER || !again {
            return None;
        }
        self.said = Some(now);
        Some(pulse.silent(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn when_a_loop_does_not_come_back_expect_it_said_in_time_and_every_second_until_it_does() {
        let (pulse, mut alarm) = (Pulse::default(), Alarm::default());
        assert_eq!(alarm.look(&pulse, ms(9000)), None, "a loop that has not begun");
        pulse.beat(ms(9000));
        let said: Vec<u64> =
            (0..30).map(|look| 9000 + 50 * look).filter(|&at| alarm.look(&pulse, ms(at)).is_some()).collect();
        assert_eq!(said, [9250, 10_250]);
        pulse.beat(ms(10_500));
        assert_eq!(alarm.look(&pulse, ms(10_510)), None);
        pulse.rest();
        assert_eq!(alarm.look(&pulse, ms(99_000)), None, "nothing is due");
    }

    #[test]
    fn when_a_simulated_cycle_is_held_up_for_seconds_expect_the_loop_not_lost() {
        let (pulse, mut alarm) = (Pulse::default(), Alarm::default());
        pulse.beat_slowly(ms(1000));
        assert!((1000..10_900).step_by(50).all(|at| alarm.look(&pulse, ms(at)).is_none()));
        assert!((11_000..11_200).step_by(50).any(|at| alarm.look(&pulse, ms(at)).is_some()), "but it may hang");
    }

    #[test]
    fn when_the_whole_process_was_stopped_expect_the_loop_given_time_to_come_back() {
        let (pulse, mut alarm) = (Pulse::default(), Alarm::default());
        pulse.beat(ms(1000));
        assert_eq!((alarm.look(&pulse, ms(1010)), alarm.look(&pulse, ms(6000))), (None, None));
        pulse.beat(ms(6005));
        assert_eq!(alarm.look(&pulse, ms(6050)), None);
    }
}
