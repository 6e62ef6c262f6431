//! PCA9685 boards simulated register by register behind `embedded_hal::i2c::I2c`, with faults on demand.
//!
//! A backend to choose at run time, not a test double: the demo and the shell tools run on it. Clone a
//! [`SimulatedBus`] before giving it to the driver and the clone inspects boards and injects faults.

mod bus;
mod chip;
mod fault;
mod feedback;
mod mounting;
mod servo_time;
mod transcript;
mod world;

pub use bus::{SimulatedBus, SimulatedError};
pub use chip::{Chip, Output};
pub use fault::{BusFault, When};
pub use feedback::{Feedback, Reported};
pub use mounting::{Mounting, MountingError, RawMount, RawMounting};
pub use servo_time::ServoTime;
pub use transcript::{BusTally, Outcome, Transfer};
