//! Why the bus cannot be had.

use crate::device::Device;
use crate::lease::LeaseError;

/// The bus could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("{device} cannot be opened ({reason}); {remedy}")]
pub struct BusOpenError {
    /// Which one.
    pub device: Device,
    /// What the system says.
    pub reason: String,
    /// What to do.
    pub remedy: &'static str,
}

impl BusOpenError {
    pub(crate) fn leased(device: Device, error: &LeaseError) -> Self {
        let remedy = match error {
            LeaseError::Taken { .. } => "stop the other one first: two drivers would fight over the servos",
            LeaseError::Guarded => "cut the servos' power if the bus hangs, and start again",
            LeaseError::Socket(_) => "check that this process may use Unix sockets",
        };
        Self { device, reason: error.to_string(), remedy }
    }
}
