//! What C hands over: texts and arrays.

use std::ffi::{CStr, c_char};

/// A copy of C's text; empty where there is none.
///
/// # Safety
/// `text` is null, or ends with a NUL and stays as it is during the call.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// C's array; empty where there is none.
///
/// # Safety
/// `values` is null, or points at `count` values that stay as they are for `'a`.
pub(crate) unsafe fn array<'a, T>(values: *const T, count: usize) -> &'a [T] {
    if values.is_null() {
        return &[];
    }
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { std::slice::from_raw_parts(values, count) }
}
