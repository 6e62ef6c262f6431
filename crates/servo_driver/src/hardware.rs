//! What a process must have before it drives servos, in the one order that is safe: the lease of the bus, then the pins,
//! then the bus. Whoever is refused the lease has touched nothing that belongs to the one who has it.

use crate::bus::Bus;
use crate::bus_error::BusOpenError;
use crate::i2c_bus::I2cBus;
use crate::lease::{GuardWatch, Lease};
use crate::own_guard::OwnGuard;
use crate::pin_access::HeaderPins;
use crate::pins::PinError;
use crate::setup::Setup;
use std::time::Duration;

/// How long a guard that was just started may take to be there.
const GUARD_STARTS: Duration = Duration::from_secs(2);

/// Bus and pins, opened. The lease is given back last.
#[derive(Debug)]
pub struct Hardware {
    /// The bus. Nothing has gone over it yet.
    pub bus: Bus,
    /// The pins in use, if there are any, with the outputs cut.
    pub pins: Option<HeaderPins>,
    /// Who must be there to switch off, if this process dies.
    pub guard: Option<GuardWatch>,
    /// The guard that this process has started.
    pub own_guard: Option<OwnGuard>,
    /// To be kept for as long as the bus or the pins are.
    pub lease: Option<Lease>,
}

/// The bus or a pin cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum HardwareError {
    /// The bus cannot be opened.
    #[error(transparent)]
    Bus(#[from] BusOpenError),
    /// A pin cannot be had.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// The thread that watches over this process cannot work.
    #[error("stops cannot be watched for: {0}")]
    StopMonitor(#[from] std::io::Error),
    /// Pulses are what there is to calibrate.
    #[error(
        "calibrating is for servos on PCA9685 boards and on a serial bus. On a Servo2040 write two angles and their pulses, which \
         `hexapod servo JOINT DEGREES` shows, into servos.yaml as points"
    )]
    NoPulses,
    /// There is no simulator in this process.
    #[error(
        "the physics of bus physics run in the process of all nodes; start `hexapod run --bus physics`, or give bus simulated"
    )]
    NoPhysics,
}

impl Hardware {
    /// Opens what `setup` names and starts a guard, if it is to have one of its own.
    ///
    /// # Errors
    /// Another process has the bus, or it or a pin cannot be opened, or it is one of a simulator that is not there.
    pub fn open(setup: &Setup) -> Result<Self, HardwareError> {
        let Some(device) = setup.map.device() else {
            return Ok(Self { bus: boards(setup)?, pins: None, guard: None, own_guard: None, lease: None });
        };
        let lease = Lease::take(&device).map_err(|error| BusOpenError::leased(device.clone(), &error))?;
        let pins = setup.pins.any().then(|| HeaderPins::open(setup.pins)).transpose()?;
        let bus = setup.map.open()?.map_or_else(|| boards(setup), Ok)?;
        let own_guard = setup.guard.clone().map(|files| OwnGuard::start(setup.map.arguments(), setup.pins, files));
        let guard = own_guard.as_ref().map(|_| {
            let mut guard = GuardWatch::new(&device);
            guard.wait(GUARD_STARTS);
            guard
        });
        Ok(Self { bus, pins, guard, own_guard, lease: Some(lease) })
    }
}

/// Boards in memory: those of a simulator, where it has some.
fn boards(setup: &Setup) -> Result<Bus, HardwareError> {
    let servos = setup.servos().ok_or(HardwareError::NoPhysics)?.clone();
    let bus = match &setup.boards {
        Some(boards) => I2cBus::simulated(boards.clone()),
        None if setup.wants_physics() => return Err(HardwareError::NoPhysics),
        None => I2cBus::for_config(&servos),
    };
    Ok(Bus::Boards { bus, servos })
}
