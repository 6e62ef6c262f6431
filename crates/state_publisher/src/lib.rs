#![doc = include_str!("../README.md")]

mod contacts;
mod feet;
mod joints;
mod known;
mod links;
mod messages;
mod node;
mod publish_slot;
mod report;
mod setup;
mod state;
mod tf;

pub use feet::FeetSettings;
pub use hexapod_odometry::Odometry;
pub use node::{RunError, run};
pub use setup::{NAME, Setup, specs};
