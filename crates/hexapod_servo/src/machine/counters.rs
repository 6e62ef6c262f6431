//! Counts for diagnostics.

use super::fault::Fault;
use crate::backend::Tally;

/// What has happened since the driver was made. All numbers only ever grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Traffic on the wire.
    pub wire: Tally,
    /// Ticks.
    pub ticks: u64,
    /// Targets outside the hard pulse limits, brought within them.
    pub clamped: u64,
    /// Targets refused: not finite, or no such joint.
    pub refused: u64,
    /// Times commands, or writes to a part, came through late, and joints caught up instead of jumping.
    pub catch_ups: u64,
    /// Times commands went stale.
    pub holds: u64,
    /// Times the robot was to be asked to sit, because commands stayed stale.
    pub sit_requests: u64,
    /// Ticks in which a part's traffic failed after its retries.
    pub failed_ticks: u64,
    /// Times the driver went into `Fault`.
    pub faults: u64,
    /// Emergency stops.
    pub emergency_stops: u64,
    /// The last fault; its `Display` is the text for people.
    pub last_fault: Option<Fault>,
}
