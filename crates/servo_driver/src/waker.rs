//! Waking a thread that may not have started yet.

use std::sync::{Arc, OnceLock};
use std::thread::Thread;

/// Wakes the thread that registered from `park`. Never blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waker(Arc<OnceLock<Thread>>);

impl Waker {
    /// The calling thread is the one to wake; the first that registers stays so.
    pub fn register(&self) {
        let _ = self.0.set(std::thread::current());
    }

    pub fn wake(&self) {
        if let Some(thread) = self.0.get() {
            thread.unpark();
        }
    }
}
