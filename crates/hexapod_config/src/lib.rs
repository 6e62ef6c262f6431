#![doc = include_str!("../README.md")]

mod document;
mod error;
mod layers;
pub mod ros_params;
mod scalar;
mod source;
mod suggest;
mod tree;
mod tree_builder;
mod typed;
pub mod units;

pub use document::{Document, Edit, Entry, Leaf};
pub use error::{ConfigError, Faults, Location};
pub use scalar::Scalar;
pub use source::{MAX_BYTES, Source};
pub use tree_builder::MAX_DEPTH;
