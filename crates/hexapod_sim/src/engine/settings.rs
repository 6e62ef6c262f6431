//! How the engine steps, how the robot hangs in the world, what drives a hinge, and what pushes the robot.

use nalgebra::{Isometry3, Vector3};

/// How the engine steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Length of a step, s.
    pub step_s: f64,
    /// Parts of a step that are integrated one after another, each with contacts and torques of its own. A step is what
    /// can be seen from outside: boards, commands and sensors know of its end alone.
    pub substeps: usize,
    /// Sweeps over the contacts in each of them, with friction and without.
    pub sweeps: usize,
    /// Acceleration of free fall, m/s², downwards.
    pub gravity: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { step_s: 0.005, substeps: 1, sweeps: 4, gravity: 9.806_65 }
    }
}

impl Settings {
    /// Parts of a step: one at least.
    pub(crate) fn parts(&self) -> usize {
        self.substeps.max(1)
    }

    /// Length of a part of a step, s.
    pub fn part_s(&self) -> f64 {
        self.step_s / self.parts() as f64
    }
}

/// How the base hangs in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mount {
    /// It moves; its pose at the start.
    Free(Isometry3<f64>),
    /// It is held at a pose, as on a stand.
    Fixed(Isometry3<f64>),
}

impl Mount {
    pub(super) fn pose(&self) -> &Isometry3<f64> {
        match self {
            Self::Free(pose) | Self::Fixed(pose) => pose,
        }
    }
}

/// What acts on a hinge in a step: `torque - stiffness * (position - rest) - damping * speed`, N m (N where it slides),
/// and dry friction against it. Stiffness and damping are integrated implicitly: no values are too great for the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// Torque that does not depend on the position.
    pub torque: f64,
    /// N m/rad, not negative.
    pub stiffness: f64,
    /// Position at which the spring is slack.
    pub rest: f64,
    /// N m s/rad, not negative.
    pub damping: f64,
    /// Greatest torque of dry friction.
    pub friction: f64,
}

/// A force on a part for a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The part; 0 is the base.
    pub part: usize,
    /// Where the force acts, in the part's frame, m.
    pub point: Vector3<f64>,
    /// In the world's axes, N.
    pub force: Vector3<f64>,
    /// For how long, s.
    pub seconds: f64,
}
