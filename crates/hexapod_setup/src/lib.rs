#![doc = include_str!("../README.md")]

mod blame;
mod config_file;
mod files;
mod forward;
pub mod frames;
mod gaits;
mod kind;
mod layout;
mod limitless;
mod meshes;
mod motions;
mod origin;
mod overrides;
pub mod params;
pub mod planner;
mod plausible;
mod reach;
mod rehearsal;
mod robot;
mod servos;
mod simulated_servos;
mod stuck;
mod unfit;
mod upright;
mod walker;
mod written;

pub use config_file::ConfigFile;
pub use files::{CONFIG_FILES, Files, JOYSTICK_FILE};
pub use frames::Frames;
pub use gaits::Gaits;
pub use motions::Motions;
pub use reach::check_reach;
pub use robot::Description;
pub use servos::{Servos, check_servos, check_servos_alone, raw_servos, read_servos, simulated_servos};
pub use simulated_servos::servos_text;
pub use walker::Walker;
