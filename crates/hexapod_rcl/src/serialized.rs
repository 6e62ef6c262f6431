//! Messages as they came over the wire, before they are unpacked.

use crate::error::{RclError, check};
use r2r::{NativeMsg, WrappedTypesupport};
use r2r_rcl::{
    rcl_serialized_message_t, rcutils_get_default_allocator, rcutils_get_zero_initialized_uint8_array,
    rcutils_uint8_array_fini, rmw_deserialize,
};

/// A serialized message, whose memory the next one reuses.
pub(crate) struct Serialized {
    message: rcl_serialized_message_t,
}

// SAFETY: the message is plain memory without ties to a thread.
unsafe impl Send for Serialized {}

impl Serialized {
    /// An empty one, without memory.
    pub(crate) fn new() -> Self {
        // SAFETY: no preconditions.
        let mut message = unsafe { rcutils_get_zero_initialized_uint8_array() };
        // SAFETY: no preconditions.
        message.allocator = unsafe { rcutils_get_default_allocator() };
        Self { message }
    }

    /// Where rcl puts a message; it allocates what it needs with the allocator in there.
    pub(crate) fn get(&mut self) -> *mut rcl_serialized_message_t {
        &raw mut self.message
    }

    /// Size of the message, bytes.
    pub(crate) fn size(&self) -> usize {
        self.message.buffer_length
    }

    /// Unpacks the message.
    ///
    /// # Errors
    /// It is malformed, and what `message` holds is of no meaning.
    pub(crate) fn unpack<T: WrappedTypesupport>(&self, message: &mut NativeMsg<T>) -> Result<(), RclError> {
        // SAFETY: rcl has put together the serialized message; the other is an initialised one of the type.
        let code =
            unsafe { rmw_deserialize(&raw const self.message, std::ptr::from_ref(T::get_ts()), message.msg.cast()) };
        check("rmw_deserialize", code)
    }

    /// Gives its memory back if that is more than `most` bytes.
    pub(crate) fn give_back_beyond(&mut self, most: usize) {
        if self.message.buffer_capacity > most {
            *self = Self::new();
        }
    }
}

impl Drop for Serialized {
    fn drop(&mut self) {
        // SAFETY: its memory is none yet, or came from the allocator in there.
        let code = unsafe { rcutils_uint8_array_fini(self.get()) };
        let _ = check("rcutils_uint8_array_fini", code);
    }
}
