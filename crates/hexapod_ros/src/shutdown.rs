//! The end of a process, in order: a first signal asks for a safe stop, a second one for an end at once.

use hexapod_rcl::Waker;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How far the end of the process has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Nobody has asked for the end.
    Running,
    /// The robot is to stop, sit and relax.
    Stopping,
    /// The robot is to relax at once.
    Now,
}

/// A flag that all threads of a process share. Cheap to clone and to read.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    asked: AtomicU8,
    /// When the end was asked for first.
    since: OnceLock<Instant>,
    /// The signal that asked for it first, if one did.
    signal: OnceLock<i32>,
    /// Threads that sleep on something else.
    sleepers: Mutex<Vec<Sleeper>>,
    changed: Condvar,
}

/// A thread that does not wait for the flag itself.
#[derive(Debug)]
enum Sleeper {
    Parked(Thread),
    InWaitSet(Waker),
}

impl Sleeper {
    fn wake(&self) {
        match self {
            Self::Parked(thread) => thread.unpark(),
            Self::InWaitSet(waker) => waker.wake(),
        }
    }

    fn is_gone(&self) -> bool {
        matches!(self, Self::InWaitSet(waker) if waker.is_gone())
    }
}

/// Signals that come together are one wish: systemd and `pkill` tell every process, and `ros2 launch`, signalled
/// itself, tells its nodes once more. Who wants the end at once presses Ctrl-C again later than this.
const TOGETHER: Duration = Duration::from_millis(250);

