#![doc = include_str!("../README.md")]

mod binding;
mod blame;
mod config_file;
mod files;
mod forward;
pub mod frames;
mod gaits;
mod idle_defaults;
mod kind;
mod layout;
mod limitless;
mod meshes;
mod mimics;
mod motions;
mod names;
mod origin;
mod overrides;
mod own_servos;
pub mod params;
pub mod planner;
mod plausible;
mod reach;
mod rehearsal;
mod robot;
mod serial;
mod servos;
mod simulated_servos;
mod stuck;
mod threads;
mod touch;
mod unfit;
mod upright;
mod walker;
mod written;

pub use config_file::ConfigFile;
pub use files::{CONFIG_FILES, Files, JOYSTICK_FILE};
pub use frames::Frames;
pub use gaits::Gaits;
pub use motions::Motions;
pub use own_servos::{MEASURED_PULSES, MEASURED_STEPS, own_servos};
pub use reach::{check_reach, check_serial_reach};
pub use robot::Description;
pub use serial::read_serial;
pub use servos::{
    Servos, check_servos, check_servos_alone, motors, outranked_defaults, raw_servos, read_servo2040, read_servos,
    simulated_servos,
};
pub use simulated_servos::servos_text;
pub use walker::Walker;
