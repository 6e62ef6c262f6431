#![doc = include_str!("../README.md")]

mod buttons;
mod deed;
mod node;
mod params;

pub use buttons::{Buttons, SILENCE};
pub use deed::Deed;
pub use node::{RunError, run};
pub use params::{NAME, Setup, specs};
