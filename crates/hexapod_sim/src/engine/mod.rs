//! The physics engine, named in this folder and in `ground` alone.

mod build;
mod contacts;
pub(crate) mod convert;
mod motion;
mod settings;
mod step;
mod world;

pub use motion::{Momentum, Velocity};
pub use settings::{Drive, Mount, Settings};
pub use world::World;
