//! What goes into a tick and what comes of it.

use crate::gait::posture::BodyOffset;
use crate::plane::limits::LimitedBy;
use crate::plane::twist::Twist;
use crate::state::foothold::Foothold;
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::{Isometry3, Vector3};

/// What the robot is doing, as published on `gait_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaitState {
    /// On its belly.
    Sitting,
    /// On its feet, not walking.
    Standing,
    /// Following a twist.
    Walking,
    /// Slowing down and planting its feet.
    Stopping,
    /// In a transition, as standing up is.
    Playing,
}

impl GaitState {
    /// The state's name on the topic.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sitting => "sitting",
            Self::Standing => "standing",
            Self::Walking => "walking",
            Self::Stopping => "stopping",
            Self::Playing => "playing",
        }
    }
}

/// Commands as they stand at a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// The twist wanted now; zero when there is no fresh command.
    pub twist: Twist,
    /// Where the body is wanted over its feet.
    pub body_offset: BodyOffset,
    /// What each foot feels, where it feels anything: `Some(true)` plants a foot that is on its way down at once,
    /// `Some(false)` lets one go on down at the end of its swing.
    pub contacts: [Option<bool>; MAX_LEGS],
    /// How late a foot tells that it has met the ground, s: it is taken to stand where it was then.
    pub contacts_late: f64,
    /// The direction up in the body's frame, of any length, as an IMU tells it: a body that walks is kept level by it, where
    /// the ground is level on the whole. Without, it goes along the ground that its feet have met.
    pub up: Option<Vector3<f64>>,
    /// Where feet in the air, and those lifted next, are to be put down: as near to it as they reach. A planner of footholds
    /// renews them as the body moves.
    pub footholds: [Option<Foothold>; MAX_LEGS],
}

/// What comes of a tick.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// What the robot is doing.
    pub state: GaitState,
    /// Angles of each leg's joints, rad.
    pub angles: [LegAngles; MAX_LEGS],
    /// Their velocities over the tick, rad/s.
    pub velocities: [LegAngles; MAX_LEGS],
    /// Which feet are on the ground, as planned.
    pub contacts: [bool; MAX_LEGS],
    /// Feet in the footprint frame, m.
    pub feet: [Vector3<f64>; MAX_LEGS],
    /// The body's pose in the footprint frame.
    pub footprint_from_body: Isometry3<f64>,
    /// The twist walked in this tick.
    pub twist: Twist,
    /// What held the command back.
    pub limited_by: LimitedBy,
    /// The gait's phase, in [0, 1).
    pub phase: f64,
    /// The time that it took, s: what it was to take, but at most a tenth of a second.
    pub taken_s: f64,
}

impl Tick {
    /// The tick of a robot that sits at `angles` and has not moved yet.
    pub(crate) fn blank(angles: [LegAngles; MAX_LEGS]) -> Self {
        Self {
            state: GaitState::Sitting,
            angles,
            velocities: [LegAngles::zeros(0); MAX_LEGS],
            contacts: [false; MAX_LEGS],
            feet: [Vector3::zeros(); MAX_LEGS],
            footprint_from_body: Isometry3::identity(),
            twist: Twist::ZERO,
            limited_by: LimitedBy::Nothing,
            phase: 0.0,
            taken_s: 0.0,
        }
    }
}
