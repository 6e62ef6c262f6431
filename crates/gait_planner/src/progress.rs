//! What becomes of motions and trajectories in the control loop, from the moment each is taken up to its end.
//!
//! One is over when the robot stands again as it did before, or is left where it is: then the next can be asked for.

use crate::command::{Command, MotionRequest};
use hexapod_gait::GaitState;
use hexapod_gait::motion::Player;

/// How far a request is, in the words of ROS 2 actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It waits: the robot stands up or stops for it, or another is being played.
    Accepted,
    /// It is played, the way to its start and back included.
    Executing,
    /// It is being ended early.
    Canceling,
    /// It was played to its end.
    Succeeded,
    /// Somebody asked for something else.
    Canceled,
    /// The robot could not go on.
    Aborted,
    /// It was never taken up.
    Rejected,
}

impl Stage {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Executing => "executing",
            Self::Canceling => "canceling",
            Self::Succeeded => "succeeded",
            Self::Canceled => "canceled",
            Self::Aborted => "aborted",
            Self::Rejected => "rejected",
        }
    }

    /// Whether nothing more comes.
    #[must_use]
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Accepted | Self::Executing | Self::Canceling)
    }
}

/// How a request ends, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// What it comes to.
    pub stage: Stage,
    /// What ended it; empty where it came to its own end.
    pub why: &'static str,
}

impl End {
    /// Of one that came to its own end.
    const OWN: Self = Self { stage: Stage::Succeeded, why: "" };

    /// Somebody asked for something else.
    #[must_use]
    pub fn canceled_by(why: &'static str) -> Self {
        Self { stage: Stage::Canceled, why }
    }

    /// The robot could not go on.
    #[must_use]
    pub fn aborted(why: &'static str) -> Self {
        Self { stage: Stage::Aborted, why }
    }
}

/// The action, which requests are asked on beside topics.
pub const ACTION: &str = "follow_joint_trajectory";
/// Why a trajectory is refused.
pub const NOT_STANDING: &str = "the robot is not standing";
/// What ends a goal of the action in favour of the next one.
pub const ANOTHER_GOAL: &str = "another goal";
/// What ends a goal whose client has asked for that.
pub const ITS_CLIENT: &str = "its client";
/// What ends a goal that was not kept to.
pub const ITS_TOLERANCES: &str = "its tolerances";

/// Whether a goal that is played, being ended for this reason if for any, gives way to the next one.
#[must_use]
pub fn gives_way(why: &str) -> bool {
    ["", ANOTHER_GOAL, ITS_CLIENT, ITS_TOLERANCES].contains(&why)
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its number.
    pub request: u64,
    /// How far it is.
    pub stage: Stage,
    /// What ended it, or is ending it.
    pub why: &'static str,
    /// The part that has been played, 0 to 1.
    pub fraction: f64,
    /// Seconds left at full speed, the way back not counted; infinite for one that goes on until it is asked to stop.
    pub remaining_s: f64,
    /// Its number in the motion job.
    number: u64,
    /// It is a goal of the action: the next goal or motion ends it at once.
    is_goal: bool,
    has_begun: bool,
    /// The job has done with it, and the robot is on its way home.
    returning: bool,
    /// What it comes to once the robot is home.
    end: Option<End>,
}

impl Entry {
    fn new(request: u64, number: u64) -> Self {
        Self {
            request,
            stage: Stage::Accepted,
            why: "",
            fraction: 0.0,
            remaining_s: f64::INFINITY,
            number,
            is_goal: false,
            has_begun: false,
            returning: false,
            end: None,
        }
    }

    fn finish(&mut self, end: End) {
        (self.stage, self.why, self.remaining_s) = (end.stage, end.why, 0.0);
    }

    /// Follows the player; `end` is what comes of one that it has dropped before it began, or could not go on with.
    fn follow(&mut self, player: &Player, end: End) {
        let job = player.job();
        let runs = job.runs(self.number);
        if runs && player.has_begun() {
            self.has_begun = true;
            (self.fraction, self.remaining_s) = (job.fraction(), job.remaining());
            if self.end.is_none() && (player.breaks_off() || job.is_cut_short()) {
                (self.end, self.why) = (Some(end), end.why);
            }
        } else if !job.holds(self.number) && !self.has_begun {
            return self.finish(end);
        } else if !job.holds(self.number) && !self.returning {
            (self.returning, self.remaining_s) = (true, 0.0);
            let end = *self.end.get_or_insert(if end.stage == Stage::Aborted { end } else { End::OWN });
            self.why = end.why;
            self.fraction = if end == End::OWN { 1.0 } else { self.fraction };
        }
        if self.returning && (!player.is_playing() || player.has_begun()) {
            return self.finish(self.end.unwrap_or(End::OWN));
        }
        self.stage = match self.end {
            _ if !self.has_begun => Stage::Accepted,
            None | Some(End::OWN) => Stage::Executing,
            Some(_) => Stage::Canceling,
        };
    }
}

