//! Real-time scheduling where the machine allows it, and words for where it does not.

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;
use thread_priority::unix::{
    RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// SCHED_FIFO priorities of the robot's threads, where they are granted; drivers' interrupt threads have 50. Locks lend no
/// priority: who shares one with a thread of these needs the same, or on a busy machine keeps it waiting while everybody
/// else has their turn.
pub mod priority {
    /// What takes stops in, and looks at the stop button: ahead of all others, for microseconds.
    pub const STOP: u8 = 65;
    /// The servo driver's I/O thread.
    pub const SERVO_IO: u8 = 60;
    /// The guard, which switches off in its place: a busy machine must not keep it waiting while servos strain.
    pub const GUARD: u8 = SERVO_IO;
    /// The planner's control loop.
    pub const CONTROL: u8 = 40;
    /// Those that publish, and with that hand commands on to the nodes of the process: below the loop they publish for,
    /// above the threads of listeners they wake, which would else take the processor from them in the middle of a message.
    pub const PUBLISHING: u8 = 30;
    /// The middleware's threads and those that take its messages in, a stop among them: below every loop.
    pub const MESSAGES: u8 = 10;
}

/// What came of asking for real-time treatment: `Ok` or the reason and the remedy.
pub type SchedulingResult = Result<(), String>;

/// Gives the calling thread SCHED_FIFO at `priority` (1 to 99).
///
/// # Errors
/// The limit on real-time priority is too low, and how to raise it.
pub fn fifo(priority: u8) -> SchedulingResult {
    let value = ThreadPriorityValue::try_from(priority).map_err(|error| error.to_string())?;
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(value), policy)
        .map_err(|error| format!("SCHED_FIFO is not granted ({error}); raise `rtprio` in /etc/security/limits.conf"))
}

/// Gives the calling thread SCHED_FIFO at `priority`, on the processor that all such threads share. They wake each other
/// a hundred times a second, work for microseconds and then wait: on one processor that costs a third of what it costs
/// across two, and the priorities alone say who goes first.
///
/// # Errors
/// As [`fifo`]; the thread then stays where it was.
pub fn join_loops(priority: u8) -> SchedulingResult {
    fifo(priority)?;
    if let Some(shared) = loops_processor() {
        // Kept to fewer processors than it was: no permission is needed.
        let _ = sched_setaffinity(Pid::from_raw(0), &shared);
    }
    Ok(())
}

/// The last processor that the process may use; interrupts mostly go to the first.
fn loops_processor() -> Option<CpuSet> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let last = (0..CpuSet::count()).rev().find(|&processor| allowed.is_set(processor) == Ok(true))?;
    let mut one = CpuSet::new();
    one.set(last).ok()?;
    Some(one)
}

/// Does `work` with no thread that it starts running before it waits or ends: all on one processor, at the same
/// real-time priority, which those threads keep. Where that is not granted, it is just done. The calling thread waits,
/// and stays as it is: what would have to be put back on it, its niceness for one, cannot all be asked for.
pub fn ahead_of_its_threads<R: Send>(priority: u8, work: impl FnOnce() -> R + Send) -> R {
    let worker = move || {
        let pinned = pin_here(priority);
        let done = work();
        if let Some(allowed) = pinned {
            // Threads that were there before have their own affinity set anew too: nobody has narrowed it.
            for thread in threads() {
                let _ = sched_setaffinity(thread, &allowed);
            }
        }
        done
    };
    std::thread::scope(|scope| scope.spawn(worker).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Gives the calling thread SCHED_FIFO at `priority` on the processor it is on; returns the processors it had, or
/// nothing where that is not granted.
fn pin_here(priority: u8) -> Option<CpuSet> {
    let this = Pid::from_raw(0);
    let allowed = sched_getaffinity(this).ok()?;
    let mut one = CpuSet::new();
    one.set(sched_getcpu().ok()?).ok()?;
    fifo(priority).ok()?;
    let _ = sched_setaffinity(this, &one);
    Some(allowed)
}

/// The threads of this process.
fn threads() -> impl Iterator<Item = Pid> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()).map(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    /// Tests take turns: threads that are started ahead are given their processors back with all others of the process.
    fn turn() -> MutexGuard<'static, ()> {
        static TURN: Mutex<()> = Mutex::new(());
        TURN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn when_two_loops_join_expect_them_on_one_processor_that_was_allowed() {
        let _turn = turn();
        let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap();
        let join = || {
            std::thread::spawn(|| join_loops(5).is_ok().then(|| sched_getaffinity(Pid::from_raw(0)).unwrap())).join()
        };
        let (one, other) = (join().unwrap(), join().unwrap());
        assert_eq!(one, other);
        let Some(shared) = one else { return };
        let processors =
            |set: &CpuSet| (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu).unwrap()).collect::<Vec<_>>();
        assert_eq!(processors(&shared).len(), 1);
        assert!(processors(&allowed).contains(&processors(&shared)[0]));
    }

    /// Niceness, real-time priority and policy of the calling thread (proc_pid_stat(5), fields 19, 40 and 41).
    fn scheduling() -> [i64; 3] {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let fields: Vec<_> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        [19, 40, 41].map(|field| fields[field - 3].parse().unwrap())
    }

    #[test]
    fn when_threads_are_started_ahead_expect_the_work_done_before_they_run_and_the_calling_thread_as_it_was() {
        let _turn = turn();
        let before = (scheduling(), sched_getaffinity(Pid::from_raw(0)).unwrap());
        let granted = std::thread::spawn(|| fifo(5).is_ok()).join().unwrap();
        let ran = Arc::new(AtomicBool::new(false));
        let (seen, thread) = ahead_of_its_threads(5, || {
            let runs = Arc::clone(&ran);
            let thread = std::thread::spawn(move || runs.store(true, Ordering::SeqCst));
            let until = std::time::Instant::now() + std::time::Duration::from_millis(20);
            while std::time::Instant::now() < until {}
            (ran.load(Ordering::SeqCst), thread)
        });
        thread.join().unwrap();
        assert!(!seen || !granted, "real-time scheduling is granted, yet the thread ran");
        assert!(ran.load(Ordering::SeqCst));
        assert_eq!((scheduling(), sched_getaffinity(Pid::from_raw(0)).unwrap()), before);
    }
}
