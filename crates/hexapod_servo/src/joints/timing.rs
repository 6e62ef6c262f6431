//! Times and speeds of the state machine.

use std::time::Duration;

/// Validated times and speeds of the state machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Commands older than this are stale: the driver holds.
    pub command_timeout: Duration,
    /// Holding for this long asks for the robot to sit; `None`: never.
    pub sit_after: Option<Duration>,
    /// Holding for this long switches everything off; `None`: hold for ever.
    pub relax_after: Option<Duration>,
    /// From the switching on of one group to the next.
    pub group_interval: Duration,
    /// Speed of the first motion after arming or holding, in radians per second.
    pub soft_start_rad_s: f64,
    /// Arming is refused if a joint is commanded farther than this from where it was last commanded to be, in radians.
    pub pose_tolerance_rad: f64,
    /// A servo commanded to be farther than this from what is asked for is strained, in radians.
    pub stall_error_rad: f64,
    /// So much strain, less rest, is a fault; `None`: never.
    pub stall_after: Option<Duration>,
    /// After a fault, boards that still answer keep their pulses for this long and are then switched off.
    pub fault_off_after: Duration,
}
