#![doc = include_str!("../README.md")]

mod digest;
mod document;
mod edit;
mod error;
mod layers;
mod leaves;
mod location;
mod parser_words;
mod reading;
pub mod ros_params;
mod scalar;
mod source;
mod suggest;
mod tree;
mod tree_builder;
mod typed;
pub mod units;

pub use digest::fnv1a;
pub use document::{Document, Entry};
pub use edit::Edit;
pub use error::{ConfigError, Faults};
pub use leaves::Leaf;
pub use location::Location;
pub use reading::MAX_BYTES;
pub use scalar::Scalar;
pub use source::Source;
pub use tree_builder::MAX_DEPTH;

/// Longest name of a gait, a motion, a joint or a leg, bytes.
pub const MAX_NAME: usize = 80;
