//! Times and speeds of the state machine.

use std::time::Duration;

/// Validated times and speeds of the state machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Commands older than this are stale: the driver holds.
    pub command_timeout: Duration,
    /// Holding for this long switches everything off; `None`: hold for ever.
    pub relax_after: Option<Duration>,
    /// From the switching on of one group to the next.
    pub group_interval: Duration,
    /// Speed of the first motion after arming or holding, in radians per second.
    pub soft_start_rad_s: f64,
    /// After a fault, boards that still answer keep their pulses for this long and are then switched off.
    pub fault_off_after: Duration,
}
