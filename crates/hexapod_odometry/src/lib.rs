#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod fit;
mod ground;
mod history;
mod odometry;
mod variance;

pub use odometry::{Estimate, Fit, Odometry, SampleError};
