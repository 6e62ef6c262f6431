//! When the I/O thread ticks: at a steady rate, and with each new command.

use std::time::Duration;

/// Deadlines on the driver's clock. A new command brings the tick forward, but no two ticks are closer than half a
/// period; with commands at a steady rate the ticks so fall in step with them.
#[derive(Debug)]
pub struct Schedule {
    period: Duration,
    /// The tick that comes without a command.
    deadline: Duration,
    /// No command brings a tick before this.
    earliest: Duration,
}

impl Schedule {
    /// Ticks at `rate_hz` from `now` on.
    #[must_use]
    pub fn new(rate_hz: f64, now: Duration) -> Self {
        Self { period: Duration::from_secs_f64(1.0 / rate_hz), deadline: now, earliest: now }
    }

    /// When the next tick is due. `commanded_at` is the time of receipt of a command no tick has seen.
    #[must_use]
    pub fn due(&self, commanded_at: Option<Duration>) -> Duration {
        commanded_at.map_or(self.deadline, |at| at.max(self.earliest).min(self.deadline))
    }

    /// Notes a tick at `now` that was due at `due`; returns how many deadlines were skipped.
    pub fn ticked(&mut self, now: Duration, due: Duration) -> u64 {
        // After a command the deadline stands a quarter of a period back, else it would race with the next command.
        let ahead = due < self.deadline;
        self.deadline = due + self.period + if ahead { self.period / 4 } else { Duration::ZERO };
        self.earliest = now + self.period / 2;
        if self.deadline > now {
            return 0;
        }
        let missed = (now - self.deadline).as_nanos() / self.period.as_nanos().max(1) + 1;
        self.deadline += self.period * u32::try_from(missed).unwrap_or(u32::MAX);
        missed as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn when_no_commands_come_expect_absolute_deadlines() {
        let mut schedule = Schedule::new(100.0, ms(0));
        for tick in 0..5 {
            assert_eq!(schedule.due(None), ms(10 * tick));
            assert_eq!(schedule.ticked(ms(10 * tick + 3), ms(10 * tick)), 0);
        }
    }

    #[test]
    fn when_held_up_expect_deadlines_skipped_and_counted() {
        let mut schedule = Schedule::new(100.0, ms(0));
        assert_eq!(schedule.ticked(ms(35), ms(0)), 3);
        assert_eq!(schedule.due(None), ms(40));
    }

    #[test]
    fn when_commands_are_steady_expect_one_tick_for_each() {
        let mut schedule = Schedule::new(100.0, ms(0));
        schedule.ticked(ms(0), ms(0));
        for command in 0..10 {
            let at = ms(6 + 10 * command);
            assert!(schedule.due(None) > at, "no tick between commands");
            assert_eq!(schedule.due(Some(at)), at);
            schedule.ticked(at, at);
        }
    }

    #[test]
    fn when_commands_flood_in_expect_at_most_two_ticks_in_a_period() {
        let mut schedule = Schedule::new(100.0, ms(0));
        schedule.ticked(ms(0), ms(0));
        assert_eq!(schedule.due(Some(ms(1))), ms(5));
    }
}
