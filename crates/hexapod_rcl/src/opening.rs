//! Nodes, topics and services are opened and closed one at a time.

use std::sync::{Mutex, PoisonError};

/// Opens or closes something while no other thread of this process does: rcl's functions for that are not thread-safe.
///
/// A message type's description is put together in static memory when the type is first used (`get_type_description` of
/// rosidl's generated C), without a lock. A thread that opens another topic of that type meanwhile may read one half of
/// it: "Failed to register type", once in some 4000 starts of a robot on a busy machine.
///
/// Nothing may be dropped within `open` that is closed here itself.
pub(crate) fn one_at_a_time<T>(open: impl FnOnce() -> T) -> T {
    static OPENING: Mutex<()> = Mutex::new(());
    let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    open()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn when_threads_open_at_once_expect_one_after_the_other() {
        let (open, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let opening = || {
            most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            open.fetch_sub(1, Ordering::SeqCst);
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| one_at_a_time(opening)));
            }
        });
        assert_eq!(most.into_inner(), 1);
    }
}
