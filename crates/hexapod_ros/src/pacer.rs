//! A loop with absolute deadlines, and how well it keeps them.

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};
use std::time::Duration;

/// Sleeps to the next multiple of the period on the monotonic clock. Deadlines that have passed are skipped and
/// counted, never caught up in a burst.
#[derive(Debug)]
pub struct Pacer {
    period: Duration,
    next: Duration,
    lateness: Lateness,
}

impl Pacer {
    /// A loop of `rate_hz` whose first deadline is one period from now.
    #[must_use]
    pub fn new(rate_hz: f64) -> Self {
        let period = Duration::from_secs_f64(1.0 / rate_hz);
        Self { period, next: monotonic_now() + period, lateness: Lateness::default() }
    }

    /// Time between two deadlines.
    #[must_use]
    pub fn period(&self) -> Duration {
        self.period
    }

    /// Sleeps to the next deadline and returns the monotonic time it was set for.
    pub fn wait(&mut self) -> Duration {
        let deadline = self.next;
        sleep_until(deadline);
        let now = monotonic_now();
        self.lateness.record(now.saturating_sub(deadline));
        self.next = deadline + self.period;
        if self.next < now {
            let missed = (now - self.next).as_nanos() / self.period.as_nanos().max(1) + 1;
            self.lateness.overruns += missed as u64;
            self.next += self.period * u32::try_from(missed).unwrap_or(u32::MAX);
        }
        deadline
    }

    /// How late the loop woke since this was last asked.
    pub fn take_lateness(&mut self) -> Lateness {
        std::mem::take(&mut self.lateness)
    }

    /// Cycles since [`Self::take_lateness`] was last called.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.lateness.cycles
    }
}

/// Time on the monotonic clock.
#[must_use]
pub fn monotonic_now() -> Duration {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from).unwrap_or_default()
}

/// A time in nanoseconds, for an atomic.
#[must_use]
pub fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Processor time that the present thread has taken so far.
#[must_use]
pub fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

fn sleep_until(deadline: Duration) {
    let request = TimeSpec::from(deadline);
    // Interrupted sleeps (EINTR) go on to the same absolute deadline.
    while clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &request)
        == Err(nix::errno::Errno::EINTR)
    {}
}

const BUCKETS: usize = 24;

/// Lateness of wake-ups in buckets of powers of two microseconds: fixed size, cheap to record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lateness {
    /// Wake-ups recorded.
    pub cycles: u64,
    /// Deadlines that were skipped.
    pub overruns: u64,
    worst: Duration,
    buckets: [u64; BUCKETS],
}

impl Lateness {
    /// Takes down one wake-up.
    pub fn record(&mut self, late: Duration) {
        self.cycles += 1;
        self.worst = self.worst.max(late);
        let us = u64::try_from(late.as_micros()).unwrap_or(u64::MAX);
        let bucket = (64 - us.leading_zeros()) as usize;
        self.buckets[bucket.min(BUCKETS - 1)] += 1;
    }

    /// An upper bound of the lateness of the given part of wake-ups (0.99 for p99), within a factor of two.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Duration {
        let wanted = (self.cycles as f64 * part).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Duration::from_micros(1 << bucket).min(self.worst);
            }
        }
        self.worst
    }

    /// The greatest lateness.
    #[must_use]
    pub fn worst(&self) -> Duration {
        self.worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_thread_sleeps_expect_none_of_it_in_its_processor_time() {
        let (before, since) = (thread_time(), monotonic_now());
        std::thread::sleep(Duration::from_millis(100));
        let slept = thread_time().saturating_sub(before);
        assert!(
            slept < Duration::from_millis(20) && monotonic_now() - since >= Duration::from_millis(100),
            "{slept:?}"
        );
        let before = thread_time();
        while thread_time().saturating_sub(before) < Duration::from_millis(5) {}
    }

    #[test]
    fn when_the_loop_is_held_up_expect_cycles_skipped_and_no_burst() {
        let mut pacer = Pacer::new(200.0);
        let first = pacer.wait();
        std::thread::sleep(Duration::from_millis(23));
        let late = pacer.wait();
        let next = pacer.wait();
        // A loaded machine may have held up the first cycle too.
        assert_eq!((late - first).as_nanos() % pacer.period().as_nanos(), 0);
        assert!(next - late >= pacer.period() * 3, "three or four deadlines had passed");
        let lateness = pacer.take_lateness();
        assert!(lateness.overruns >= 3 && lateness.worst() >= Duration::from_millis(17));
        assert_eq!(lateness.cycles, 3);
    }

    #[test]
    fn when_lateness_is_recorded_expect_the_quantile_within_a_factor_of_two() {
        let mut lateness = Lateness::default();
        for us in 0..1000 {
            lateness.record(Duration::from_micros(us));
        }
        let p99 = lateness.quantile(0.99);
        assert!((Duration::from_micros(989)..=Duration::from_micros(1978)).contains(&p99), "{p99:?}");
    }
}