impl Shutdown {
    /// A flag that rises with SIGINT, SIGTERM and SIGHUP; a signal a quarter of a second after the end was first asked for
    /// raises it to [`Stage::Now`].
    ///
    /// # Errors
    /// The handlers could not be installed.
    pub fn on_signals() -> std::io::Result<Self> {
        let shutdown = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let raised = shutdown.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                if raised.is_running() {
                    let _ = raised.shared.signal.set(signal);
                }
                raised.signalled(Instant::now());
            }
        })?;
        Ok(shutdown)
    }

    /// Asks for the end in order, whoever else has asked.
    pub fn ask(&self) {
        self.raise(Stage::Stopping, Instant::now());
    }

    /// Asks for the end at once.
    pub fn ask_now(&self) {
        self.raise(Stage::Now, Instant::now());
    }

    /// Asks for the end in order when it is dropped, panics included.
    #[must_use]
    pub fn drop_guard(&self) -> DropGuard {
        DropGuard(Some(self.clone()))
    }

    /// Why the end was asked for, in words.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self.shared.signal.get() {
            Some(&SIGINT) => "stopped by SIGINT (Ctrl-C)",
            Some(&SIGTERM) => "stopped by SIGTERM",
            Some(&SIGHUP) => "stopped by SIGHUP (its terminal is gone)",
            _ => "its process was asked to end",
        }
    }

    fn signalled(&self, now: Instant) {
        let second = self.shared.since.get().is_some_and(|&since| now.saturating_duration_since(since) >= TOGETHER);
        self.raise(if second { Stage::Now } else { Stage::Stopping }, now);
    }

    fn raise(&self, stage: Stage, now: Instant) {
        self.shared.since.get_or_init(|| now);
        let sleepers = self.sleepers();
        self.shared.asked.fetch_max(stage as u8, Ordering::SeqCst);
        self.shared.changed.notify_all();
        sleepers.iter().for_each(Sleeper::wake);
    }

    /// Waits for a thread that may hang in a transfer, and must not keep the process then: once the end has been asked
    /// for as far as `from` it is given `patience`, and none once it has been asked for again. False if it is left behind,
    /// as it is when it is `given_up`.
    #[must_use]
    pub fn outwait<R>(
        &self,
        thread: &JoinHandle<R>,
        (from, patience): (Stage, Duration),
        given_up: impl Fn() -> bool,
    ) -> bool {
        const LOOK_EVERY: Duration = Duration::from_millis(10);
        let mut asked: Option<Instant> = None;
        while !thread.is_finished() {
            if self.wait(from, LOOK_EVERY) {
                let since = *asked.get_or_insert_with(Instant::now);
                let again = from < Stage::Now && self.wait(Stage::Now, LOOK_EVERY);
                if from == Stage::Now {
                    // Nothing more can be asked for: the thread is to have the processor.
                    std::thread::sleep(LOOK_EVERY);
                }
                if again || since.elapsed() > patience {
                    return false;
                }
            }
            if given_up() {
                return false;
            }
        }
        true
    }

    /// Unparks `thread` whenever somebody asks, too.
    pub fn wakes(&self, thread: Thread) {
        self.sleepers().push(Sleeper::Parked(thread));
    }

    /// Ends the wait of a thread in a wait set whenever somebody asks, too.
    pub(crate) fn wakes_set(&self, waker: Waker) {
        let mut sleepers = self.sleepers();
        sleepers.retain(|sleeper| !sleeper.is_gone());
        sleepers.push(Sleeper::InWaitSet(waker));
    }

    fn sleepers(&self) -> MutexGuard<'_, Vec<Sleeper>> {
        self.shared.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far the end has come.
    #[must_use]
    pub fn stage(&self) -> Stage {
        match self.shared.asked.load(Ordering::SeqCst) {
            0 => Stage::Running,
            1 => Stage::Stopping,
            _ => Stage::Now,
        }
    }

    /// Whether the process goes on as usual.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.stage() == Stage::Running
    }

    /// Waits until the end has come to `stage`, at most `timeout`; true if it has.
    #[must_use]
    pub fn wait(&self, stage: Stage, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut guard = self.sleepers();
        while self.stage() < stage {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(guard, left);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// Asks for the end when it is dropped ([`Shutdown::drop_guard`]).
#[derive(Debug)]
pub struct DropGuard(Option<Shutdown>);

impl DropGuard {
    /// Drops it without asking.
    pub fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for DropGuard {
    fn drop(&mut self) {
        if let Some(shutdown) = &self.0 {
            shutdown.ask();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_guard_is_dropped_expect_the_end_asked_for_unless_it_was_disarmed() {
        let shutdown = Shutdown::default();
        shutdown.drop_guard().disarm();
        assert!(shutdown.is_running());
        let (panics, guarded) = (shutdown.clone(), || panic!("as it must not"));
        let ended = std::thread::spawn(move || {
            let _guard = panics.drop_guard();
            guarded()
        });
        assert!(ended.join().is_err() && shutdown.stage() == Stage::Stopping);
    }

    #[test]
    fn when_asked_expect_the_end_in_order_however_often_and_no_step_back() {
        let shutdown = Shutdown::default();
        assert!(shutdown.is_running() && !shutdown.wait(Stage::Stopping, Duration::from_millis(1)));
        shutdown.ask();
        shutdown.ask();
        assert_eq!(shutdown.stage(), Stage::Stopping);
        shutdown.ask_now();
        shutdown.ask();
        assert!(shutdown.wait(Stage::Now, Duration::ZERO));
    }

    #[test]
    fn when_signals_come_together_expect_one_end_in_order_and_a_later_one_to_hurry() {
        let first = Instant::now();
        for by_signal in [true, false] {
            let shutdown = Shutdown::default();
            if by_signal {
                shutdown.signalled(first)
            } else {
                shutdown.raise(Stage::Stopping, first)
            }
            for later in [Duration::ZERO, TOGETHER / 2, TOGETHER - Duration::from_nanos(1)] {
                shutdown.signalled(first + later);
                assert_eq!(shutdown.stage(), Stage::Stopping, "{later:?}");
            }
            shutdown.signalled(first + TOGETHER);
            assert_eq!(shutdown.stage(), Stage::Now);
        }
    }

    #[test]
    fn when_a_thread_hangs_expect_it_left_behind_in_time() {
        let release = Shutdown::default();
        let hangs = release.clone();
        let thread = std::thread::spawn(move || hangs.wait(Stage::Stopping, Duration::from_secs(20)));
        let (long, short) = (Duration::from_secs(10), Duration::from_millis(30));
        assert!(!Shutdown::default().outwait(&thread, (Stage::Stopping, long), || true), "given up");
        let shutdown = Shutdown::default();
        shutdown.ask();
        let started = Instant::now();
        assert!(
            !shutdown.outwait(&thread, (Stage::Stopping, short), || false) && started.elapsed() >= short,
            "its time is over"
        );
        shutdown.ask_now();
        assert!(
            !shutdown.outwait(&thread, (Stage::Stopping, long), || false) && started.elapsed() < long,
            "asked again"
        );
        release.ask();
        assert!(
            Shutdown::default().outwait(&thread, (Stage::Stopping, long), || false) && thread.join().unwrap(),
            "it ends"
        );
    }

    #[test]
    fn when_asked_expect_parked_threads_woken() {
        let shutdown = Shutdown::default();
        let asked = shutdown.clone();
        let sleeper = std::thread::spawn(move || {
            asked.wakes(std::thread::current());
            let started = Instant::now();
            while asked.is_running() && started.elapsed() < Duration::from_secs(20) {
                std::thread::park_timeout(Duration::from_secs(20));
            }
            started.elapsed()
        });
        std::thread::sleep(Duration::from_millis(20));
        shutdown.ask();
        assert!(sleeper.join().unwrap() < Duration::from_secs(10));
    }
}
