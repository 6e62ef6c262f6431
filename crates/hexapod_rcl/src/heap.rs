//! The C library's heap.

/// Gives free pages in its middle back to the system (malloc_trim(3)), unless they are locked. Elsewhere than in glibc
/// nothing is done.
pub fn trim() {
    // SAFETY: no preconditions.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}
