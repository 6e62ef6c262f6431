//! What becomes of motions and trajectories in the control loop, from the moment each is taken up to its end.
//!
//! One is over when the robot stands again as it did before, or is left where it is: then the next can be asked for.

use crate::command::MotionRequest;
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
    /// Has `player` play what was asked for, or end what it plays with its cycle.
    pub fn play(&mut self, player: &mut Player, asked: Option<MotionRequest>) {
        let (why, request) = match &asked {
            Some(asked) => ("another motion", Some(asked.request)),
            None => ("an empty motion", None),
        };
        player.play(asked.map(|asked| asked.motion));
        self.follow(player, End::canceled_by(why));
        if let Some(request) = request {
            self.accept(request, player.job().count());
        }
    }

    /// Takes up a request that the motion job knows by `number`.
    pub fn accept(&mut self, request: u64, number: u64) {
        self.put(Entry::new(request, number));
    }

    /// Takes down that a request is refused.
    pub fn reject(&mut self, request: u64, why: &'static str) {
        self.put(Entry { stage: Stage::Rejected, why, ..Entry::new(request, 0) });
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
