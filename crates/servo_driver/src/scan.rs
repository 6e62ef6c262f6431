//! Which servos answer on a serial port, before there is a configuration of them.

use crate::bus_error::BusOpenError;
use crate::device::Device;
use crate::hardware::HardwareError;
use crate::lease::Lease;
use crate::serial::SerialPort;
use hexapod_servo::feetech::registers::MAX_ID;
use hexapod_servo::feetech::{Answer, Line, PortError, look_for};

/// A scan that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The port cannot be had.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// The port fails.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// Asks every ID of a Feetech bus, and reports those that answer. Only reads; no driver may have the port.
///
/// # Errors
/// The port cannot be opened, another process has it, or it fails.
pub fn scan(port: &str, baud: u32, mut report: impl FnMut(u8, Answer)) -> Result<(), ScanError> {
    let device = Device::at(port);
    let leased = |error| HardwareError::Bus(BusOpenError::leased(device.clone(), &error));
    let _lease = Lease::take(&device).map_err(leased)?;
    let port = SerialPort::open(&device, baud).map_err(HardwareError::Bus)?;
    let mut line = Line::new(port, baud);
    for id in 0..=MAX_ID {
        let answer = look_for(&mut line, id)?;
        if answer != Answer::Silence {
            report(id, answer);
        }
    }
    Ok(())
}
