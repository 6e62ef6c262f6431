#![doc = include_str!("../README.md")]

pub mod arc;
mod balance;
mod engine;
mod gait;
mod joints;
pub mod limits;
mod mass;
pub mod motion;
mod packed;
mod path;
mod placing;
mod plan;
mod posture;
mod ramp;
mod room;
mod sizing;
mod stance;
mod state;
mod steer;
mod support;
mod swing;
mod tick;
mod twist;
mod usable;
mod walk;

pub use balance::{Balance, Standing};
pub use engine::{Engine, Snapshot};
pub use gait::{Gait, GaitError, GaitSpec, LegPhase, LegPlace, Pattern};
pub use limits::{LimitedBy, TwistLimits};
pub use posture::BodyOffset;
pub use sizing::StanceWish;
pub use stance::{Stance, StanceError, StanceSpec, leg_places};
pub use support::SupportPolygon;
pub use swing::{SwingProfile, minimum_jerk};
pub use tick::{GaitState, Input, Settings, Tick};
pub use twist::{Motion, Twist};
