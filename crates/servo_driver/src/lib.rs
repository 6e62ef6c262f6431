#![doc = include_str!("../README.md")]

pub mod bus;
pub mod guard;
pub mod io;
pub mod lease;
mod params;
mod publish;
mod report;
mod requests;
mod run;
mod schedule;
mod services;
mod setup;
mod snapshot;
mod stop;
mod supervise;
mod systemd;
mod targets;
mod waker;

pub use params::specs;
pub use requests::{Action, Answer, Control};
pub use run::{RunError, run};
pub use setup::Setup;
pub use snapshot::Snapshot;
pub use stop::{StopFlag, Stoppable};
pub use targets::{Intake, IntakeCount, MAX_JOINTS, Refusal};

/// Name of the node.
pub const NAME: &str = "servo_driver";
