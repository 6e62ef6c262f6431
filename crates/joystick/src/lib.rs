#![doc = include_str!("../README.md")]

mod action;
mod buttons;
mod node;
mod params;

pub use action::Action;
pub use buttons::{Buttons, SILENCE};
pub use node::{RunError, run};
pub use params::{NAME, Setup, specs};
