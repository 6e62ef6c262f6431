#![doc = include_str!("../README.md")]

mod fit;
mod ground;
mod history;
mod odometry;
mod variance;

pub use odometry::{Estimate, Fit, Odometry, SampleError};
