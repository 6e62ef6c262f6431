//! What the servos hold, as the driver tells.

use crate::command::Held;
use rtrb::Consumer;
use std::time::Duration;

/// How long a planner that has just started waits for word of what the servos hold, if nothing comes.
const LISTEN_FIRST: Duration = Duration::from_millis(300);

/// Why the robot is frozen once its servos carry out no commands any more.
pub(crate) const RELEASED: &str = "the servos were released";

/// What a word changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The planner has started under servos that were on.
    Found,
    /// They carry out no commands any more.
    Released,
    Other,
}

/// Hears what the servos hold.
pub(crate) struct Servos {
    poses: Consumer<Held>,
    started_at: Option<Duration>,
    /// Nothing came for too long.
    waited: bool,
    /// Whether some servo gets a command; unknown before the first word.
    held: Option<bool>,
}

impl Servos {
    pub fn new(poses: Consumer<Held>) -> Self {
        Self { poses, started_at: None, waited: false, held: None }
    }

    /// Waits for the first word until `now` at most.
    pub fn wait(&mut self, now: Duration) {
        self.waited |= now.saturating_sub(*self.started_at.get_or_insert(now)) >= LISTEN_FIRST;
    }

    /// The next word, and what it changes.
    pub fn next(&mut self) -> Option<(Held, Change)> {
        let held = self.poses.pop().ok()?;
        let change = match (held, self.held) {
            (Held::Nothing, Some(true)) => Change::Released,
            (Held::Pose(_), None) => Change::Found,
            // They are switched on leg by leg, maybe before the driver was heard.
            (Held::Part, None) if !self.waited => Change::Found,
            _ => Change::Other,
        };
        self.held = Some(!matches!(held, Held::Nothing));
        Some((held, change))
    }

    /// Whether something has been heard, or waited for in vain.
    pub fn are_known(&self) -> bool {
        self.waited || self.held.is_some()
    }

    /// Whether some servo gets a command.
    pub fn are_held(&self) -> bool {
        self.held == Some(true)
    }
}
