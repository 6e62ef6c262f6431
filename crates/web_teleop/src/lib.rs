#![doc = include_str!("../README.md")]

mod calls;
mod definitions;
mod desk;
mod ears;
pub mod gate;
mod guests;
mod hands;
mod heard;
pub mod helm;
mod input;
pub mod intents;
pub mod invitation;
mod listening;
mod node;
mod out;
mod params;
pub mod protocol;
mod recording;
mod report;
mod server;
mod shelf;
mod sight;
mod stops;
mod teller;
mod tls;
pub mod visit;

pub use node::{RunError, run};
pub use params::{NAME, Setup, specs};
pub use tls::Tls;
