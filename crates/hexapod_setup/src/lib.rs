#![doc = include_str!("../README.md")]

mod error;
mod files;
mod forward;
pub mod frames;
mod gaits;
mod meshes;
mod motions;
mod overrides;
pub mod params;
mod robot;
mod servos;
mod written;

pub use error::SetupError;
pub use files::Files;
pub use frames::Frames;
pub use gaits::Gaits;
pub use motions::Motions;
pub use robot::Description;
pub use servos::{Servos, check_servos, read_servos, servos_text, simulated_servos};
