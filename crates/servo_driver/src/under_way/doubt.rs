//! Why an `enable` may have been sent before a stop, in words.

use hexapod_ros::{call_again, stopped_ago};
use std::fmt;
use std::time::Duration;

/// Why an `enable` does not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Doubt {
    pub why: Why,
    /// How long ago the stop was received.
    pub since: Duration,
    /// How long to wait before the next call.
    pub wait: Duration,
}

/// What speaks against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Why {
    /// The stop has only just come.
    Quiet,
    /// Its first call was refused before the stop.
    Second,
    /// Nothing tells.
    Unknown,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, and ", stopped_ago(self.since))?;
        match self.why {
            Why::Quiet => f.write_str("an enable that was sent before it could still arrive")?,
            Why::Second => f.write_str("the first call of this enable was refused before it")?,
            Why::Unknown => f.write_str("nobody knows whether this enable was sent before it")?,
        }
        let mean = if self.why == Why::Quiet { "" } else { "to show that you know of the stop, " };
        write!(f, ". Nothing was switched on: {mean}{}", call_again(self.wait))
    }
}
