//! Objects of rcl at addresses that stay.

/// An object of rcl on the heap: rcl keeps pointers to some of them, so they must not move.
///
/// It hands out an address and nothing else; what is done there, and on which thread, is for the `unsafe` block that
/// does it to justify. Whoever owns it finalises the object before it is dropped.
pub(crate) struct Pinned<T> {
    object: *mut T,
}

// SAFETY: rcl's objects have no ties to the thread that made them.
unsafe impl<T> Send for Pinned<T> {}
// SAFETY: a shared `Pinned` gives away its address only.
unsafe impl<T> Sync for Pinned<T> {}

impl<T> Pinned<T> {
    pub(crate) fn new(object: T) -> Self {
        Self { object: Box::into_raw(Box::new(object)) }
    }

    /// The object, which is gone from here.
    pub(crate) fn take(&mut self) -> Self {
        Self { object: std::mem::replace(&mut self.object, std::ptr::null_mut()) }
    }

    /// Where the object is, valid as long as this lives; null once it has been taken.
    pub(crate) fn get(&self) -> *mut T {
        self.object
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        if !self.object.is_null() {
            // SAFETY: the pointer came from `Box::into_raw` and is given back once.
            drop(unsafe { Box::from_raw(self.object) });
        }
    }
}
