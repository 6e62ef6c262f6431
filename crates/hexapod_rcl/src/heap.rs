//! What the C library's heap keeps of memory that was freed. Elsewhere than in glibc nothing is done about it.

/// Blocks at least so large are mapped of their own, and go back to the system when they are freed; and as much free
/// memory at the heap's end goes back.
#[cfg(target_env = "gnu")]
const LARGE: libc::c_int = 128 * 1024;

/// Bounds what the heap keeps. For the beginning of a process, before there is a second thread.
///
/// Left alone (mallopt(3)) both bounds of size grow to that of the largest block ever freed, so that after one message of
/// 5 MB each of a dozen heaps keeps 10 MB; and all heaps but the first give nothing back while memory is locked, for
/// which they have madvise(2) alone. Hence one heap for all threads: none with a deadline allocates in its ticks.
pub fn bound() {
    // SAFETY: mallopt has no preconditions; its parameters are constants it knows.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Gives free pages in the middle of the heap back to the system (malloc_trim(3)), unless they are locked.
pub fn trim() {
    // SAFETY: no preconditions.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}
