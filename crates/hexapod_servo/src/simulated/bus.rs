//! The handle and its `I2c` implementation.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};
use thiserror::Error as ThisError;

use super::chip::{Chip, Output};
use super::fault::{BusFault, When};
use super::servo_time::ServoTime;
use super::transcript::{BusTally, Outcome, Transfer};
use super::world::World;
use crate::calibration::ServoConfig;
use crate::random::Random;

/// An error of the simulated bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ThisError)]
pub enum SimulatedError {
    /// Nobody acknowledged the address, or a data byte.
    #[error("simulated I2C: {0}")]
    NoAcknowledge(ErrorKind),
    /// The bus hung for this long.
    #[error("simulated I2C: no answer for {} ms", .0.as_millis())]
    TimedOut(Duration),
}

impl Error for SimulatedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoAcknowledge(kind) => *kind,
            Self::TimedOut(_) => ErrorKind::Other,
        }
    }
}

type HangHook = Arc<dyn Fn(Duration) + Send + Sync>;

/// A simulated I2C bus with PCA9685 boards. Clones are handles to the same bus.
#[derive(Clone)]
pub struct SimulatedBus {
    world: Arc<Mutex<World>>,
    hang_hook: Option<HangHook>,
    servo_time: ServoTime,
}

impl fmt::Debug for SimulatedBus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SimulatedBus").field("tally", &self.tally()).finish_non_exhaustive()
    }
}

impl SimulatedBus {
    /// Boards at these addresses, each with an oscillator of exactly 25 MHz.
    pub fn new(addresses: &[u8]) -> Self {
        Self::with_chips(addresses.iter().map(|&address| Chip::new(address, 25e6)).collect())
    }

    /// These boards.
    pub fn with_chips(chips: Vec<Chip>) -> Self {
        Self { world: Arc::new(Mutex::new(World::new(chips))), hang_hook: None, servo_time: ServoTime::of_physics() }
    }

    /// The boards of a configuration, each with the oscillator it was measured to have.
    pub fn for_config(config: &ServoConfig) -> Self {
        let chip = |board: &crate::calibration::Board| Chip::new(board.address(), board.clock().oscillator_hz());
        Self::with_chips(config.boards().iter().map(chip).collect())
    }

    /// This handle calls `hook` with the time of every hang, e.g. to sleep through it. Without a hook only the virtual
    /// time passes.
    pub fn with_hang_hook(mut self, hook: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        self.hang_hook = Some(Arc::new(hook));
        self
    }

    /// Seeds the generator behind probabilities.
    pub fn seed(&self, seed: u64) {
        self.world().random = Random(seed);
    }

    /// A fault now.
    pub fn inject(&self, fault: BusFault) {
        self.world().inject(fault);
    }

    /// A fault later.
    pub fn schedule(&self, when: When, fault: BusFault) {
        self.world().schedule.push((when, fault));
    }

    /// Sets the virtual time; it never goes back. Hangs move it on by themselves.
    pub fn advance_to(&self, time: Duration) {
        let mut world = self.world();
        world.time = world.time.max(time);
    }

    /// The virtual time.
    pub fn time(&self) -> Duration {
        self.world().time
    }

    /// Where the simulation that moves with these boards says that it stands still.
    pub fn servo_time(&self) -> &ServoTime {
        &self.servo_time
    }

    /// Copy of a board as it is now.
    pub fn chip(&self, address: u8) -> Option<Chip> {
        self.world().chips.iter().find(|chip| chip.address() == address).cloned()
    }

    /// Output of a channel now; `Low` if there is no such board.
    pub fn output(&self, address: u8, channel: u8) -> Output {
        let world = self.world();
        world.chips.iter().find(|chip| chip.address() == address).map_or(Output::Low, |chip| chip.output(channel))
    }

    /// Pulse of a channel now in microseconds, if it has one.
    pub fn pulse_us(&self, address: u8, channel: u8) -> Option<f64> {
        self.world().chips.iter().find(|chip| chip.address() == address)?.pulse_us(channel)
    }

    /// Totals since the bus was made.
    pub fn tally(&self) -> BusTally {
        self.world().tally
    }

    /// Begins to record transfers. They are kept until taken, so take them.
    pub fn record(&self) {
        self.world().transcript.get_or_insert_with(Vec::new);
    }

    /// The transfers recorded since the last call.
    pub fn take_transcript(&self) -> Vec<Transfer> {
        self.world().transcript.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ErrorType for SimulatedBus {
    type Error = SimulatedError;
}

impl I2c for SimulatedBus {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), SimulatedError> {
        let mut world = self.world();
        if let Some(time) = world.begin() {
            world.note(address, operations, Outcome::TimedOut);
            drop(world);
            if let Some(hook) = &self.hang_hook {
                hook(time);
            }
            return Err(SimulatedError::TimedOut(time));
        }
        world.transfer(address, operations).map_err(SimulatedError::NoAcknowledge)
    }
}
