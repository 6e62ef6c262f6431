//! When the robot is listened to: from the first client on, until a moment after the last one.

use crate::subscriptions::Subscriptions;
use hexapod_ros::{LaneOpener, OpenLane, RosError};
use std::sync::PoisonError;
use std::time::Duration;

/// How long the robot is listened to after the last client has left: one that comes back finds it.
const LISTEN_ON: Duration = Duration::from_secs(5);

/// The lanes on which the robot is heard, while it is.
pub(crate) struct Listening {
    opener: LaneOpener,
    lane: Option<OpenLane>,
    /// What only a recording needs, and what only those who look at the ground do.
    frames: Option<OpenLane>,
    ground: Option<OpenLane>,
    /// When the last client left.
    alone: Duration,
}

impl Listening {
    pub fn new(opener: LaneOpener) -> Self {
        Self { opener, lane: None, frames: None, ground: None, alone: Duration::ZERO }
    }

    /// Listens with `subscriptions`; false if that is done already.
    pub fn begin(&mut self, subscriptions: &Subscriptions) -> bool {
        if self.lane.is_some() {
            return false;
        }
        // What was heard before may be another robot's by now.
        subscriptions.heard.lock().unwrap_or_else(PoisonError::into_inner).forget();
        self.lane = subscriptions.listen(&self.opener).unwrap_or_else(report);
        true
    }

    /// Ends where nobody is there and has come, and listens to what is needed now and then, while it is.
    pub fn follow(&mut self, subscriptions: &Subscriptions, is_listened_for: bool, now: Duration) {
        if !is_listened_for && self.ends().is_some_and(|at| now >= at) {
            self.lane = None;
        }
        let is_seen = self.lane.is_some() && subscriptions.elevation.is_wanted(now);
        let frames = || subscriptions.listen_to_frames(&self.opener);
        set(&mut self.frames, subscriptions.recorder.is_on(), frames);
        set(&mut self.ground, is_seen, || subscriptions.listen_to_ground(&self.opener));
    }

    /// A client has left, maybe the last one.
    pub fn alone(&mut self, now: Duration) {
        self.alone = now;
    }

    /// When it ends, if nobody comes.
    pub fn ends(&self) -> Option<Duration> {
        self.lane.is_some().then_some(self.alone + LISTEN_ON)
    }
}

fn set(lane: &mut Option<OpenLane>, is_needed: bool, open: impl FnOnce() -> Result<Option<OpenLane>, RosError>) {
    if is_needed == lane.is_some() {
        return;
    }
    *lane = if is_needed { open().unwrap_or_else(report) } else { None };
}

fn report(error: RosError) -> Option<OpenLane> {
    tracing::error!("the robot cannot be listened to: {error}");
    None
}
