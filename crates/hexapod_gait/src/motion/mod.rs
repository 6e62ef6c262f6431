//! Motions and the motion job: what the robot plays while it stands.
//!
//! A [`Motion`] gives, for a time inside its cycle, a target for all legs: feet and body, or joint angles. The [`Job`]
//! runs one and keeps one for later. The [`Player`] puts both over an [`Engine`](crate::Engine), with the way from
//! standing to a motion's start and back again. [`check()`] says beforehand whether a robot can play a motion at all.

mod check;
mod ground;
mod job;
mod kinds;
mod layout;
mod player;
mod spec;
mod stepping;
mod track;
mod transition;

pub use crate::plant::settings::LegClearance;
pub use crate::state::pose::{Home, Pose, Target};
pub use check::{LEAST_MARGIN_M, Refusal, When, check};
pub use job::{Job, Step};
pub use kinds::{Motion, MotionError};
pub(crate) use player::LONGEST_REWIND_S;
pub use player::{Dropped, Player};
pub use spec::{MotionSpec, SpecError};
pub use stepping::Steps;
pub use track::Blend;
pub(crate) use transition::longest_way_home;
