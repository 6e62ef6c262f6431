//! The bus, chosen at run time: boards in memory, or `/dev/i2c-N`.

use crate::bus_error::BusOpenError;
use crate::device::Device;
use crate::raspberry::RaspberryBus;
use crate::stoppable::Gate;
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::{Backend, Pca9685Boards, ServoConfig, SimulatedBus};
use std::fmt;
use std::time::Duration;

/// Which bus the boards are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusChoice {
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

impl fmt::Display for BusChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simulated => formatter.write_str("a simulated bus"),
            Self::Physics => formatter.write_str("a simulated bus, with physics"),
            Self::I2c { device } => write!(formatter, "/dev/i2c-{device}"),
        }
    }
}

impl BusChoice {
    /// Whether there is something to break.
    #[must_use]
    pub fn is_real(self) -> bool {
        matches!(self, Self::I2c { .. })
    }

    /// The device file, where there is one.
    #[must_use]
    pub fn device(self) -> Option<Device> {
        match self {
            Self::Simulated | Self::Physics => None,
            Self::I2c { device } => Some(Device::i2c(device)),
        }
    }

    /// What gives a tool this bus on its command line.
    pub(crate) fn arguments(self) -> Vec<String> {
        let words = match self {
            Self::Simulated => vec!["simulated".into()],
            Self::Physics => vec!["physics".into()],
            Self::I2c { device } => vec!["i2c".into(), "-p".into(), format!("servo_driver.i2c_device:={device}")],
        };
        std::iter::once("--bus".to_owned()).chain(words).collect()
    }

    /// What diagnostics call the hardware, e.g. `pca9685@/dev/i2c-1`.
    #[must_use]
    pub fn hardware_id(self) -> String {
        match self {
            Self::Simulated => "pca9685@simulated".into(),
            Self::Physics => "pca9685@physics".into(),
            Self::I2c { device } => format!("pca9685@/dev/i2c-{device}"),
        }
    }
}

/// The servos of a driver or tool, whatever bus they are on.
pub type Servos = Box<dyn Backend + Send>;

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
    /// `/dev/i2c-N`.
    Real(RaspberryBus),
}

impl Bus {
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

    /// The bus of real servos. Nothing goes over it yet.
    ///
    /// # Errors
    /// There is no such device, or this user may not use it; says what to do.
    pub fn real(choice: BusChoice) -> Result<Option<Self>, BusOpenError> {
        match choice {
            BusChoice::Simulated | BusChoice::Physics => Ok(None),
            BusChoice::I2c { device } => RaspberryBus::open(device).map(Self::Real).map(Some),
        }
    }

    /// The servos on this bus. What may move them passes `gate`.
    #[must_use]
    pub fn backend(self, servos: &ServoConfig, gate: &Gate) -> Servos {
        on_boards(servos, self)(gate)
    }
}

/// The PCA9685 boards of a configuration on this bus, once there is a gate to put before it.
pub fn on_boards<B: I2c + Send + 'static>(servos: &ServoConfig, bus: B) -> impl FnOnce(&Gate) -> Servos {
    move |gate| Box::new(Pca9685Boards::new(servos, gate.before(bus)))
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
            Self::Real(bus) => bus.transaction(address, operations).map_err(BusFailure),
        }
    }
}
