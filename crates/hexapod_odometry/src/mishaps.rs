//! What has happened to the robot that its feet do not tell.

use crate::history::Velocity;
use crate::variance::{in_pause, of_late};
use std::time::Duration;

/// What has been said to have happened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mishaps {
    carried: bool,
    /// For how long in all, s.
    carried_s: f64,
    blocked: bool,
    last: Option<Duration>,
}

impl Mishaps {
    /// Says whether something carries the robot off the ground: where it is and how it is turned is not known from then on.
    pub fn carry(&mut self, carried: bool) {
        self.carried = carried;
    }

    /// Says once that the robot has not got on although it walked: its way of late may not have been one.
    pub fn block(&mut self) {
        self.blocked = true;
    }

    pub(crate) fn is_carried(&self) -> bool {
        self.carried
    }

    /// Goes on to `time`: for how long the robot has been carried in all, s, and the way and turn that were none, or that
    /// nobody has seen, where feet have stepped `unseen` in this time.
    pub(crate) fn count(&mut self, time: Duration, velocity: &Velocity, unseen: Option<Duration>) -> (f64, f64, f64) {
        let since = self.last.replace(time).map_or(Duration::ZERO, |last| time.saturating_sub(last));
        if self.carried {
            // However short: it may have been put down elsewhere.
            self.carried_s += since.as_secs_f64().max(f64::MIN_POSITIVE);
        }
        let blocked = std::mem::take(&mut self.blocked);
        let (way, turn) = if blocked { of_late(&velocity.linear, &velocity.angular) } else { (0.0, 0.0) };
        let (far, turned) = unseen.map_or((0.0, 0.0), in_pause);
        (self.carried_s, way + far, turn + turned)
    }
}
