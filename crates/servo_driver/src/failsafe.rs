//! What is done about each condition in each state: one table, which the thread of the bus, the publishing thread and
//! `docs/faults.md` go by. `tests/failsafe.rs` walks all of its cells through the real driver.
//!
//! Whatever applies first counts, in the order of [`Cause::ALL`].

use hexapod_servo::State;
use std::fmt;

/// Something that the servos are stopped for, held for, or not switched on for; the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The service `emergency_stop`.
    Service,
    /// A true on the topic `emergency_stop`.
    Topic,
    /// The stop button.
    Button,
    /// A heartbeat on the topic `emergency_stop` that was lost.
    Silent,
    /// A heartbeat that is wanted, and has not been heard yet.
    Unheard,
    /// More sources on the topic `emergency_stop` than are watched.
    Unwatched,
    /// The process did not run for a while; who watches it has cut the outputs.
    Frozen,
    /// `enable` false.
    Off,
    /// The process is asked to end.
    Ending,
    /// No tick for too long: the bus hung, or the thread starved.
    Stalled,
    /// A board is lost, was reset, or was changed by somebody else.
    Board,
    /// A servo is driven against its limits for too long.
    Strained,
    /// The battery alarm, with a planner.
    Battery,
    /// The battery alarm, without one.
    BatteryAlone,
    /// The commands of a joint have stopped.
    Stale,
    /// A source that keeps sending true, each of which stops by itself.
    Held,
    /// Nobody guards the boards.
    Unguarded,
}

/// In what state a condition meets the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Situation {
    /// The thread of the bus runs, and the driver is in this state.
    In(State),
    /// The thread hangs in a transfer, with pulses on.
    Frozen,
    /// A simulation stands still, with the servos armed.
    Paused,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing; or nothing more than is done already.
    Nothing,
    /// Everything off at once, latched.
    Latch,
    /// Everything off.
    Off,
    /// The outputs are cut; what is due besides follows when the thread is back.
    Cut,
    /// A fault: the pulses stay as they are for `fault_off_after_s`, then everything is off.
    Fault,
    /// The robot sits down, then everything is off.
    Sit,
    /// The joints stay where they are.
    Hold,
}

/// What it does to an `enable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arming {
    /// Nothing.
    Allowed,
    /// Refused while it lasts.
    Refused,
    /// Void if it may have been sent before.
    Void,
}

impl Cause {
    /// All of them, in their order.
    pub const ALL: [Self; 17] = [
        Self::Service,
        Self::Topic,
        Self::Button,
        Self::Silent,
        Self::Unheard,
        Self::Unwatched,
        Self::Frozen,
        Self::Off,
        Self::Ending,
        Self::Stalled,
        Self::Board,
        Self::Strained,
        Self::Battery,
        Self::BatteryAlone,
        Self::Stale,
        Self::Held,
        Self::Unguarded,
    ];

    /// What it does to an `enable`.
    #[must_use]
    pub const fn arming(self) -> Arming {
        match self {
            Self::Service | Self::Topic | Self::Frozen | Self::Off => Arming::Void,
            Self::Stalled | Self::Strained => Arming::Allowed,
            Self::Button
            | Self::Silent
            | Self::Unheard
            | Self::Unwatched
            | Self::Ending
            | Self::Board
            | Self::Battery
            | Self::BatteryAlone
            | Self::Stale
            | Self::Held
            | Self::Unguarded => Arming::Refused,
        }
    }

    /// What is done about it.
    #[must_use]
    pub const fn reaction(self, situation: Situation) -> Reaction {
        match self {
            Self::Service | Self::Topic => stop(situation),
            Self::Button | Self::Silent | Self::Frozen => unless_latched(situation),
            Self::Unheard | Self::Unwatched => unless_off(situation),
            Self::Off => off(situation),
            Self::Ending => ending(situation),
            Self::Stalled | Self::Board | Self::Strained => fault(situation),
            Self::Battery => battery(situation),
            Self::BatteryAlone => battery_alone(situation),
            Self::Stale => stale(situation),
            Self::Held | Self::Unguarded => Reaction::Nothing,
        }
    }
}

impl Situation {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::In(State::Disarmed),
        Self::In(State::Arming),
        Self::In(State::Armed),
        Self::In(State::Holding),
        Self::In(State::Retiring),
        Self::In(State::Fault),
        Self::In(State::EmergencyStop),
        Self::Frozen,
        Self::Paused,
    ];
}

const fn stop(situation: Situation) -> Reaction {
    match situation {
        Situation::Frozen => Reaction::Cut,
        Situation::In(_) | Situation::Paused => Reaction::Latch,
    }
}

