//! The process's memory: locked, so that no page has to be fetched in a tick, and given back where messages left holes.
//!
//! A message of 10^5 names is unpacked by rcl into as many blocks before anybody can refuse it. They are freed at once,
//! but the heap keeps their pages, and cannot give back those that are locked.

use crate::realtime::SchedulingResult;
use hexapod_rcl::heap;
use nix::sys::mman::{MlockAllFlags, mlockall, munlockall};
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

/// How often a look is taken.
const EVERY: Duration = Duration::from_secs(1);
/// Growth that is worth milliseconds of work, in pages: 1 MB of pages of 4 kB.
const WORTH: usize = 256;

/// How often in a row nothing is to be gained before it is left alone: messages that are under way still use it.
const TRIES: u32 = 5;

static MEMORY: Mutex<Memory> = Mutex::new(Memory { locked: false, resident: 0, tries: TRIES, looked: None });

struct Memory {
    locked: bool,
    /// Pages that were resident when free ones had been given back last.
    resident: usize,
    /// How often it is still to be tried.
    tries: u32,
    looked: Option<Instant>,
}

/// Keeps the process's memory from being paged out.
///
/// # Errors
/// The limit on locked memory is too low, and how to raise it.
pub fn lock() -> SchedulingResult {
    let mut memory = MEMORY.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    memory.locked = true;
    lock_pages()
}

fn lock_pages() -> SchedulingResult {
    // MCL_ONFAULT (Linux 4.4): pages are locked as they are first used, not all of every thread's stack at once.
    const MCL_ONFAULT: i32 = 4;
    mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE | MlockAllFlags::from_bits_retain(MCL_ONFAULT))
        .map_err(|error| format!("memory is not locked ({error}); raise `memlock` in /etc/security/limits.conf"))
}

/// Gives back, at most once a second, what the process has grown by and does not use. For threads that nothing waits
/// for: it takes some milliseconds.
pub(crate) fn tidy() {
    let mut memory = match MEMORY.try_lock() {
        Ok(memory) => memory,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    if memory.looked.is_some_and(|looked| looked.elapsed() < EVERY) {
        return;
    }
    memory.looked = Some(Instant::now());
    let before = resident();
    if before > memory.resident + WORTH {
        memory.tries = TRIES;
    }
    let Some(left) = memory.tries.checked_sub(1) else { return };
    if memory.locked {
        let _ = munlockall();
    }
    heap::trim();
    if memory.locked {
        let _ = lock_pages();
    }
    memory.resident = resident();
    memory.tries = if before > memory.resident + WORTH { TRIES } else { left };
}

/// Pages of the process that are in memory; 0 where the kernel does not tell (proc_pid_statm(5)).
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default()
}
