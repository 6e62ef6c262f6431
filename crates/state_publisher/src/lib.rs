#![doc = include_str!("../README.md")]

mod contacts;
mod joints;
mod links;
mod messages;
mod node;
mod report;
mod setup;
mod state;
mod tf;
mod turn;

pub use node::{RunError, run};
pub use setup::{NAME, Setup, specs};
