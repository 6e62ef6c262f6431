//! Texts to and from C.

use crate::error::RclError;
use std::ffi::{CStr, CString, c_char};

/// The text as C takes it.
pub(crate) fn c_text(text: impl Into<Vec<u8>>) -> Result<CString, RclError> {
    CString::new(text).map_err(|error| RclError::Nul { text: String::from_utf8_lossy(&error.into_vec()).into_owned() })
}

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
