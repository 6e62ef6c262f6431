#![doc = include_str!("../README.md")]

mod brown_out;
mod disturbances;
mod ground;
mod lockstep;
mod messages;
mod node;
mod pace;
mod params;
mod plant;
mod publish;
mod run;
mod sensors;
mod setup;
mod terrain;

pub use brown_out::why_it_gave_way;
pub use disturbances::{Disturbances, Misfortunes};
pub use ground::{idle_on, is_picture};
pub use hexapod_sim::{FallWatch, FootSwitches, Imu, PointSensor, Simulator, TERRAINS, World, lean};
pub use node::{RunError, run};
pub use params::{NAME, specs};
pub use plant::Plant;
pub use run::Closing;
pub use setup::Setup;
