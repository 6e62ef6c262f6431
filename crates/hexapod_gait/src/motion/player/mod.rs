//! The player: a walking engine that plays motions while it stands.

mod course;
mod down;
mod requests;
mod state;
mod step;
mod tick;

pub use state::{Dropped, Player};
pub use tick::LONGEST_REWIND_S;
