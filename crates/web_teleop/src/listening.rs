//! When the robot is listened to: from the first client on, until a moment after the last one.

use crate::subscriptions::Subscriptions;
use hexapod_ros::{LaneOpener, OpenLane};
use std::sync::PoisonError;
use std::time::Duration;

/// How long the robot is listened to after the last client has left: one that comes back finds it.
const LISTEN_ON: Duration = Duration::from_secs(5);

/// The lane on which the robot is heard, while it is.
pub(crate) struct Listening {
    opener: LaneOpener,
    lane: Option<OpenLane>,
    /// When the last client left.
    alone: Duration,
}

impl Listening {
    pub fn new(opener: LaneOpener) -> Self {
        Self { opener, lane: None, alone: Duration::ZERO }
    }

    /// Listens with `subscriptions`; false if that is done already.
    pub fn begin(&mut self, subscriptions: &Subscriptions) -> bool {
        if self.lane.is_some() {
            return false;
        }
        // What was heard before may be another robot's by now.
        subscriptions.heard.lock().unwrap_or_else(PoisonError::into_inner).forget();
        match subscriptions.listen(&self.opener) {
            Ok(lane) => self.lane = lane,
            Err(error) => tracing::error!("the robot cannot be listened to: {error}"),
        }
        true
    }

    /// A client has left, maybe the last one.
    pub fn alone(&mut self, now: Duration) {
        self.alone = now;
    }

    /// When it ends, if nobody comes.
    pub fn ends(&self) -> Option<Duration> {
        self.lane.is_some().then_some(self.alone + LISTEN_ON)
    }

    /// Ends it where nobody has come.
    pub fn end_if_due(&mut self, now: Duration) {
        if self.ends().is_some_and(|at| now >= at) {
            self.lane = None;
        }
    }
}
