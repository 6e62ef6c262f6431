//! The states and what each puts out.

use std::fmt;

/// What the driver is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// No pulses. Boards are commanded off until each has acknowledged it. Left by `enable`.
    Disarmed,
    /// Groups are switched on one after the other; all motion is slow. Left for `Armed` when every joint has met its
    /// target once.
    Arming,
    /// Joints follow their targets, each within its speed limit.
    Armed,
    /// Commands of some joints, or of all, are stale: their pulses stay as they are. Left by fresh commands, or for
    /// `Disarmed` after a set time.
    Holding,
    /// Something is broken, and the robot can still sit: joints follow their targets as in `Armed`, at most for a set
    /// time. Left for `Fault`.
    Retiring,
    /// Something is broken. Boards that answer keep their pulses for a set time and are then switched off; a board
    /// that is lost or was reset is commanded off until it acknowledges. Latched until `enable`.
    Fault,
    /// All channels off by one frame to all boards, and then board by board. Latched until `enable`.
    EmergencyStop,
}

impl State {
    /// True while pulses are meant to be there and commands count.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Arming | Self::Armed | Self::Holding | Self::Retiring)
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Disarmed => "disarmed",
            Self::Arming => "arming",
            Self::Armed => "armed",
            Self::Holding => "holding",
            Self::Retiring => "retiring",
            Self::Fault => "fault",
            Self::EmergencyStop => "emergency_stop",
        })
    }
}
