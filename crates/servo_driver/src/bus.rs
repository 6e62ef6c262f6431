//! The bus, chosen at run time: boards in memory, or `/dev/i2c-N`. The only file that names rppal.

use crate::lease::{Lease, LeaseError};
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, NoAcknowledgeSource, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::{ServoConfig, SimulatedBus};
use std::io;
use std::time::Duration;

/// Which bus the boards are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusChoice {
    /// Boards in memory.
    Simulated,
    /// Boards on `/dev/i2c-<device>`.
    I2c {
        /// The device's number.
        device: u8,
    },
}

/// The bus could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("/dev/i2c-{device} cannot be opened ({reason}); {remedy}")]
pub struct BusOpenError {
    /// The device's number.
    pub device: u8,
    /// What the system says.
    pub reason: String,
    /// What to do.
    pub remedy: &'static str,
}

const MISSING: &str = "enable I2C: put `dtparam=i2c_arm=on` into /boot/firmware/config.txt and start the computer \
    again, and check the parameter `i2c_device` against `ls /dev/i2c-*`; without boards use bus:=simulated";
const FORBIDDEN: &str = "let this user in: `sudo usermod -aG i2c $USER`, then log in again";
const OTHER: &str = "check that no other program or kernel driver holds the bus";

impl BusChoice {
    /// Opens the bus. Nothing goes over it yet.
    ///
    /// # Errors
    /// There is no such device, or this user may not use it; says what to do.
    pub fn open(self, servos: &ServoConfig) -> Result<Bus, BusOpenError> {
        match self {
            Self::Simulated => Ok(Bus::simulated(SimulatedBus::for_config(servos))),
            Self::I2c { device } => {
                let lease = Lease::take(device).map_err(|error| leased(device, &error))?;
                Ok(Bus::Real(Real { _lease: Some(lease), ..Real::open(device)? }))
            }
        }
    }

    /// What diagnostics call the hardware, e.g. `pca9685@/dev/i2c-1`.
    #[must_use]
    pub fn hardware_id(self) -> String {
        match self {
            Self::Simulated => "pca9685@simulated".into(),
            Self::I2c { device } => format!("pca9685@/dev/i2c-{device}"),
        }
    }
}

/// An open bus.
#[derive(Debug)]
pub enum Bus {
    /// Boards in memory, whose time goes on with the monotonic clock.
    Simulated {
        /// The boards.
        bus: SimulatedBus,
        /// When their time was zero.
        since: Duration,
    },
    /// A real bus.
    Real(Real),
}

impl Bus {
    /// Boards in memory whose hangs take real time.
    #[must_use]
    pub fn simulated(bus: SimulatedBus) -> Self {
        Self::Simulated { bus: bus.with_hang_hook(std::thread::sleep), since: monotonic_now() }
    }

    /// `/dev/i2c-<device>`, whoever else has it.
    ///
    /// # Errors
    /// There is no such device, or this user may not use it; says what to do.
    pub fn unleased(device: u8) -> Result<Self, BusOpenError> {
        Real::open(device).map(Self::Real)
    }
}

/// A transaction that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("I2C: {0}")]
pub struct BusFailure(pub ErrorKind);

impl Error for BusFailure {
    fn kind(&self) -> ErrorKind {
        self.0
    }
}

impl ErrorType for Bus {
    type Error = BusFailure;
}

impl I2c for Bus {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), BusFailure> {
        match self {
            Self::Simulated { bus, since } => {
                bus.advance_to(monotonic_now().saturating_sub(*since));
                bus.transaction(address, operations).map_err(|error| BusFailure(error.kind()))
            }
            Self::Real(real) => real.transaction(address, operations).map_err(|error| BusFailure(kind(&error))),
        }
    }
}

/// `/dev/i2c-N`.
#[derive(Debug)]
pub struct Real {
    bus: rppal::i2c::I2c,
    /// The address the kernel was last told to speak to.
    address: Option<u8>,
    _lease: Option<Lease>,
}

/// Longest transaction, in steps of 10 ms. A board's 66 bytes take 6 ms at 100 kHz; the kernel's default is a second.
const TIMEOUT: u32 = 1;

impl Real {
    fn open(device: u8) -> Result<Self, BusOpenError> {
        let bus = rppal::i2c::I2c::with_bus(device).map_err(|error| refused(device, &error))?;
        if let Err(error) = bus.set_timeout(TIMEOUT) {
            tracing::warn!("/dev/i2c-{device} keeps its own timeout: {error}");
        }
        Ok(Self { bus, address: None, _lease: None })
    }

    /// A transfer that was cut short is one that failed.
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> rppal::i2c::Result<()> {
        if self.address != Some(address) {
            self.address = None;
            self.bus.set_slave_address(u16::from(address))?;
            self.address = Some(address);
        }
        // One transfer with a repeated START; rppal's own implementation sends two.
        if let [Operation::Write(bytes), Operation::Read(into)] = operations {
            return self.bus.write_read(bytes, into);
        }
        for operation in operations {
            let (done, wanted) = match operation {
                Operation::Read(into) => (self.bus.read(into)?, into.len()),
                Operation::Write(bytes) => (self.bus.write(bytes)?, bytes.len()),
            };
            if done != wanted {
                return Err(io::Error::from_raw_os_error(EIO).into());
            }
        }
        Ok(())
    }
}

fn leased(device: u8, error: &LeaseError) -> BusOpenError {
    let remedy = match error {
        LeaseError::Taken => "end the other one first: two drivers would fight over the servos",
        LeaseError::File { .. } => "check who may use this file, or name another folder in HEXAPOD_LOCK_DIR",
    };
    BusOpenError { device, reason: error.to_string(), remedy }
}

fn refused(device: u8, error: &rppal::i2c::Error) -> BusOpenError {
    let remedy = match error {
        rppal::i2c::Error::Io(error) if error.kind() == io::ErrorKind::NotFound => MISSING,
        rppal::i2c::Error::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => FORBIDDEN,
        _ => OTHER,
    };
    BusOpenError { device, reason: error.to_string(), remedy }
}

const EIO: i32 = 5;

/// What the kernel's fault codes mean (Documentation/i2c/fault-codes.rst).
fn kind(error: &rppal::i2c::Error) -> ErrorKind {
    const ENXIO: i32 = 6;
    const EAGAIN: i32 = 11;
    const EREMOTEIO: i32 = 121;
    let code = if let rppal::i2c::Error::Io(error) = error { error.raw_os_error() } else { None };
    match code {
        Some(ENXIO | EREMOTEIO) => ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown),
        Some(EAGAIN) => ErrorKind::ArbitrationLoss,
        Some(EIO) => ErrorKind::Bus,
        _ => ErrorKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_kernel_reports_a_fault_expect_its_kind() {
        let cases = [
            (6, ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown)),
            (121, ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown)),
            (11, ErrorKind::ArbitrationLoss),
            (5, ErrorKind::Bus),
            (110, ErrorKind::Other),
        ];
        for (code, expected) in cases {
            let error = rppal::i2c::Error::Io(io::Error::from_raw_os_error(code));
            assert_eq!(kind(&error), expected, "errno {code}");
        }
    }

    #[test]
    fn when_the_device_cannot_be_opened_expect_what_to_do() {
        for (reason, words) in [
            (io::ErrorKind::NotFound, "i2c_arm"),
            (io::ErrorKind::PermissionDenied, "usermod"),
            (io::ErrorKind::Other, "holds"),
        ] {
            let error = refused(3, &rppal::i2c::Error::Io(reason.into())).to_string();
            assert!(error.contains("/dev/i2c-3") && error.contains(words), "{error}");
        }
    }
}
