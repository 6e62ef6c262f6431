//! What switches under feet say.

use std::time::Duration;

/// What switches under feet said at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feet {
    /// A bit for each foot that has a switch, in the order of the configuration, the first one's lowest: 1 is pressed.
    pub pressed: u32,
    /// When that was, on the clock of the exchanges.
    pub at: Duration,
}
