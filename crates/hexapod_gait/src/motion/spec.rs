//! Motions as data: an entry of `config/motions.yaml` laid out for a robot's legs.

use super::track::Blend;
use crate::gait::swing::SwingProfile;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A motion as written in `config/motions.yaml`: frames, or a walk, or a turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a motion such as {frames: [...]} or {walk: {...}}")]
pub struct MotionSpec {
    /// What to say of it to whoever chooses a motion.
    #[serde(default)]
    pub about: String,
    /// Seconds after which a repeated motion ends with the cycle it is in; below 0: never. Without it the frames are
    /// played once.
    #[serde(default)]
    pub total_time: Option<f64>,
    /// How the way from frame to frame is gone.
    #[serde(default)]
    pub blend: Blend,
    /// Poses of the body and the feet, or joint angles, one after the other.
    #[serde(default)]
    pub frames: Vec<FrameSpec>,
    /// Steps straight ahead, or aside.
    #[serde(default)]
    pub walk: Option<WalkSpec>,
    /// Steps about the body's centre.
    #[serde(default)]
    pub turn: Option<TurnSpec>,
}

/// One frame. What it leaves out stays as it was in the frame before, and as when standing in the first.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a frame such as {time: 0.5, body: {z: 0.01}}")]
pub struct FrameSpec {
    /// Seconds from the frame before; for the first frame of a repeated motion from the last.
    #[serde(default)]
    pub time: Option<f64>,
    /// The body against its standing pose.
    #[serde(default)]
    pub body: BodySpec,
    /// Feet against their resting places, by leg or by place.
    #[serde(default)]
    pub feet: BTreeMap<String, FootSpec>,
    /// Angles by joint, rad.
    #[serde(default)]
    pub joints: BTreeMap<String, f64>,
}

/// The body against its standing pose: m and rad.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an offset such as {z: 0.01, pitch: 0.1}")]
#[allow(missing_docs, reason = "the axes of REP-103")]
pub struct BodySpec {
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub z: Option<f64>,
    pub roll: Option<f64>,
    pub pitch: Option<f64>,
    pub yaw: Option<f64>,
}

/// A foot against its resting place on the ground, m.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an offset such as {x: 0.02, z: 0.03}")]
#[allow(missing_docs, reason = "the axes of REP-103")]
pub struct FootSpec {
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub z: Option<f64>,
}

/// A straight walk.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a walk such as {x: 0.05, step_height: 0.03, cycle_time: 1.0}")]
pub struct WalkSpec {
    /// m/s forward.
    #[serde(default)]
    pub x: f64,
    /// m/s to the left.
    #[serde(default)]
    pub y: f64,
    /// Lift of a swinging foot, m.
    pub step_height: f64,
    /// Seconds of a cycle.
    pub cycle_time: f64,
    /// Shape of the swing.
    #[serde(default)]
    pub swing: SwingProfile,
}

/// A turn on the spot.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a turn such as {angular_velocity: 0.3, step_height: 0.03, cycle_time: 1.0}")]
pub struct TurnSpec {
    /// rad/s, positive to the left.
    pub angular_velocity: f64,
    /// Lift of a swinging foot, m.
    pub step_height: f64,
    /// Seconds of a cycle.
    pub cycle_time: f64,
    /// Shape of the swing.
    #[serde(default)]
    pub swing: SwingProfile,
}

/// What is wrong with a motion; `key` says where below the motion's name, empty for the whole of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct SpecError {
    /// Key below the motion, as in `frames[2].feet.front`.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

impl SpecError {
    pub(super) fn new(key: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into(), help: help.into() }
    }
}

impl MotionSpec {
    /// The same for a robot `times` as large.
    #[must_use]
    pub fn enlarged(mut self, times: f64) -> Self {
        let enlarge =
            |lengths: [&mut Option<f64>; 3]| lengths.into_iter().flatten().for_each(|length| *length *= times);
        for FrameSpec { body, feet, .. } in &mut self.frames {
            enlarge([&mut body.x, &mut body.y, &mut body.z]);
            feet.values_mut().for_each(|foot| enlarge([&mut foot.x, &mut foot.y, &mut foot.z]));
        }
        if let Some(WalkSpec { x, y, step_height, .. }) = &mut self.walk {
            (*x, *y, *step_height) = (*x * times, *y * times, *step_height * times);
        }
        self.turn.iter_mut().for_each(|turn| turn.step_height *= times);
        self
    }
}

impl FrameSpec {
    pub(super) fn is_of_joints_only(&self) -> bool {
        let BodySpec { x, y, z, roll, pitch, yaw } = self.body;
        self.feet.is_empty() && [x, y, z, roll, pitch, yaw].iter().all(Option::is_none)
    }
}

impl BodySpec {
    pub(super) fn write(&self, body: &mut [f64; 6]) {
        let Self { x, y, z, roll, pitch, yaw } = *self;
        for (value, given) in body.iter_mut().zip([x, y, z, roll, pitch, yaw]) {
            *value = given.unwrap_or(*value);
        }
    }
}
