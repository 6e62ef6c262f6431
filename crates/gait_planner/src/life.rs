//! How long a command that drives the robot counts.
//!
//! Its age is counted from its receipt, never from its stamp, on the clock that the loop ticks by. In simulated time a
//! command does not outlive 5 s of real time either, however slow the simulation is. A clock that goes back makes
//! void what was received before.

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

/// In simulated time a command lives no longer than this in real time, unless its timeout is longer.
const LONGEST: Duration = Duration::from_secs(5);

/// Whether a command of this age still counts.
#[must_use]
pub fn is_fresh(received: &Moment, now: &Moment, timeout: Duration) -> bool {
    let age = now.since(received);
    age.at <= timeout && age.real <= timeout.max(LONGEST)
}

/// How long commands count at present.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    /// The age at which they stop counting.
    pub timeout: Duration,
}

impl Life {
    /// Whether what was received then still counts.
    #[must_use]
    pub fn spans(&self, received: &Moment, now: &Moment) -> bool {
        is_fresh(received, now, self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(500);

    fn moment(at: u64, real: u64) -> Moment {
        Moment { at: Duration::from_millis(at), real: Duration::from_millis(real) }
    }

    #[test]
    fn when_a_command_is_older_than_its_timeout_expect_it_void_however_long_a_simulation_took_for_that() {
        let received = moment(10_000, 700_000);
        for (at, real, fresh) in [
            (10_500, 700_500, true),
            (10_501, 700_000, false),
            (10_000, 701_500, true),
            (10_500, 705_000, true),
            (10_501, 704_000, false),
            (10_000, 705_001, false),
        ] {
            assert_eq!(is_fresh(&received, &moment(at, real), TIMEOUT), fresh, "{at} {real}");
        }
        assert!(is_fresh(&received, &moment(10_000, 707_999), Duration::from_secs(8)));
    }
}
