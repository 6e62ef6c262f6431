//! What the protocol calls things, and the words for the person who drives.

use super::incoming::{Ask, Service};
use crate::intents::{ClientId, Hold, Refusal, Stop};

impl Refusal {
    /// Its name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoLease => "no_lease",
            Self::HasDriver(_) => "has_driver",
            Self::Stale | Self::Unseen => "stale",
            Self::ReleaseFirst => "release_first",
            Self::Stopped => "stopped",
        }
    }

    /// In words, for the person who drives.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NoLease => "take the controls first",
            Self::HasDriver(_) => "somebody else drives: take over",
            Self::Stale => "the connection is too slow to drive",
            Self::Unseen => "the robot was stopped after this was asked for: ask again",
            Self::ReleaseFirst => "release the stick first",
            Self::Stopped => "the robot was stopped: enable the servos first",
        }
    }
}

impl Hold {
    /// Its name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Zero => "zero",
            Self::Enable => "enable",
        }
    }
}

impl Stop {
    /// Its name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Emergency => "emergency",
            Self::Halt => "halt",
        }
    }
}

impl Service {
    /// The name of the service that is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stand => "stand",
            Self::Sit => "sit",
            Self::Pack => "pack",
            Self::Enable => "enable",
            Self::Disable => "disable",
        }
    }
}

impl Ask {
    /// The type of its message.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Lease(_) => "lease",
            Self::Gait(_) => "gait",
            Self::Motion(..) => "motion",
            Self::Call(..) => "call",
            Self::Record(_) => "record",
            Self::StopAll => "stop_all",
        }
    }
}

/// The name of a change of the driver that a client asked for, and the words for what that client does.
pub(crate) fn lease_change(before: Option<ClientId>, now: Option<ClientId>) -> (&'static str, &'static str) {
    match (before, now) {
        (_, None) => ("released", "gives up driving"),
        (None, Some(_)) => ("taken", "drives"),
        (Some(_), Some(_)) => ("taken_over", "takes over as the driver"),
    }
}
