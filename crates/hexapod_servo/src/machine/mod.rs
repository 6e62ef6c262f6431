//! The state machine between joint commands and boards: pure, on a clock it is given.
//!
//! [`ServoDriver`] owns the bus. Inputs are methods; [`ServoDriver::tick`] does one period's bus traffic.

mod arming;
mod boards;
mod checks;
mod counters;
mod driver;
mod fault;
mod inputs;
mod joint;
mod path;
mod state;
mod stopping;
mod tick;

pub use checks::{ArmCheck, ArmReport};
pub use counters::Counters;
pub use driver::ServoDriver;
pub use fault::{Fault, RESETS_A_BOARD};
pub use inputs::{Accepted, TargetError};
pub use state::State;
