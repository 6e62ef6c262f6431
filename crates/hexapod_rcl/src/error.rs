//! What rcl refuses, in its own words.

use crate::text::text;
use r2r_rcl::{rcl_ret_t, rcutils_get_error_string, rcutils_reset_error};
use std::ffi::NulError;

/// An error of rcl, or of what was asked of it.
#[derive(Debug, thiserror::Error)]
pub enum RclError {
    /// `--ros-args` do not hold.
    #[error("{words}")]
    Arguments {
        /// What rcl says.
        words: String,
    },
    /// A call failed.
    #[error("{words}")]
    Refused {
        /// Name of the function of rcl.
        call: &'static str,
        /// What it returned (`rcl/types.h`).
        code: rcl_ret_t,
        /// What rcl says.
        words: String,
    },
    /// A name or an argument that C cannot take.
    #[error("{text:?} contains a NUL character")]
    Nul {
        /// The name or argument.
        text: String,
    },
    /// An entity may be waited for in one wait set only.
    #[error("it is already in another wait set")]
    AlreadyAwaited,
    /// The node that it belonged to is gone.
    #[error("its node is gone")]
    Gone,
}

impl From<NulError> for RclError {
    fn from(error: NulError) -> Self {
        Self::Nul { text: String::from_utf8_lossy(&error.into_vec()).into_owned() }
    }
}

/// The result of a call of rcl; an error takes rcl's words with it.
pub(crate) fn check(call: &'static str, code: rcl_ret_t) -> Result<(), RclError> {
    if code == 0 {
        return Ok(());
    }
    let words = take_words().unwrap_or_else(|| format!("{call} returned {code}"));
    Err(RclError::Refused { call, code, words })
}

/// Whether a take found nothing, which is no error; rcl's words are dropped then.
pub(crate) fn found(call: &'static str, code: rcl_ret_t, nothing: u32) -> Result<bool, RclError> {
    if i64::from(code) == i64::from(nothing) {
        take_words();
        return Ok(false);
    }
    check(call, code).map(|()| true)
}

/// What rcl says of this thread's last error, which is cleared.
fn take_words() -> Option<String> {
    // SAFETY: the error state is this thread's own, and the string is returned by value.
    let state = unsafe { rcutils_get_error_string() };
    // SAFETY: the array ends with a NUL and lives to the end of this function.
    let words = unsafe { text(state.str_.as_ptr()) };
    // SAFETY: as above.
    unsafe { rcutils_reset_error() };
    (!words.is_empty() && words != "error not set").then_some(words)
}
