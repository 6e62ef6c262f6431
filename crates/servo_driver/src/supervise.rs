//! The publishing thread: tells what happens, and decides when the driver has done its work.

use crate::io::{IoEnd, IoThread};
use crate::publish::Teller;
use crate::snapshot::Snapshot;
use crate::systemd;
use hexapod_ros::{Shutdown, Stage, monotonic_now};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// At the end, commands this old mean that the planner has sat down and gone.
const SAT_DOWN: Duration = Duration::from_millis(120);
/// The planner is given this long to sit down.
const SITTING: Duration = Duration::from_millis(2750);
/// Time for the I/O thread to end, its own attempts at switching off included.
const ENDING: Duration = Duration::from_millis(300);
/// How often systemd's watchdog is told that all is well.
const ALIVE_EVERY: Duration = Duration::from_millis(250);
/// An I/O thread that is silent for longer is not well: the watchdog then ends the process, and what guards the boards
/// switches them off.
const LOST_AFTER: Duration = Duration::from_secs(2);
/// Longest sleep, which bounds how late the I/O thread's end is seen.
const NAP: Duration = Duration::from_millis(200);
/// Longest sleep while the planner sits down at the end, and while only this thread sees a stop because the bus hangs.
const SHORT_NAP: Duration = Duration::from_millis(20);

/// Runs until the end has been asked for and the robot has sat down, then switches everything off. `abandoned` rises
/// when the node itself has ended. Outputs are cut when the I/O thread has hung for `off_after`.
pub(crate) fn supervise(
    teller: &Mutex<Teller>,
    mut io: IoThread,
    off_after: Duration,
    shutdown: &Shutdown,
    abandoned: &Shutdown,
) -> Result<(), IoEnd> {
    let teller = || teller.lock().unwrap_or_else(PoisonError::into_inner);
    for end in [shutdown, abandoned] {
        end.wakes(std::thread::current());
    }
    let mut stopping_since = None;
    let mut watchdog = Watchdog::default();
    loop {
        let now = monotonic_now();
        let (next, newest, hung) = {
            let mut teller = teller();
            (teller.tell(now, &io), teller.newest().copied(), teller.hung(now))
        };
        if let Some(silent) = hung {
            io.cut_if_hung(silent, off_after, now);
        }
        watchdog.feed(newest.as_ref(), now);
        if io.is_finished() || !abandoned.is_running() {
            break;
        }
        let mut nap = if hung.is_some() { SHORT_NAP } else { NAP };
        if !shutdown.is_running() {
            let since = *stopping_since.get_or_insert(now);
            if is_time(shutdown.stage(), newest.as_ref(), now.saturating_sub(since), now) {
                break;
            }
            nap = SHORT_NAP;
        }
        std::thread::park_timeout(next.saturating_sub(monotonic_now()).min(nap));
    }
    systemd::stopping();
    let ended = io.end(ENDING);
    teller().tell_last(monotonic_now(), &io, ended.as_ref().err());
    ended
}

/// Tells systemd that the boards are served, from the first tick on.
#[derive(Default)]
struct Watchdog {
    ready: bool,
    fed: Duration,
}

impl Watchdog {
    fn feed(&mut self, newest: Option<&Snapshot>, now: Duration) {
        let Some(newest) = newest else { return };
        if !self.ready {
            self.ready = true;
            systemd::ready();
        }
        if now >= self.fed + ALIVE_EVERY && now.saturating_sub(newest.at) <= LOST_AFTER {
            self.fed = now;
            systemd::alive();
        }
    }
}

/// Whether the channels may go off, `asked` after the end was asked for.
fn is_time(stage: Stage, newest: Option<&Snapshot>, asked: Duration, now: Duration) -> bool {
    let Some(newest) = newest.filter(|newest| newest.state.is_live()) else { return true };
    let silent = newest.commanded_at.map(|at| now.saturating_sub(at));
    stage == Stage::Now || has_sat_down(silent, asked)
}

fn has_sat_down(silent: Option<Duration>, asked: Duration) -> bool {
    silent.is_none_or(|silent| silent > SAT_DOWN) || asked > SITTING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_commands_go_on_expect_to_wait_for_the_planner_but_not_for_ever() {
        let ms = Duration::from_millis;
        for (silent, asked, expected) in [
            (Some(ms(10)), ms(0), false),
            (Some(ms(10)), ms(2700), false),
            (Some(ms(10)), ms(2751), true),
            (Some(ms(121)), ms(1000), true),
            (None, ms(0), true),
        ] {
            assert_eq!(has_sat_down(silent, asked), expected, "{silent:?} {asked:?}");
        }
    }
}
