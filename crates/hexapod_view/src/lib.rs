#![doc = include_str!("../README.md")]

mod action;
mod decode;
mod draw;
mod footfalls;
mod format;
mod keyboard;
mod keys;
mod page;
mod run;
mod snapshot;
mod status;
mod teleop;
mod terminal;

pub use action::Action;
pub use draw::{MIN_HEIGHT, MIN_WIDTH, draw};
pub use footfalls::Footfalls;
pub use hexapod_page::{Page, Tone};
pub use page::{PageKey, draw_page, run_page};
pub use run::run_loop;
pub use snapshot::{LegView, Level, Snapshot};
pub use status::status_line;
pub use teleop::{FIRST_HOLD, REPEAT_HOLD, SILENT_HOLD, Teleop};
pub use terminal::{TerminalGuard, is_terminal};
