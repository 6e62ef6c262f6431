//! A process that does not come to its end by itself: a thread of the middleware may hang for good while its node is taken down.

use crate::log;
use crate::realtime::{self, priority};
use crate::shutdown::{Shutdown, Stage};
use signal_hook::low_level::exit;
use std::time::Duration;

/// Ends this process `within` that time after `done` has risen, unless it ends by itself. By then all that it had to do must
/// have been done: servos are off, files are written.
///
/// # Errors
/// There is no thread to be had.
pub fn end_at_last(done: &Shutdown, within: Duration) -> std::io::Result<()> {
    const FAILED: i32 = 1;
    const LONG: Duration = Duration::from_secs(3600);
    let done = done.clone();
    let wait = move || {
        while !done.wait(Stage::Stopping, LONG) {}
        // What hangs may spin, in real time.
        let _ = realtime::fifo(priority::STOP);
        std::thread::sleep(within);
        tracing::error!("all is done, but a thread of the middleware hangs: this process is ended by force");
        log::flush();
        // No handler of the C library's, and nothing of a middleware that hangs.
        exit(FAILED)
    };
    std::thread::Builder::new().name("last-resort".into()).spawn(wait).map(|_| ())
}
