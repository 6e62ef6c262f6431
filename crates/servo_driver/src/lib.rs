#![doc = include_str!("../README.md")]

pub mod bench;
pub mod bus;
pub mod guard;
pub mod io;
pub mod lease;
mod looping;
mod params;
pub mod pins;
mod publish;
mod raspberry;
mod report;
mod requests;
mod run;
mod schedule;
mod services;
mod setup;
mod snapshot;
mod stop;
pub mod stop_topic;
mod supervise;
mod systemd;
mod targets;
mod waker;

pub use params::specs;
pub use raspberry::{PinError, RaspberryPins};
pub use requests::{Action, Answer, Control};
pub use run::{RunError, run};
pub use setup::Setup;
pub use snapshot::Snapshot;
pub use stop::{StopFlag, Stoppable, Timing};
pub use targets::{Intake, IntakeCount, MAX_JOINTS, Refusal};

/// Name of the node.
pub const NAME: &str = "servo_driver";
