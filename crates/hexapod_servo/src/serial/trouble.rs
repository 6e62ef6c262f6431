//! Why a servo is no longer relied on, in words.

use thiserror::Error;

use super::port::PortError;

/// Why a servo is no longer relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Trouble {
    /// It does not answer.
    #[error("servo {id} does not answer, or not in time: check its plug and the cable before it")]
    Silent {
        /// Its ID.
        id: u8,
    },
    /// None of them answers.
    #[error("no servo answers: check their supply and the cable")]
    AllSilent,
    /// The line does not work.
    #[error("the servos cannot be reached: {error}")]
    Line {
        /// What the line says.
        error: PortError,
    },
    /// It has let go.
    #[error("servo {id} let go by itself{}: it was overloaded, or its supply sank", complaint(*.alarm))]
    LetGo {
        /// Its ID.
        id: u8,
        /// What it complains of.
        alarm: Option<&'static str>,
    },
    /// Its watchdog has stopped it.
    #[error("servo {id} was stopped by its bus watchdog: nothing of the driver came through to it")]
    Stopped {
        /// Its ID.
        id: u8,
    },
    /// It does not come to its goal.
    #[error(
        "servo {id} is {degrees} degrees from its goal: something is in its way, it is too weak, or misreads where it stands"
    )]
    Strays {
        /// Its ID.
        id: u8,
        /// How far it is away.
        degrees: u16,
    },
    /// It has another goal.
    #[error("servo {id} has the goal {read}, not {expected}: end every other program that drives the servos")]
    Altered {
        /// Its ID.
        id: u8,
        /// The goal it has.
        read: u16,
        /// The goal it was given.
        expected: u16,
    },
}

pub(super) fn complaint(alarm: Option<&'static str>) -> String {
    alarm.map_or(String::new(), |alarm| format!(" and complains of {alarm}"))
}
