//! One wait set for each entity: rcl forbids two.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether an entity is in a wait set.
#[derive(Default)]
pub(crate) struct Awaiting(AtomicBool);

impl Awaiting {
    /// Takes down that it is in one; false if it is already.
    pub(crate) fn begin(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }

    /// It is in none any more.
    pub(crate) fn end(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