/// So many of the last requests are kept: more than can be under way.
pub const KEPT: usize = 8;

/// The last requests, in no order.
pub type Progress = [Option<Entry>; KEPT];

/// How often the progress of what is under way is reported, s.
const TELL_EVERY_S: f64 = 0.1;

/// Follows all requests that the control loop has taken up.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    entries: Progress,
    reported: Progress,
    since_reported_s: f64,
}

impl Tracker {
    /// Has `player` play what was asked for, or end what it plays with its cycle; a goal of the action ends at once.
    pub fn play(&mut self, player: &mut Player, asked: Option<MotionRequest>) {
        self.play_for(player, if asked.is_some() { "another motion" } else { "an empty motion" }, asked);
    }

    /// Has `player` play a trajectory if the robot stands, a goal of the action also in the place of another; whether it will.
    pub fn take_up(&mut self, player: &mut Player, command: &Command) -> bool {
        let is_free = player.last().state == GaitState::Standing && !player.job().is_busy();
        match command {
            Command::Trajectory(asked) if is_free => self.play(player, Some(asked.clone())),
            Command::Goal(asked) if is_free || self.plays_goal() => {
                self.play_for(player, ANOTHER_GOAL, Some(asked.clone()));
                self.under_way().filter(|entry| entry.request == asked.request).for_each(|entry| entry.is_goal = true);
            }
            _ => return false,
        }
        true
    }

    /// Ends a goal of the action for this reason, unless something else does already.
    pub fn end_goal(&mut self, player: &mut Player, request: u64, why: &'static str) {
        if self.under_way().any(|entry| entry.request == request && entry.is_goal && entry.end.is_none()) {
            player.cancel();
            self.follow(player, End::canceled_by(why));
        }
    }

    fn play_for(&mut self, player: &mut Player, why: &'static str, asked: Option<MotionRequest>) {
        if self.plays_goal() {
            player.cancel();
            self.follow(player, End::canceled_by(why));
        }
        let request = asked.as_ref().map(|asked| asked.request);
        player.play(asked.map(|asked| asked.motion));
        self.follow(player, End::canceled_by(why));
        if let Some(request) = request {
            self.put(Entry::new(request, player.job().count()));
        }
    }

    /// Whether a goal of the action is played that gives way to another.
    fn plays_goal(&mut self) -> bool {
        self.under_way().any(|entry| entry.is_goal && gives_way(entry.why))
    }

    /// Takes down that the request of a command is refused, if it is for one.
    pub fn reject(&mut self, command: &Command, why: &'static str) {
        if let Some(request) = command.request() {
            self.put(Entry { stage: Stage::Rejected, why, ..Entry::new(request, 0) });
        }
    }

    /// In the place of the oldest that is over.
    fn put(&mut self, entry: Entry) {
        let age = |place: &&mut Option<Entry>| place.map_or((false, 0), |old| (!old.stage.is_over(), old.request));
        if let Some(place) = self.entries.iter_mut().min_by_key(age) {
            *place = Some(entry);
        }
    }

    /// Follows the player after a command or a step; `end` is what comes of what that has ended.
    pub fn follow(&mut self, player: &Player, end: End) {
        self.under_way().for_each(|entry| entry.follow(player, end));
    }

    /// All that is under way ends where it is.
    pub fn abort(&mut self, why: &'static str) {
        self.under_way().for_each(|entry| entry.finish(End::aborted(why)));
    }

    fn under_way(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut().flatten().filter(|entry| !entry.stage.is_over())
    }

    /// What there is to tell after a tick of `dt` seconds: each change at once, how far it has got now and then.
    pub fn news(&mut self, dt: f64) -> Option<&Progress> {
        self.since_reported_s += dt;
        let coarse = |entry: &Option<Entry>| entry.map(|entry| (entry.request, entry.stage, entry.why));
        let changed = self.entries.iter().map(coarse).ne(self.reported.iter().map(coarse));
        let due = self.since_reported_s >= TELL_EVERY_S - 1e-9 && self.entries != self.reported;
        (changed || due).then_some(&self.entries)
    }

    /// Notes that the news have been reported.
    pub fn mark_reported(&mut self) {
        (self.reported, self.since_reported_s) = (self.entries, 0.0);
    }
}

#[cfg(test)]
mod tests;
