#![doc = include_str!("../README.md")]

pub mod bounds;
mod call;
pub mod clock;
mod diagnostics;
mod entity;
mod error;
mod graph;
mod inputs;
mod lane;
mod local;
mod node;
mod pacer;
mod parameter_services;
mod parameters;
mod publisher;
pub mod realtime;
mod received;
mod ros;
mod shutdown;
mod spin;

pub use call::{Caller, Reply};
pub use clock::RosClock;
pub use diagnostics::{Diagnostics, Level, Status};
pub use error::RosError;
pub use graph::Graph;
pub use hexapod_rcl::{Endpoint, Gid};
pub use lane::Lane;
pub use local::LocalTopics;
pub use node::RosNode;
pub use pacer::{Lateness, Pacer, monotonic_now};
pub use parameters::{OnCheck, OnSet, Parameters};
pub use publisher::{Publisher, Refill, SharedPublisher};
pub use r2r;
pub use received::{Received, Sender};
pub use ros::Ros;
pub use shutdown::{Shutdown, Stage};
