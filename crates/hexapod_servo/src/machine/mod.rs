//! The state machine between joint commands and servos: pure, on a clock it is given. It knows no wire.
//!
//! [`ServoDriver`] owns a [`Backend`](crate::Backend). Inputs are methods; [`ServoDriver::tick`] does one period's traffic.

mod arming;
mod counters;
mod driver;
mod fault;
mod inputs;
mod joint;
mod path;
mod state;
mod stopping;
mod tick;

pub use counters::Counters;
pub use driver::ServoDriver;
pub use fault::Fault;
pub use inputs::{Accepted, TargetError};
pub use state::State;
