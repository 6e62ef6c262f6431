//! Whether the threads that take in messages and requests still come back from the middleware.
//!
//! One that does not takes the whole process's hearing with it, stops included: it stays in there with the reader's lock,
//! for which the middleware's own threads wait. Fast DDS 2.14 (and 3.x, August 2026) does so for good after two datagrams,
//! as a network that loses some brings them: a part of a message too large for one, then word that the message is not
//! coming (GAP). `StatefulReader::processGapMsg` frees what it has of it and leaves it in the list that `take` goes by.
//! Nothing from outside ends that take, so the robot sits down and the process ends; whoever started it starts it again.

use crate::log;
use crate::shutdown::{Shutdown, Stage};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How often the threads are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// A thread is lost that has done nothing for so many looks: a wait takes five of them at most. Looks, not seconds: a
/// process that was halted as a whole has not been looking, either.
const MOST_IDLE: u32 = 15;
/// How often it is looked whether the work is done.
const WORK_EVERY: Duration = Duration::from_millis(20);
/// How long the work may take: to let the robot sit and the servos go.
const FINISH_TIMEOUT: Duration = Duration::from_secs(10);
/// How long, once somebody wants the end at once.
const URGENT_FINISH_TIMEOUT: Duration = Duration::from_secs(1);

/// The threads of a process that take in messages. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct RmwWatchdog {
    threads: Arc<Mutex<Vec<Arc<Thread>>>>,
    /// So much is to be finished.
    work: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Thread {
    /// What is said of it.
    name: String,
    /// Goes up with each wait that ends and each message taken; zero before the first.
    count: AtomicU64,
    over: AtomicBool,
}

/// A thread's own end of it: over when it is dropped.
#[derive(Debug)]
pub(crate) struct Beat(Arc<Thread>);

/// Something that a process has to finish before it ends, even if it hears nothing any more: finished when it is dropped.
#[derive(Debug)]
pub struct ExitGuard(Arc<AtomicUsize>);

/// What one look has seen of a thread.
#[derive(Debug)]
struct Seen {
    thread: Arc<Thread>,
    count: u64,
    idle: u32,
}

impl RmwWatchdog {
    /// Takes a thread in, which is watched from its first beat on.
    pub(crate) fn join(&self, name: &str) -> Beat {
        let thread = Arc::new(Thread { name: name.into(), count: AtomicU64::new(0), over: AtomicBool::new(false) });
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_over());
        threads.push(Arc::clone(&thread));
        Beat(thread)
    }

    /// Takes in what the process has to finish.
    pub(crate) fn exit_guard(&self) -> ExitGuard {
        self.work.fetch_add(1, Ordering::SeqCst);
        ExitGuard(Arc::clone(&self.work))
    }

    /// Watches from a thread of its own as long as the process lives: where one of the others is lost, `process` is asked
    /// to end, and ends without the lost one as soon as all work is done.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn watch(&self, process: &Shutdown) -> std::io::Result<()> {
        let (rmw_watchdog, process) = (self.clone(), process.clone());
        Builder::new().name("hearing".into()).spawn(move || rmw_watchdog.watch_for_good(&process)).map(|_| ())
    }

    fn watch_for_good(&self, process: &Shutdown) {
        let mut seen = vec![];
        loop {
            std::thread::sleep(LOOK_EVERY);
            self.look(&mut seen);
            if let Some(lost) = seen.iter().find(|seen| seen.idle >= MOST_IDLE) {
                let seconds = (LOOK_EVERY * MOST_IDLE).as_secs();
                tracing::error!(
                    "{} no longer hears anything, not even a stop: it has been stuck in the middleware for {seconds} s. \
                     The robot sits down and this process ends; start it again",
                    lost.thread.name
                );
                process.ask();
                self.finish(process);
                log::flush();
                // Not by the way of destructors: those of the middleware wait for the lost thread.
                signal_hook::low_level::exit(1);
            }
        }
    }

    /// Waits until all work is done, or its time is over.
    fn finish(&self, process: &Shutdown) {
        let (since, mut hurried) = (Instant::now(), None);
        while self.work.load(Ordering::SeqCst) > 0 && since.elapsed() < FINISH_TIMEOUT {
            if process.stage() == Stage::Now
                && hurried.get_or_insert_with(Instant::now).elapsed() > URGENT_FINISH_TIMEOUT
            {
                return;
            }
            std::thread::sleep(WORK_EVERY);
        }
    }

    /// Looks at each thread once.
    fn look(&self, seen: &mut Vec<Seen>) {
        let threads = self.threads();
        seen.retain(|seen| threads.iter().any(|thread| Arc::ptr_eq(thread, &seen.thread)));
        for thread in threads {
            let count = thread.count.load(Ordering::Relaxed);
            match seen.iter_mut().find(|seen| Arc::ptr_eq(&seen.thread, &thread)) {
                Some(seen) if seen.count == count && count > 0 => seen.idle += 1,
                Some(seen) => (seen.count, seen.idle) = (count, 0),
                None => seen.push(Seen { thread, count, idle: 0 }),
            }
        }
    }

    /// Those that are not over.
    fn threads(&self) -> Vec<Arc<Thread>> {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.iter().filter(|thread| !thread.is_over()).cloned().collect()
    }
}

