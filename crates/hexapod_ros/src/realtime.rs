//! Real-time scheduling where the machine allows it, and words for where it does not.

use nix::sys::mman::{MlockAllFlags, mlockall};
use thread_priority::unix::{
    RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// What came of asking for real-time treatment: `Ok` or the reason and the remedy.
pub type Granted = Result<(), String>;

/// Keeps the process's memory from being paged out.
///
/// # Errors
/// The limit on locked memory is too low, and how to raise it.
pub fn lock_memory() -> Granted {
    // MCL_ONFAULT (Linux 4.4): pages are locked as they are first used, not all of every thread's stack at once.
    const MCL_ONFAULT: i32 = 4;
    mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE | MlockAllFlags::from_bits_retain(MCL_ONFAULT))
        .map_err(|error| format!("memory is not locked ({error}); raise `memlock` in /etc/security/limits.conf"))
}

/// Gives the calling thread SCHED_FIFO at `priority` (1 to 99).
///
/// # Errors
/// The limit on real-time priority is too low, and how to raise it.
pub fn fifo(priority: u8) -> Granted {
    let value = ThreadPriorityValue::try_from(priority).map_err(|error| error.to_string())?;
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(value), policy)
        .map_err(|error| format!("SCHED_FIFO is not granted ({error}); raise `rtprio` in /etc/security/limits.conf"))
}
