//! Whether this process has stood still: suspended, in a debugger, swapped out. What a person pressed meanwhile waits for it, and
//! comes up as if it were pressed now, whatever has happened since.

use crate::pacer::{monotonic_now, nanos};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often a thread of its own looks at the clock.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A process that was not run for longer has stood still: a machine that is merely busy runs it sooner.
const STOOD_STILL: Duration = Duration::from_millis(200);
/// What waited meanwhile has been taken in so long after it.
const DRAINED: Duration = Duration::from_millis(100);

/// Watches from a thread of its own, as long as the process lives. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StandstillWatch(Arc<Looks>);

/// Nanoseconds on the monotonic clock.
#[derive(Debug)]
struct Looks {
    last: AtomicU64,
    /// When the last standstill ended.
    ended: AtomicU64,
}

impl StandstillWatch {
    /// Starts the thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start() -> std::io::Result<Self> {
        let watch = Self::new(monotonic_now());
        let looks = Arc::downgrade(&watch.0);
        let look = move || {
            while let Some(looks) = looks.upgrade() {
                looks.look(monotonic_now());
                drop(looks);
                std::thread::sleep(LOOK_EVERY);
            }
        };
        std::thread::Builder::new().name("standstill".into()).spawn(look)?;
        Ok(watch)
    }

    fn new(now: Duration) -> Self {
        Self(Arc::new(Looks { last: nanos(now).into(), ended: 0.into() }))
    }

    /// Whether what is taken in now may have waited while this process stood still.
    #[must_use]
    pub fn is_recent(&self) -> bool {
        self.0.is_recent(monotonic_now())
    }
}

impl Looks {
    fn look(&self, now: Duration) {
        if self.stands_still(now) {
            self.ended.store(nanos(now), Ordering::SeqCst);
        }
        self.last.store(nanos(now), Ordering::SeqCst);
    }

    /// Whoever asks may run before the thread that looks.
    fn is_recent(&self, now: Duration) -> bool {
        let ended = self.ended.load(Ordering::SeqCst);
        self.stands_still(now) || ended > 0 && nanos(now).saturating_sub(ended) < nanos(DRAINED)
    }

    fn stands_still(&self, now: Duration) -> bool {
        nanos(now).saturating_sub(self.last.load(Ordering::SeqCst)) > nanos(STOOD_STILL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_the_process_stands_still_expect_it_known_until_what_waited_is_taken_in_whoever_runs_first() {
        let watch = StandstillWatch::new(MS(1000));
        for now in (1000..2000).step_by(20) {
            watch.0.look(MS(now));
            assert!(!watch.0.is_recent(MS(now + 150)), "a busy machine");
        }
        assert!(watch.0.is_recent(MS(2300)), "before the thread has looked");
        watch.0.look(MS(2301));
        assert!(watch.0.is_recent(MS(2390)) && !watch.0.is_recent(MS(2402)));
    }
}
