//! The end of a node's threads, which comes for all at once.

use crate::shutdown::{Shutdown, Stage};
use hexapod_rcl::Waker;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// When the threads of a node end.
pub(crate) struct End {
    shutdown: Shutdown,
    until: Stage,
    /// One of them has ended.
    over: AtomicBool,
    wakers: Vec<Waker>,
}

impl End {
    /// When `shutdown` has come to `until`, or one of the threads, which `wakers` wake, has ended.
    pub(crate) fn of(shutdown: Shutdown, until: Stage, wakers: Vec<Waker>) -> Self {
        Self { shutdown, until, over: AtomicBool::new(false), wakers }
    }

    pub(crate) fn has_come(&self) -> bool {
        self.over.load(Ordering::SeqCst) || self.shutdown.stage() >= self.until
    }
}

/// Ends all threads of a node when it is dropped, panics included.
pub(crate) struct Over(pub(crate) Arc<End>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.wakers.iter().for_each(Waker::wake);
    }
}
