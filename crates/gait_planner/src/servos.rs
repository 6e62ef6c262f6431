//! What the servos hold, as the driver tells.

use crate::command::Held;
use rtrb::Consumer;
use std::time::Duration;

/// How long a planner that has just started waits for word of what the servos hold, if nothing comes.
const LISTEN_FIRST: Duration = Duration::from_millis(300);

/// Hears what the servos hold.
pub(crate) struct Servos {
    poses: Consumer<Held>,
    started_at: Option<Duration>,
    heard: bool,
    /// Some servo is told something.
    held: bool,
}

impl Servos {
    pub fn new(poses: Consumer<Held>) -> Self {
        Self { poses, started_at: None, heard: false, held: false }
    }

    /// Waits for the first word until `now` at most.
    pub fn wait(&mut self, now: Duration) {
        self.heard |= now.saturating_sub(*self.started_at.get_or_insert(now)) >= LISTEN_FIRST;
    }

    /// The next word, and whether some servo was held before it.
    pub fn next(&mut self) -> Option<(Held, bool)> {
        let held = self.poses.pop().ok()?;
        self.heard = true;
        Some((held, std::mem::replace(&mut self.held, !matches!(held, Held::Nothing))))
    }

    /// Whether something has been heard, or waited for in vain.
    pub fn are_known(&self) -> bool {
        self.heard
    }

    /// Whether some servo is told something.
    pub fn are_held(&self) -> bool {
        self.held
    }
}
