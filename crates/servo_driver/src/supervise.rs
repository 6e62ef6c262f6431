//! The publishing thread: tells what happens, and decides when the driver has done its work.

use crate::call_queue::CallQueue;
use crate::front::Front;
use crate::io_thread::{IoEnd, IoThread};
use crate::own_guard::OwnGuard;
use crate::planner::Pose;
use crate::publish::Teller;
use crate::services::{forget_planners_gone, forget_those_gone};
use crate::setup::Live;
use crate::snapshot::Snapshot;
use hexapod_ros::systemd::{self, TimeoutExtender};
use hexapod_ros::{Graph, Shutdown, Stage, monotonic_now};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// At the end, commands this old with no planner there any more mean that it has sat down and gone. While one is there it
/// says when it sits: a gap in its commands means nothing.
const GONE: Duration = Duration::from_millis(120);
/// Whoever commands the joints and never says what the robot does is given this long to make it sit.
const OF_OTHERS: Duration = Duration::from_millis(3500);
/// Time for the I/O thread to end, its own attempts at switching off included.
const ENDING: Duration = Duration::from_millis(300);
/// How often systemd's watchdog is notified that all is well.
const ALIVE_EVERY: Duration = Duration::from_millis(250);
/// An I/O thread that is silent for longer is not well: the watchdog then ends the process, and what guards the boards
/// switches them off.
const LOST_AFTER: Duration = Duration::from_secs(2);
/// How often it is looked at the end who of the planners is there: the graph takes its time.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Longest sleep, which bounds how late the I/O thread's end is seen.
const NAP: Duration = Duration::from_millis(50);
/// Longest sleep while the planner sits down at the end, and while only this thread sees a stop because the bus hangs.
const SHORT_NAP: Duration = Duration::from_millis(20);

/// What the publishing thread has.
pub(crate) struct Supervisor<'a> {
    pub teller: &'a Mutex<Teller>,
    pub io: IoThread,
    pub call_queue: CallQueue,
    pub front: Front,
    /// Outputs are cut when the I/O thread has hung for so long.
    pub off_after: Duration,
    pub live: Live,
    pub own_guard: Option<OwnGuard>,
    /// Who else is in the domain, and the stop after which that was last looked at.
    pub graph: Graph,
    pub roll_called: u64,
}

impl Supervisor<'_> {
    /// Runs until the end has been asked for and the robot has sat down, then switches everything off. `abandoned` rises
    /// when the node itself has ended. Whether the robot was let go in order: seated, or at once because that was asked.
    pub fn run(mut self, shutdown: &Shutdown, abandoned: &Shutdown) -> Result<bool, IoEnd> {
        for end in [shutdown, abandoned] {
            end.wakes(std::thread::current());
        }
        let mut leaving: Option<Leaving> = None;
        let mut is_in_order = true;
        let mut watchdog = Watchdog::default();
        loop {
            let now = monotonic_now();
            let look = || forget_those_gone(&self.front, &self.graph);
            let answers = self.call_queue.attend_after(now, look, |sender| self.graph.name_of(sender));
            let (next, newest, hung) = {
                let mut teller = self.teller();
                (teller.tell(now, &self.io), teller.newest().copied(), teller.hung(now))
            };
            if shutdown.is_running() {
                self.keep_guard(now);
            }
            self.front.silent_sources().look(now, |heard| self.graph.present("joint_commands", heard));
            self.front.call_the_roll(&mut self.roll_called, || self.graph.callers("enable"));
            if let Some(silent) = hung {
                self.io.cut_if_hung(silent, self.off_after, now);
            }
            watchdog.feed(newest.as_ref(), now);
            let is_live = newest.is_some_and(|newest| newest.state.is_live());
            self.live.set(is_live);
            if self.io.is_finished() || !abandoned.is_running() {
                break;
            }
            let mut nap = if hung.is_some() { SHORT_NAP } else { NAP };
            if !shutdown.is_running() {
                let leaving = leaving.get_or_insert_with(|| self.leave(now, is_live));
                // The planner is to sit and to stay down, whoever else tells it what.
                self.teller().planner().ask_to_retire(now);
                if now >= leaving.looked + LOOK_EVERY {
                    leaving.looked = now;
                    forget_planners_gone(self.front.planner(), &self.graph);
                    leaving.is_alone = self.graph.senders("gait_state").is_empty();
                }
                leaving.until = leaving.until.max(leaving.since + self.sitting());
                if let Some(seated) = self.is_time(shutdown.stage(), newest.as_ref(), leaving, now) {
                    is_in_order = seated;
                    break;
                }
                leaving.timeout_extender.ask(now);
                nap = SHORT_NAP;
            }
            let until = answers.map_or(next, |answers| answers.min(next));
            std::thread::park_timeout(until.saturating_sub(monotonic_now()).min(nap));
        }
        systemd::stopping();
        self.front.close();
        let ended = self.io.end(ENDING);
        // Who waits for an answer still gets one.
        self.call_queue.attend(monotonic_now());
        self.teller().tell_last(monotonic_now(), &self.io, ended.as_ref().err());
        ended.map(|()| is_in_order)
    }

    fn teller(&self) -> MutexGuard<'_, Teller> {
        self.teller.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_guard(&mut self, now: Duration) {
        let silent = self.io.misses_guard(now);
        if self.own_guard.as_mut().is_some_and(|guard| guard.keep(silent, now)) {
            self.teller().guard_died(now);
        }
    }

    /// Once the end has been asked for nobody switches the servos on any more.
    fn leave(&self, now: Duration, was_live: bool) -> Leaving {
        self.front.close();
        Leaving {
            was_live,
            since: now,
            until: now,
            looked: Duration::ZERO,
            is_alone: false,
            timeout_extender: TimeoutExtender::default(),
        }
    }

    /// How long the robot is waited for.
    fn sitting(&self) -> Duration {
        let planner = self.front.planner();
        if planner.pose() == Pose::Unknown { OF_OTHERS } else { planner.time_to_sit() }
    }

    /// Whether the channels may go off, and if so, whether the robot sits, or was not to be waited for.
    fn is_time(&self, stage: Stage, newest: Option<&Snapshot>, leaving: &Leaving, now: Duration) -> Option<bool> {
        let pose = self.front.planner().pose();
        if stage >= Stage::Now || pose == Pose::Sitting {
            return Some(true);
        }
        let Some(newest) = newest.filter(|newest| newest.state.is_live()) else {
            return Some(pose == Pose::Unknown || !leaving.was_live);
        };
        let silent = newest.commanded_at.is_none_or(|at| now.saturating_sub(at) > GONE);
        // Who may be silent, and is there, may yet make the robot sit.
        if silent && self.front.silent_sources().kept(now) == 0 && leaving.is_alone {
            // One that has gone sat before, unless it said otherwise.
            return Some(pose == Pose::Unknown);
        }
        (now > leaving.until).then_some(pose == Pose::Unknown)
    }
}

/// The end, once it has been asked for.
struct Leaving {
    /// Whether the servos were on.
    was_live: bool,
    since: Duration,
    /// When the robot is let go, seated or not: the longest that its planner has said meanwhile.
    until: Duration,
    /// When it was last looked who says a `gait_state`, and whether nobody did.
    looked: Duration,
    is_alone: bool,
    timeout_extender: TimeoutExtender,
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
