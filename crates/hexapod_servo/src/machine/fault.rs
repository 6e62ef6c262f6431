//! Reasons for the fault state.

use std::time::Duration;

use thiserror::Error;

use crate::backend::Trouble;

/// Why the driver went into [`State::Fault`](super::State::Fault).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(
    clippy::large_enum_variant,
    reason = "a fault is made in a tick and copied from thread to thread: nothing is boxed"
)]
pub enum Fault {
    /// A part of the hardware was lost or altered.
    #[error("{0}")]
    Part(Trouble),
    /// So much time passed between two ticks: the bus hung or the thread starved.
    #[error("no tick for {} ms", .0.as_millis())]
    Stalled(Duration),
    /// A servo was asked for too long for what it cannot be given: beyond its limits, or faster than its limit.
    #[error("joint {joint} has been driven against its limits for {} s: let it cool", .limit.as_secs())]
    Strained {
        /// Index of the joint.
        joint: usize,
        /// The time that is allowed.
        limit: Duration,
    },
    /// Reported from outside through [`ServoDriver::trip`](super::ServoDriver::trip), e.g. a low battery.
    #[error("{0}")]
    External(&'static str),
}
