//! How long a command that drives the robot counts.
//!
//! Its age is counted from its receipt, never from its stamp, and on two clocks: the one the loop ticks by and the
//! monotonic one. In real time both are one. In simulated time simulated time counts, and real time within bounds: a little
//! longer than `timeout`, for a command waits for its turn (`intake.rs`) and `/clock` may speak ten times a second only;
//! much longer where a simulation has turned out to run slower than real time. A clock that goes back makes void what was
//! received before.

use std::time::Duration;

/// A moment on the clock that the loop ticks by, and on the monotonic one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Monotonic, or simulated where the loop ticks by `/clock`.
    pub at: Duration,
    /// Monotonic.
    pub real: Duration,
}

impl Moment {
    /// A moment in real time.
    #[must_use]
    pub fn real(at: Duration) -> Self {
        Self { at, real: at }
    }

    fn since(&self, earlier: &Self) -> Self {
        Self { at: self.at.saturating_sub(earlier.at), real: self.real.saturating_sub(earlier.real) }
    }
}

/// In simulated time a command lives so much longer in real time.
const SLACK: Duration = Duration::from_millis(300);
/// In a simulation that is slower than real time a command lives so many times as long in real time, at most so long.
const SLOWER: u32 = 10;
const LONGEST: Duration = Duration::from_secs(5);

/// Whether a command of this age still counts, with a clock that is slow or not.
#[must_use]
pub fn is_fresh(received: &Moment, now: &Moment, timeout: Duration, slow: bool) -> bool {
    let age = now.since(received);
    let least = timeout + SLACK;
    let real = if slow { (timeout * SLOWER).min(LONGEST).max(least) } else { least };
    age.at <= timeout && age.real <= real
}

/// How long commands count at present.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    /// The age at which they stop counting.
    pub timeout: Duration,
    /// The simulated clock is slower than real time.
    pub slow: bool,
}

impl Life {
    /// Whether what was received then still counts.
    #[must_use]
    pub fn spans(&self, received: &Moment, now: &Moment) -> bool {
        is_fresh(received, now, self.timeout, self.slow)
    }
}

/// How a simulated clock goes against the monotonic one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockRate {
    since: Option<Moment>,
    last: Option<Moment>,
    slow: bool,
}

/// The rate is taken over so long.
const WINDOW: Duration = Duration::from_secs(1);
/// A clock that does not go on for so long stands, which tells nothing of its rate.
const GAP: Duration = Duration::from_millis(300);
/// Parts of real time below which a clock is slow.
const SLOW: f64 = 0.9;

impl ClockRate {
    /// Takes down what the clock says.
    pub fn take(&mut self, now: Moment) {
        if self.last.is_some_and(|last| now.at == last.at) {
            return; // It stands, however often it says so.
        }
        let goes_on = self.last.is_some_and(|last| now.at >= last.at && now.since(&last).real <= GAP);
        let since = *self.since.get_or_insert(now);
        let over = now.since(&since);
        if !goes_on {
            self.since = Some(now);
        } else if over.real >= WINDOW {
            self.slow = over.at.as_secs_f64() < SLOW * over.real.as_secs_f64();
            self.since = Some(now);
        }
        self.last = Some(now);
    }

    /// Whether it is slower than real time.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(500);

    fn moment(at: u64, real: u64) -> Moment {
        Moment { at: Duration::from_millis(at), real: Duration::from_millis(real) }
    }

    /// A clock that has run for two seconds at this rate, a message every 10 ms of real time.
    fn run(rate: f64) -> ClockRate {
        let mut clock = ClockRate::default();
        (0..=200).for_each(|k| clock.take(moment((f64::from(k) * 10.0 * rate) as u64, 10 * k as u64)));
        clock
    }

    #[test]
    fn when_a_clock_runs_at_any_rate_expect_it_slow_below_real_time_only() {
        for (rate, slow) in [(0.1, true), (0.8, true), (1.0, false), (5.0, false)] {
            assert_eq!(run(rate).is_slow(), slow, "{rate}");
        }
        let mut clock = run(1.0);
        clock.take(moment(2010, 9000));
        clock.take(moment(2020, 9010));
        assert!(!clock.is_slow(), "a clock that stood is not slow");
        for real in (9020..60_000).step_by(10) {
            clock.take(moment(2020, real));
            assert!(!clock.is_slow(), "nor is one that says so while it stands");
        }
    }

    #[test]
    fn when_a_command_is_older_than_its_timeout_on_either_clock_expect_it_void() {
        let received = moment(10_000, 700_000);
        for (at, real, slow, fresh) in [
            (10_500, 700_500, false, true),
            (10_501, 700_000, false, false),
            (10_000, 700_800, false, true),
            (10_000, 700_801, false, false),
            (10_400, 704_000, true, true),
            (10_501, 704_000, true, false),
            (10_000, 705_001, true, false),
        ] {
            assert_eq!(is_fresh(&received, &moment(at, real), TIMEOUT, slow), fresh, "{at} {real} {slow}");
        }
        let long = Duration::from_secs(8);
        assert!(is_fresh(&received, &moment(10_000, 707_999), long, true), "slow is never stricter");
    }
}
