//! Whether this process does its work: its stop monitor looks every few milliseconds, its thread of the bus comes
//! round, its guard answers. A process that stood still (SIGSTOP, a debugger, swap) finds out before it puts out
//! another pulse.
//!
//! The stop monitor stops everything before it notes that it looks again, and a pulse passes only while the note is
//! fresh and no stop was counted since its permit: so none passes between the end of a standstill and the stop that
//! follows from it.

use hexapod_ros::nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// On a real bus: less than a guard waits (driver_monitor.rs).
const LONGEST_LAPSE: Duration = Duration::from_millis(150);
/// Where nobody switches the boards off meanwhile: longer than a busy machine may keep threads waiting.
const LONGEST_SIMULATED: Duration = Duration::from_secs(1);
/// A thread of the bus that is silent for longer, outside a transfer, does not come round.
const ROUND: Duration = Duration::from_millis(60);
/// A guard that is silent for longer does not guard.
const GUARD_SILENT: Duration = Duration::from_millis(500);

/// Cheap to clone; all of it is atomic.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness(Arc<Signs>);

#[derive(Debug, Default)]
struct Signs {
    /// When the stop monitor looked last, in nanoseconds on the monotonic clock; 0: there is none.
    looked_ns: AtomicU64,
    /// A guard watches.
    is_watched: AtomicBool,
    /// The physics of this process stand still with it.
    has_physics: AtomicBool,
    /// When the thread of the bus last came round.
    round_ns: AtomicU64,
    /// It is on its round, and waits for no transfer, which may take as long as the bus likes.
    is_on_round: AtomicBool,
    /// When a guard was last heard.
    guard_ns: AtomicU64,
}

impl Liveness {
    /// A stop monitor looks from now on; with boards that a guard may switch off meanwhile, or without.
    pub fn begin(&self, is_watched: bool, now: Duration) {
        self.0.is_watched.store(is_watched, Ordering::SeqCst);
        self.look(now);
    }

    /// In simulated time this process may stand still for as long as it likes: its physics do, too.
    pub fn go_by_physics(&self) {
        self.0.has_physics.store(true, Ordering::SeqCst);
    }

    /// For how long this process has stood still by now, if for too long.
    pub fn lapse(&self, now: Duration) -> Option<Duration> {
        if self.0.has_physics.load(Ordering::SeqCst) {
            return None;
        }
        let looked = self.0.looked_ns.load(Ordering::SeqCst);
        let limit = if self.0.is_watched.load(Ordering::SeqCst) { LONGEST_LAPSE } else { LONGEST_SIMULATED };
        let since = now.saturating_sub(Duration::from_nanos(looked));
        (looked != 0 && since > limit).then_some(since)
    }

    /// The stop monitor looks, and what follows from a standstill has been done.
    pub fn look(&self, now: Duration) {
        self.0.looked_ns.store(nanos(now), Ordering::SeqCst);
    }

    /// The stop monitor's end: nobody looks.
    pub fn end(&self) {
        self.0.looked_ns.store(0, Ordering::SeqCst);
    }

    /// The thread of the bus comes round, or comes back from a transfer.
    pub fn come_round(&self, now: Duration) {
        self.0.round_ns.store(nanos(now), Ordering::SeqCst);
        self.0.is_on_round.store(true, Ordering::SeqCst);
    }

    /// It waits for a transfer, or has ended.
    pub fn leave_round(&self) {
        self.0.is_on_round.store(false, Ordering::SeqCst);
    }

    /// Whether the thread of the bus comes round, as far as that is up to this process.
    pub fn comes_round(&self, now: Duration) -> bool {
        let round = Duration::from_nanos(self.0.round_ns.load(Ordering::SeqCst));
        !self.0.is_on_round.load(Ordering::SeqCst) || now.saturating_sub(round) < ROUND
    }

    /// A guard says that it is there.
    pub fn hear_guard(&self, now: Duration) {
        self.0.guard_ns.store(nanos(now), Ordering::SeqCst);
    }

    /// Whether no guard has been heard for a while, on a bus that has one.
    pub fn misses_guard(&self, now: Duration) -> bool {
        let heard = Duration::from_nanos(self.0.guard_ns.load(Ordering::SeqCst));
        self.0.is_watched.load(Ordering::SeqCst) && now.saturating_sub(heard) > GUARD_SILENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_nobody_looks_for_too_long_expect_a_lapse_sooner_where_a_guard_watches() {
        let liveness = Liveness::default();
        assert_eq!(liveness.lapse(MS(10_000)), None, "there is no stop monitor");
        for (is_watched, limit) in [(true, LONGEST_LAPSE), (false, LONGEST_SIMULATED)] {
            liveness.begin(is_watched, MS(100));
            assert_eq!(liveness.lapse(MS(100) + limit), None);
            let late = limit + MS(1);
            assert_eq!(liveness.lapse(MS(100) + late), Some(late));
            liveness.look(MS(100) + late);
            assert_eq!(liveness.lapse(MS(100) + late), None);
        }
        liveness.go_by_physics();
        assert_eq!(liveness.lapse(MS(100_000)), None);
        liveness.end();
        assert_eq!(liveness.lapse(MS(10_000)), None);
    }

    #[test]
    fn when_the_thread_of_the_bus_hangs_expect_it_noticed_unless_the_bus_keeps_it() {
        let liveness = Liveness::default();
        assert!(liveness.comes_round(MS(500)), "it has not begun");
        liveness.come_round(MS(500));
        assert!(liveness.comes_round(MS(520)) && !liveness.comes_round(MS(500) + ROUND));
        liveness.leave_round();
        assert!(liveness.comes_round(MS(5000)), "in a transfer");
        liveness.come_round(MS(5000));
        assert!(liveness.comes_round(MS(5001)));
    }

    #[test]
    fn when_a_guard_is_silent_expect_it_missed_where_there_is_one() {
        let liveness = Liveness::default();
        assert!(!liveness.misses_guard(MS(10_000)), "boards in memory");
        liveness.begin(true, MS(1));
        liveness.hear_guard(MS(100));
        assert!(!liveness.misses_guard(MS(100) + GUARD_SILENT) && liveness.misses_guard(MS(101) + GUARD_SILENT));
    }
}
