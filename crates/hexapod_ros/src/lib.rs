#![doc = include_str!("../README.md")]

pub mod bounds;
pub mod clock;
mod diagnostics;
mod error;
mod local;
mod node;
mod opening;
mod pacer;
mod parameters;
mod publisher;
pub mod realtime;
mod shutdown;

pub use clock::RosClock;
pub use diagnostics::{Diagnostics, Level, Status};
pub use error::RosError;
pub use local::LocalTopics;
pub use node::{Caller, Reply, Ros, RosNode};
pub use pacer::{Lateness, Pacer, monotonic_now};
pub use parameters::{OnCheck, OnSet, Parameters};
pub use publisher::{Publisher, Refill, SharedPublisher};
pub use r2r;
pub use shutdown::{Shutdown, Stage};
