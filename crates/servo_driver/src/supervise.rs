//! The publishing thread: tells what happens, and decides when the driver has done its work.

use crate::io::{IoEnd, IoThread};
use crate::publish::Teller;
use crate::snapshot::Snapshot;
use hexapod_ros::{Shutdown, Stage, monotonic_now};
use std::time::Duration;

/// At the end, commands this old mean that the planner has sat down and gone.
const SAT_DOWN: Duration = Duration::from_millis(120);
/// The planner is given this long to sit down.
const SITTING: Duration = Duration::from_millis(2500);
/// Time for the I/O thread to end, its own attempts at switching off included.
const ENDING: Duration = Duration::from_millis(300);
/// Longest sleep, which bounds how late a shutdown is seen.
const NAP: Duration = Duration::from_millis(20);

/// Runs until the end has been asked for and the robot has sat down, then switches everything off. `abandoned` rises
/// when the node itself has ended.
pub(crate) fn supervise(
    mut teller: Teller,
    io: IoThread,
    shutdown: &Shutdown,
    abandoned: &Shutdown,
) -> Result<(), IoEnd> {
    let mut stopping_since = None;
    loop {
        let now = monotonic_now();
        let next = teller.tell(now, &io);
        if io.is_finished() || !abandoned.is_running() {
            break;
        }
        if !shutdown.is_running() {
            let since = *stopping_since.get_or_insert(now);
            if is_time(shutdown.stage(), teller.newest(), since, now) {
                break;
            }
        }
        std::thread::park_timeout(next.saturating_sub(monotonic_now()).min(NAP));
    }
    io.end(ENDING)
}

/// Whether the channels may go off now that the end was asked for at `since`.
fn is_time(stage: Stage, newest: Option<&Snapshot>, since: Duration, now: Duration) -> bool {
    let Some(newest) = newest.filter(|newest| newest.state.is_live()) else { return true };
    let stale = newest.commanded_at.is_none_or(|at| now.saturating_sub(at) > SAT_DOWN);
    stage == Stage::Now || stale || now.saturating_sub(since) > SITTING
}
