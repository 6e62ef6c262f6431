//! The calibration as a dialogue: keys and time in, the pulse of one servo out.

mod answers;
mod bounds;
mod keys;
mod start;
mod state;
mod terms;

pub use state::Dialogue;
pub use terms::{Commanded, DialogueError, Key, Mode, Outcome, Pace, Stage};
