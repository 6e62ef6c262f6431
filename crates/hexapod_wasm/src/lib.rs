#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod border;
mod description;
mod hexapod;
mod info;
mod layout;
mod state;

pub use description::Description;
pub use hexapod::Hexapod;
pub use info::{problems, text as info};
pub use state::State;
