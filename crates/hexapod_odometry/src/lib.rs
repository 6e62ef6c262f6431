#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bearing;
mod estimate;
mod fit;
mod ground;
mod history;
mod odometry;
mod variance;

pub use estimate::{Estimate, Fit};
pub use odometry::{Odometry, SampleError};
