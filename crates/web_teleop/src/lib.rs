#![doc = include_str!("../README.md")]

mod bridge;
mod calls;
mod clients;
mod definitions;
mod description;
pub mod drive_lease;
mod elevation;
mod fleet;
pub mod gate;
mod heard;
mod input;
pub mod intents;
pub mod invitation;
mod listening;
mod node;
mod out;
mod params;
pub mod protocol;
mod publishers;
mod recording;
mod report;
mod server;
mod state_age;
mod stops;
mod subscriptions;
mod teller;
mod tls;
pub mod visit;

pub use node::{RunError, run};
pub use params::{NAME, Setup, specs};
pub use server::is_page_built;
pub use tls::Tls;
