#![doc = include_str!("../README.md")]

pub mod bench;
pub mod bus;
pub mod bus_error;
pub mod desk;
pub mod failsafe;
pub mod front;
pub mod guard;
mod hardware;
pub mod heartbeats;
pub mod io;
pub mod io_thread;
mod journal;
pub mod lease;
mod load;
pub mod looping;
mod own_guard;
mod owners;
mod params;
pub mod pins;
pub mod planner;
mod planner_calls;
mod publish;
mod raspberry;
mod report;
mod requests;
mod run;
mod schedule;
mod services;
mod setup;
mod snapshot;
mod statics;
pub mod stop;
mod stop_button;
mod stoppable;
mod supervise;
mod systemd;
mod targets;
mod under_way;
mod waker;
mod wiring;

pub use hardware::{Hardware, HardwareError};
pub use owners::{Conflict, MAX_JOINTS};
pub use params::specs;
pub use raspberry::{PinError, RaspberryPins};
pub use requests::{Action, Answer};
pub use run::{RunError, run};
pub use schedule::Schedule;
pub use setup::{Live, Setup};
pub use snapshot::Snapshot;
pub use stop_button::StopSwitch;
pub use stoppable::{Stoppable, Timing};
pub use targets::{Intake, IntakeCount, Refusal};
pub use under_way::QUIET;

/// Name of the node.
pub const NAME: &str = "servo_driver";
