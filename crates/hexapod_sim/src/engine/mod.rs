//! The physics engine, named in this folder and in `ground` alone.

mod build;
mod contacts;
pub(crate) mod convert;
mod disturb;
mod landing;
mod motion;
mod settings;
mod sight;
mod slide;
mod soft;
mod step;
mod world;

pub use motion::{Momentum, Velocity};
pub use settings::{Drive, Mount, Push, Settings};
pub use sight::Seen;
pub use world::World;
