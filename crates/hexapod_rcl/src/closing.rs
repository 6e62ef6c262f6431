//! How objects of rcl are finalised: with a bound, for the middleware may hang in it.
//!
//! Fast DDS 2.14 did so once in some 130 ends of three nodes: a thread spun for good in `destroy_participant`.

use crate::error::check;
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use r2r_rcl::rcl_ret_t;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;

/// How long it may take: so many looks, not seconds, for a process that was halted as a whole has not been closing either.
/// It mostly takes some milliseconds.
const LOOKS: usize = 50;
const LOOK: Duration = Duration::from_millis(100);

/// Whether the middleware hangs.
static HANGS: AtomicBool = AtomicBool::new(false);

/// Whether the middleware hangs in what was to be finalised. Then nothing is finalised any more, and a process ends without
/// running what others have registered for its end (`_exit`).
#[must_use]
pub fn middleware_hangs() -> bool {
    HANGS.load(Ordering::SeqCst)
}

/// Has `fini` finalise an object, on a thread of its own; where that does not come back, object and owner are left to it.
pub(crate) fn close<T: 'static, O: Send + 'static>(
    call: &'static str,
    object: &mut Pinned<T>,
    owner: O,
    fini: fn(*mut T, &mut O) -> rcl_ret_t,
) {
    let mut kept = ManuallyDrop::new((object.take(), owner));
    if middleware_hangs() {
        return;
    }
    let (closed, until_closed) = sync_channel(1);
    let work = move || {
        // What hangs may spin.
        leave_real_time();
        let _ = check(call, one_at_a_time(|| fini(kept.0.get(), &mut kept.1)));
        // The owner may be closed in turn, which waits for a thread like this one.
        let _ = closed.send(kept);
    };
    // Without a thread nothing comes.
    let _ = Builder::new().name("closing".into()).spawn(work);
    match (0..LOOKS).find_map(|_| until_closed.recv_timeout(LOOK).ok()) {
        Some(kept) => drop(ManuallyDrop::into_inner(kept)),
        None => HANGS.store(true, Ordering::SeqCst),
    }
}

fn leave_real_time() {
    let normal = libc::sched_param { sched_priority: 0 };
    // SAFETY: it is about the calling thread, and the parameters outlive the call.
    unsafe { libc::pthread_setschedparam(libc::pthread_self(), libc::SCHED_OTHER, &raw const normal) };
}
