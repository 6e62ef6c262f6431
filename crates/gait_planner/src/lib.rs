#![doc = include_str!("../README.md")]

pub mod command;
mod control;
pub mod core;
mod fault;
mod inbox;
mod intake;
pub mod life;
mod lookout;
mod markers;
mod outbox;
mod params;
mod progress;
mod publish;
mod pulse;
mod reach;
mod requests;
mod run;
mod services;
mod setup;
mod status;
mod subscriptions;
mod trajectory;
pub mod walked;

pub use params::specs;
pub use reach::check as check_reach;
pub use run::run;
pub use setup::Setup;

/// Name of the node.
pub const NAME: &str = "gait_planner";
