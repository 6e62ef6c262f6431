#![doc = include_str!("../README.md")]

mod action;
mod decode;
mod draw;
mod footfalls;
mod format;
mod freshness;
mod keyboard;
mod keys;
mod menu;
mod page;
mod run;
mod snapshot;
mod status;
mod stop_alarm;
mod teleop;
mod terminal;

pub use action::Action;
pub use draw::{MIN_HEIGHT, MIN_WIDTH, draw};
pub use footfalls::Footfalls;
pub use freshness::Freshness;
pub use hexapod_calibration::{Page, Tone};
pub use page::{PageKey, draw_page, run_page};
pub use run::run_loop;
pub use snapshot::{FootLoad, LegView, Level, LoadSource, Snapshot, Truth};
pub use status::status_line;
pub use stop_alarm::StopAlarm;
pub use teleop::{FIRST_HOLD, REPEAT_HOLD, SILENT_HOLD, Teleop};
pub use terminal::{TerminalGuard, is_terminal};
