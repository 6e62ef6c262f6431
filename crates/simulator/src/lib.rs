#![doc = include_str!("../README.md")]

mod messages;
mod node;
mod params;
mod plant;
mod publish;
mod sensors;
mod setup;
mod terrain;

pub use hexapod_sim::TERRAINS;
pub use node::{RunError, run};
pub use params::{NAME, specs};
pub use setup::Setup;
