#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bearing;
mod estimate;
mod fit;
mod ground;
mod history;
mod mishaps;
mod odometry;
mod sample;
mod variance;

pub use estimate::{Estimate, Fit};
pub use mishaps::Mishaps;
pub use odometry::Odometry;
pub use sample::SampleError;
