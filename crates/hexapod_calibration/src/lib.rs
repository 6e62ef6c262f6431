#![doc = include_str!("../README.md")]

mod asked;
mod braille;
mod by_hand;
mod degrees;
mod dialogue;
mod finding;
mod mover;
mod page;
mod picture;
mod progress;
mod travel;
mod view;

pub use by_hand::{ByHand, Steps, Zero};
pub use dialogue::{Commanded, Dialogue, DialogueError, Key, Mode, Outcome, Pace, Stage};
pub use finding::{Finding, Mark};
pub use mover::{SILENCE, STEP_DEG};
pub use page::{Page, Tone};
pub use picture::{Drawing, draw_joint};
pub use progress::{Progress, ProgressError};
