//! The bus, chosen at run time: boards in memory, or `/dev/i2c-N`.

use crate::lease::{Lease, LeaseError};
use crate::raspberry::RaspberryBus;
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::{ServoConfig, SimulatedBus};
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

impl BusChoice {
    /// Opens the bus. Nothing goes over it yet.
    ///
    /// # Errors
    /// There is no such device, or this user may not use it; says what to do.
    pub fn open(self, servos: &ServoConfig) -> Result<Bus, BusOpenError> {
        match self {
            Self::Simulated => Ok(Bus::simulated(SimulatedBus::for_config(servos))),
            Self::I2c { device } => {
                let lease = lease(device)?;
                Ok(Bus::Real { bus: RaspberryBus::open(device)?, lease })
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
    Real {
        /// `/dev/i2c-N`.
        bus: RaspberryBus,
        /// The right to drive the boards; a guard has none.
        lease: Option<Lease>,
    },
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
        Ok(Self::Real { bus: RaspberryBus::open(device)?, lease: None })
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
            Self::Real { bus, .. } => bus.transaction(address, operations).map_err(BusFailure),
        }
    }
}

/// The lease of the bus. Where none can be had for want of a file the driver works, but no guard can see it.
fn lease(device: u8) -> Result<Option<Lease>, BusOpenError> {
    match Lease::take(device) {
        Ok(lease) => Ok(Some(lease)),
        Err(error @ LeaseError::Taken) => Err(BusOpenError {
            device,
            reason: error.to_string(),
            remedy: "end the other one first: two drivers would fight over the servos",
        }),
        Err(error @ LeaseError::File { .. }) => {
            tracing::warn!("no guard can see this driver: {error}; name another folder in HEXAPOD_LOCK_DIR");
            Ok(None)
        }
    }
}