/// What lasts stops once.
const fn unless_latched(situation: Situation) -> Reaction {
    match situation {
        Situation::In(State::EmergencyStop) => Reaction::Nothing,
        _ => stop(situation),
    }
}

const fn unless_off(situation: Situation) -> Reaction {
    match situation {
        Situation::In(State::Disarmed) => Reaction::Nothing,
        _ => unless_latched(situation),
    }
}

const fn off(situation: Situation) -> Reaction {
    match situation {
        Situation::Frozen => Reaction::Cut,
        Situation::In(_) | Situation::Paused => Reaction::Off,
    }
}

const fn ending(situation: Situation) -> Reaction {
    match situation {
        Situation::In(State::Arming | State::Armed | State::Holding | State::Retiring) => Reaction::Sit,
        Situation::In(State::Disarmed | State::Fault | State::EmergencyStop) | Situation::Paused => Reaction::Off,
        Situation::Frozen => Reaction::Cut,
    }
}

/// A thread that hangs finds its fault when it is back, and what is timed waits with a simulation that stands still.
const fn fault(situation: Situation) -> Reaction {
    match situation {
        Situation::In(State::Arming | State::Armed | State::Holding | State::Retiring) => Reaction::Fault,
        Situation::In(State::Disarmed | State::Fault | State::EmergencyStop)
        | Situation::Frozen
        | Situation::Paused => Reaction::Nothing,
    }
}

/// Seen from outside, it waits for nothing.
const fn battery_alone(situation: Situation) -> Reaction {
    match situation {
        Situation::Paused => Reaction::Fault,
        _ => fault(situation),
    }
}

const fn battery(situation: Situation) -> Reaction {
    match situation {
        Situation::In(State::Arming | State::Armed | State::Holding) | Situation::Paused => Reaction::Sit,
        Situation::In(State::Disarmed | State::Retiring | State::Fault | State::EmergencyStop) | Situation::Frozen => {
            Reaction::Nothing
        }
    }
}

const fn stale(situation: Situation) -> Reaction {
    match situation {
        Situation::In(State::Arming | State::Armed | State::Retiring) => Reaction::Hold,
        Situation::In(State::Disarmed | State::Holding | State::Fault | State::EmergencyStop)
        | Situation::Frozen
        | Situation::Paused => Reaction::Nothing,
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Service => "the service `emergency_stop`",
            Self::Topic => "a true on the topic `emergency_stop`",
            Self::Button => "the stop button",
            Self::Silent => "a heartbeat is lost (`emergency_stop_timeout`)",
            Self::Unheard => "no heartbeat has been heard yet",
            Self::Unwatched => "more stop sources than are watched",
            Self::Frozen => "the process did not run",
            Self::Off => "`enable` false",
            Self::Ending => "the process is asked to end",
            Self::Stalled => "no tick for 0.15 s",
            Self::Board => "a board is lost, reset or changed",
            Self::Strained => "a servo is overloaded",
            Self::Battery => "the battery alarm",
            Self::BatteryAlone => "the battery alarm, without a planner",
            Self::Stale => "commands are stale",
            Self::Held => "a stop source keeps sending true",
            Self::Unguarded => "no guard",
        })
    }
}

impl fmt::Display for Situation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(state) => write!(formatter, "{state}"),
            Self::Frozen => formatter.write_str("bus hangs"),
            Self::Paused => formatter.write_str("paused"),
        }
    }
}

impl fmt::Display for Reaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Nothing => "",
            Self::Latch => "latch",
            Self::Off => "off",
            Self::Cut => "cut",
            Self::Fault => "fault",
            Self::Sit => "sit",
            Self::Hold => "hold",
        })
    }
}

impl fmt::Display for Arming {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Allowed => "",
            Self::Refused => "refused",
            Self::Void => "void",
        })
    }
}

/// The table, as in `docs/faults.md`.
#[must_use]
pub fn table() -> String {
    let heads: String = Situation::ALL.iter().map(|situation| format!(" {situation} |")).collect();
    let rule = "---|".repeat(Situation::ALL.len() + 2);
    let rows = Cause::ALL.map(|cause| {
        let cells = Situation::ALL.map(|situation| format!(" {} |", cause.reaction(situation)).replace("  ", " "));
        format!("| {cause} | {} |{}\n", cause.arming(), cells.concat()).replace("|  |", "| |")
    });
    format!("| condition | `enable` |{heads}\n|{rule}\n{}", rows.concat())
}
