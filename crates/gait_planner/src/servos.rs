//! What the servos hold, as the driver tells.

use crate::command::Held;
use rtrb::Consumer;
use std::time::Duration;

/// How long a planner that has just started waits for word of what the servos hold, if nothing comes.
const LISTEN_FIRST: Duration = Duration::from_millis(300);
/// A driver that holds servos and has said nothing for so long is gone, or stands still: it speaks at least once a second. Both in
/// ticks, as a planner that stood still has not listened, and in real time, as a simulation may be fast.
const SILENT: Duration = Duration::from_secs(2);

/// Why the robot is frozen once its servos carry out no commands any more.
pub(crate) const RELEASED: &str = "the servos were released";
/// Why it is once nobody says what they do.
const SILENCED: &str = "the servo driver has fallen silent";

/// What a word changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The planner has started under servos that were on.
    Found,
    /// They carry out no commands any more, as far as is known, for this reason.
    Released(&'static str),
    Other,
}

/// Whether some servo gets a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Nobody has said so yet.
    #[default]
    Unknown,
    /// One does.
    Held,
    /// None does.
    Free,
    /// One did when the driver was heard last, too long ago.
    Silent,
}

/// Hears what the servos hold.
pub(crate) struct Servos {
    poses: Consumer<Held>,
    started_at: Option<Duration>,
    /// Nothing came for too long.
    waited: bool,
    hold: Hold,
    now: Duration,
    heard: Duration,
    silent_s: f64,
}

impl Servos {
    pub fn new(poses: Consumer<Held>) -> Self {
        Self {
            poses,
            started_at: None,
            waited: false,
            hold: Hold::Unknown,
            now: Duration::ZERO,
            heard: Duration::ZERO,
            silent_s: 0.0,
        }
    }

    /// Waits for the first word until `now` at most, and for another in the ticks after that, the next of which takes `dt` seconds.
    pub fn wait(&mut self, now: Duration, dt: f64) {
        self.waited |= now.saturating_sub(*self.started_at.get_or_insert(now)) >= LISTEN_FIRST;
        (self.now, self.silent_s) = (now, self.silent_s + dt);
    }

    /// The next word, and what it changes.
    pub fn next(&mut self) -> Option<(Held, Change)> {
        let Ok(held) = self.poses.pop() else { return self.fall_silent() };
        let change = match (held, self.hold) {
            (Held::Nothing, Hold::Held) => Change::Released(RELEASED),
            (Held::Pose(_), Hold::Unknown) => Change::Found,
            // They are switched on leg by leg, maybe before the driver was heard.
            (Held::Part, Hold::Unknown) if !self.waited => Change::Found,
            _ => Change::Other,
        };
        self.hold = if matches!(held, Held::Nothing) { Hold::Free } else { Hold::Held };
        (self.heard, self.silent_s) = (self.now, 0.0);
        Some((held, change))
    }

    fn fall_silent(&mut self) -> Option<(Held, Change)> {
        let is_silent = self.silent_s >= SILENT.as_secs_f64() && self.now.saturating_sub(self.heard) >= SILENT;
        if self.hold != Hold::Held || !is_silent {
            return None;
        }
        self.hold = Hold::Silent;
        Some((Held::Nothing, Change::Released(SILENCED)))
    }

    /// Whether something has been heard, or waited for in vain.
    pub fn are_known(&self) -> bool {
        self.waited || self.hold != Hold::Unknown
    }

    /// Whether some servo gets a command.
    pub fn hold(&self) -> Hold {
        self.hold
    }

    /// The same, of one that surely does.
    pub fn are_held(&self) -> bool {
        self.hold == Hold::Held
    }
}
