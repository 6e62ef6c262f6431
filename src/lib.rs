//! What the executables share: one node in a process, or all of them composed in one.

pub mod agreement;
pub mod bag;
pub mod calibrate;
pub mod check;
pub mod cli;
pub mod commands;
pub mod composed;
pub mod config;
pub mod demo;
pub mod drive;
pub mod exit;
pub mod guard;
pub mod identify;
mod loads;
pub mod lookout;
pub mod new;
pub mod parameters;
pub mod patience;
pub mod plot;
pub mod servo;
pub mod setups;
pub mod sim;
pub mod standalone;
mod strength;
pub mod trace;
pub mod watch;
