//! The thread that writes lines and publishes them.

use super::console::Console;
use super::entry::{Entry, Severity};
use super::names::NAMES;
use crate::bounds::Burst;
use crate::pacer::monotonic_now;
use crate::publisher::Publisher;
use crate::realtime::{self, priority};
use r2r::rcl_interfaces::msg::Log;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Lines that wait at most for the thread.
const WAITING: usize = 256;
/// Lines that wait at most for a node's `/rosout` to open.
const UNREPORTED: usize = 100;
/// Lines of one severity: so many at once, and so many a second from then on.
const AT_ONCE: u32 = 40;
const PER_SECOND: u32 = 5;
/// How long the end waits for the last lines.
const LAST_LINES: Duration = Duration::from_millis(200);

static WRITER: OnceLock<Writer> = OnceLock::new();

struct Writer {
    queue: SyncSender<LogEvent>,
    /// The other end, until the thread has it.
    waiting: Mutex<Option<Receiver<LogEvent>>>,
    /// By severity.
    bursts: Mutex<[Burst; Severity::ALL.len()]>,
    lost: AtomicU64,
}

/// What the thread receives.
enum LogEvent {
    Line(Entry),
    Opened(String, Publisher<Log>),
    /// To be answered when all before it is done.
    Flush(SyncSender<()>),
}

/// Lets lines be taken in. They wait until [`begin`].
pub(super) fn prepare() {
    let (queue, waiting) = sync_channel(WAITING);
    let bursts = Mutex::new([(); Severity::ALL.len()].map(|()| Burst::new(AT_ONCE, PER_SECOND)));
    // A second call changes nothing.
    let _ = WRITER.set(Writer { queue, waiting: Mutex::new(Some(waiting)), bursts, lost: AtomicU64::new(0) });
}

/// Whether lines are taken in.
#[must_use]
pub fn is_on() -> bool {
    WRITER.get().is_some()
}

/// Starts the thread, where lines are taken in and it does not run yet. Before this the process may have one thread only.
pub fn begin() {
    let Some(waiting) = WRITER.get().and_then(|writer| locked(&writer.waiting).take()) else { return };
    // Without a thread nobody hears of it: there is nothing to be done about that here.
    let _ = std::thread::Builder::new().name("log".into()).spawn(move || {
        // It shares the middleware with those that publish commands.
        let _ = realtime::join_loops(priority::PUBLISHING);
        let mut lines = Lines::new();
        waiting.iter().for_each(|reported| lines.take(reported));
    });
}

/// Waits a moment until what was logged has been written.
pub fn flush() {
    let Some(writer) = WRITER.get() else { return };
    if let Some(waiting) = locked(&writer.waiting).as_ref() {
        let mut lines = Lines::new();
        waiting.try_iter().for_each(|reported| lines.take(reported));
        return;
    }
    let (done, is_done) = sync_channel(1);
    if writer.queue.try_send(LogEvent::Flush(done)).is_ok() {
        let _ = is_done.recv_timeout(LAST_LINES);
    }
}

/// Hands a line to the thread; one for which there is no room is counted.
pub(super) fn hand_over(entry: Entry) {
    let Some(writer) = WRITER.get() else { return };
    let index = Severity::ALL.iter().position(|&known| known == entry.severity).unwrap_or_default();
    if !locked(&writer.bursts)[index].admit(monotonic_now()) {
        writer.lost.fetch_add(1, Ordering::Relaxed);
        return;
    }
    match writer.queue.try_send(LogEvent::Line(entry)) {
        Ok(()) => {}
        Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
            writer.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Publishes a node's lines on its `/rosout` from now on.
pub(crate) fn publish_on(logger: String, publisher: Publisher<Log>) {
    if let Some(writer) = WRITER.get() {
        // With the queue full this node's lines go to standard output only.
        let _ = writer.queue.try_send(LogEvent::Opened(logger, publisher));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread has.
struct Lines {
    console: Console,
    nodes: Vec<(String, Publisher<Log>)>,
    /// Lines from before the nodes' topics were opened.
    unreported: VecDeque<Entry>,
}

impl Lines {
    fn new() -> Self {
        Self { console: Console::of_process(), nodes: vec![], unreported: VecDeque::new() }
    }

    fn take(&mut self, reported: LogEvent) {
        match reported {
            LogEvent::Line(mut entry) => {
                let lost = WRITER.get().map_or(0, |writer| writer.lost.swap(0, Ordering::Relaxed));
                if lost > 0 {
                    entry.text = format!("{} (lines lost before this one: {lost})", entry.text);
                }
                self.console.write(&entry);
                self.publish(entry);
            }
            LogEvent::Opened(logger, publisher) => {
                self.nodes.push((logger, publisher));
                std::mem::take(&mut self.unreported).into_iter().for_each(|entry| self.publish(entry));
            }
            LogEvent::Flush(done) => {
                let _ = done.try_send(());
            }
        }
    }

    /// Publishes on the topic of the line's node; what belongs to no node on any.
    fn publish(&mut self, entry: Entry) {
        let own = self.nodes.iter().position(|(logger, _)| *logger == entry.name);
        let any = (!NAMES.has(&entry.name) && !self.nodes.is_empty()).then_some(0);
        let Some(index) = own.or(any) else {
            if self.unreported.len() == UNREPORTED {
                self.unreported.pop_front();
            }
            return self.unreported.push_back(entry);
        };
        // What cannot be published was written all the same, and must not be logged. A node that has gone stays gone.
        let _ = self.nodes[index].1.publish(&Log::from(&entry));
    }
}
