#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod engine;
mod gait;
mod measure;
pub mod motion;
mod path;
mod plan;
mod plane;
mod plant;
mod state;

pub use plane::{arc, limits};

pub use engine::{Engine, Snapshot};
pub use gait::auto_pose::{AutoPose, Wave};
pub use gait::posture::BodyOffset;
pub use gait::rough::{RoughLevel, RoughLevels, Roughness};
pub use gait::sides::leg_places;
pub use gait::swing::{SwingProfile, minimum_jerk};
pub use gait::{Gait, GaitError, GaitSpec, LegPhase, LegPlace, Pattern};
pub use measure::balance::{Balance, Standing};
pub use measure::demand::{Demand, JointDemand};
pub use measure::ending::Ending;
pub use plane::barred_way::BarredWay;
pub use plane::limits::{LimitedBy, TwistLimits};
pub use plane::reach::Reach;
pub use plane::size::size_of;
pub use plane::support::SupportPolygon;
pub use plane::twist::{Displacement, Twist};
pub use plant::apart::Shortened;
pub use plant::settings::{LegClearance, Settings, StanceSpec};
pub use plant::sizing::StanceWish;
pub use plant::stance::{Stance, StanceError};
pub use state::allowance::Work;
pub use state::foothold::{Foothold, NextStep};
pub use state::tick::{GaitState, Input, Tick};