impl Thread {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

impl Beat {
    /// The thread has come back.
    pub(crate) fn beat(&self) {
        self.0.count.fetch_add(1, Ordering::Relaxed);
    }

    /// The thread takes in nothing any more, of its own accord.
    pub(crate) fn end(&self) {
        self.0.over.store(true, Ordering::SeqCst);
    }
}

impl Drop for ExitGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(seen: &[Seen]) -> Vec<&str> {
        seen.iter().filter(|seen| seen.idle >= MOST_IDLE).map(|seen| seen.thread.name.as_str()).collect()
    }

    #[test]
    fn when_a_thread_does_not_come_back_expect_it_lost_and_no_other() {
        let rmw_watchdog = RmwWatchdog::default();
        let [turns, hangs, not_begun, ended] =
            ["turns", "hangs", "not begun", "ended"].map(|name| rmw_watchdog.join(name));
        [&turns, &hangs, &ended].into_iter().for_each(Beat::beat);
        drop(ended);
        let mut seen = vec![];
        for look in 0..3 * MOST_IDLE {
            turns.beat();
            rmw_watchdog.look(&mut seen);
            let expected: &[&str] = if look < MOST_IDLE { &[] } else { &["hangs"] };
            assert_eq!(lost(&seen), expected, "look {look}");
        }
        hangs.beat();
        rmw_watchdog.look(&mut seen);
        assert!(lost(&seen).is_empty(), "it has come back");
        drop((hangs, not_begun));
        rmw_watchdog.look(&mut seen);
        assert_eq!(seen.len(), 1, "those that are over are forgotten");
    }

    #[test]
    fn when_a_thread_is_lost_expect_work_waited_for_and_less_long_in_a_hurry() {
        let (rmw_watchdog, process) = (RmwWatchdog::default(), Shutdown::default());
        let took = || {
            let started = Instant::now();
            rmw_watchdog.finish(&process);
            started.elapsed()
        };
        let _lost = rmw_watchdog.join("lost");
        assert!(took() < URGENT_FINISH_TIMEOUT, "nothing is to be finished");
        let [work, more] = [rmw_watchdog.exit_guard(), rmw_watchdog.exit_guard()];
        let ends = std::thread::spawn(move || {
            drop(work);
            std::thread::sleep(Duration::from_millis(100));
            drop(more);
        });
        assert!((Duration::from_millis(90)..FINISH_TIMEOUT).contains(&took()));
        ends.join().unwrap();
        let _stays = rmw_watchdog.exit_guard();
        process.ask_now();
        assert!((URGENT_FINISH_TIMEOUT..FINISH_TIMEOUT).contains(&took()));
    }
}
