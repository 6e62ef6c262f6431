#![doc = include_str!("../README.md")]

mod error;
mod files;
pub mod frames;
mod gaits;
mod meshes;
mod motions;
mod overrides;
pub mod params;
mod robot;
mod servos;

pub use error::SetupError;
pub use files::{CONFIG_FILES, ConfigFile, Files};
pub use frames::Frames;
pub use gaits::Gaits;
pub use motions::Motions;
pub use robot::Description;
pub use servos::{Servos, check_servos, raw_servos, read_servos, simulated_servos};
