#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bearing;
mod estimate;
mod fit;
mod ground;
mod guide;
mod history;
mod lately;
mod mishaps;
mod odometry;
mod robot;
mod sample;
mod slip;
mod unseen;
mod variance;

pub use estimate::{Estimate, Fit};
pub use guide::Guided;
pub use mishaps::Mishaps;
pub use odometry::Odometry;
pub use sample::SampleError;
pub use unseen::{Inertial, Unseen};
