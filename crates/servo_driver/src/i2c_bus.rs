//! An I2C bus, chosen at run time: boards in memory, or `/dev/i2c-N`.

use crate::bus_error::BusOpenError;
use crate::raspberry::RaspberryBus;
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::{ServoConfig, SimulatedBus};
use std::time::Duration;

/// Which bus the boards are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardBus {
    /// Boards in memory.
    Simulated,
    /// Boards in memory whose pulses move a robot in a physics engine.
    Physics,
    /// Boards on `/dev/i2c-<device>`.
    I2c {
        /// The device's number.
        device: u8,
    },
}

/// An open bus.
#[derive(Debug)]
pub enum I2cBus {
    /// Boards in memory, whose time goes on with the monotonic clock.
    Simulated {
        /// The boards.
        bus: SimulatedBus,
        /// When their time was zero.
        since: Duration,
    },
    /// `/dev/i2c-N`.
    Real(RaspberryBus),
}

impl I2cBus {
    /// Boards in memory whose hangs take real time.
    #[must_use]
    pub fn simulated(bus: SimulatedBus) -> Self {
        Self::Simulated { bus: bus.with_hang_hook(std::thread::sleep), since: monotonic_now() }
    }

    /// The boards of `servos` in memory.
    #[must_use]
    pub fn for_config(servos: &ServoConfig) -> Self {
        Self::simulated(SimulatedBus::for_config(servos))
    }

    /// `/dev/i2c-<device>`. Nothing goes over it yet.
    ///
    /// # Errors
    /// There is no such device, or this user may not use it; says what to do.
    pub fn real(device: u8) -> Result<Self, BusOpenError> {
        RaspberryBus::open(device).map(Self::Real)
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

impl ErrorType for I2cBus {
    type Error = BusFailure;
}

impl I2c for I2cBus {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), BusFailure> {
        match self {
            Self::Simulated { bus, since } => {
                bus.advance_to(monotonic_now().saturating_sub(*since));
                bus.transaction(address, operations).map_err(|error| BusFailure(error.kind()))
            }
            Self::Real(bus) => bus.transaction(address, operations).map_err(BusFailure),
        }
    }
}
