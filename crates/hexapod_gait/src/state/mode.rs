//! What the robot is doing, as the planner decides it.

use crate::gait::posture::MinimumJerk;
use crate::state::tick::GaitState;
use hexapod_kinematics::LegAngles;

/// What the robot does. A new mode needs a line in [`Mode::state`], one in `Planner::next_mode` (when it ends) and
/// one in `Path::advance` (what moves).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Sitting,
    /// Holding a pose that was not planned, with the body off the ground.
    UnplannedPose,
    /// Bringing one leg after another to its place, through a lifted pose.
    Sequencing(LegSequence),
    Rising(MinimumJerk),
    Standing,
    Walking,
    Stopping(Stopping),
    Lowering(MinimumJerk),
    /// Down to the sitting pose through joint space, the feet wherever that takes them: where there is no other way.
    Sinking(MinimumJerk),
}

/// How a leg is brought to its place: lifted where it is, carried over, put down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LegSequence {
    pub leg: usize,
    pub stage: LegStage,
    pub from: LegAngles,
    pub to: LegAngles,
    pub profile: MinimumJerk,
    /// Legs that have been placed, one bit each.
    pub placed: u32,
    pub goal: Goal,
}

/// What legs are brought to their places for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// To stand on them.
    Stand,
    /// To sit as soon as the leg in the air is down: no other is lifted.
    Sit,
    /// To stay where they are as soon as the leg in the air is down.
    Stay,
    /// To fold them, one after another.
    Pack,
    /// To be on the ground again, where a stop found no way on: only those in the air.
    Land(Then),
}

impl LegSequence {
    /// The same stage of the same leg, for another goal.
    pub(crate) fn to_goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// Turns the leg's joints to where they are now.
    pub(crate) fn turn(&self, angles: &mut LegAngles) {
        let fraction = self.profile.fraction();
        for (angle, (from, to)) in angles.iter_mut().zip(self.from.iter().zip(self.to.iter())) {
            // Rounding must not carry it beyond a limit at either end.
            *angle = (from + (to - from) * fraction).max(from.min(*to)).min(from.max(*to));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegStage {
    Lifting,
    Carrying,
    Putting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopping {
    pub then: Then,
    /// The feet, one bit each, that stand where the body cannot come down between them: they are put back first.
    pub centring: u32,
    pub since_ns: u64,
}

/// What follows when a robot has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// It stands as it has come to rest.
    Stand,
    /// It puts its feet where they rest in the stance, and stands.
    GoHome,
    Sit,
}

/// How many times as fast the body goes back over its feet to sit down.
const SIT_SPEED_SCALE: f64 = 2.0;

impl Stopping {
    pub(crate) fn now(since_ns: u64) -> Self {
        Self { then: Then::Stand, centring: 0, since_ns }
    }

    /// The same stop, for something else to follow.
    pub(crate) fn to(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

impl Mode {
    pub(crate) fn state(&self) -> GaitState {
        match self {
            Self::Sitting => GaitState::Sitting,
            Self::Standing | Self::UnplannedPose => GaitState::Standing,
            Self::Walking => GaitState::Walking,
            Self::Stopping(_) => GaitState::Stopping,
            Self::Sequencing(_) | Self::Rising(_) | Self::Lowering(_) | Self::Sinking(_) => GaitState::Playing,
        }
    }

    /// Whether where the feet are follows from the joints: in a pose that was not planned, or on the way down through
    /// joint space.
    pub(crate) fn feet_follow_joints(&self) -> bool {
        matches!(self, Self::UnplannedPose) || self.is_coming_down()
    }

    /// Whether where the joints are follows from the feet.
    #[inline]
    pub(crate) fn joints_follow_feet(&self) -> bool {
        !matches!(self, Self::Sequencing(_) | Self::Sitting | Self::UnplannedPose | Self::Sinking(_))
    }

    /// Whether the robot is on its way down through joint space.
    pub(crate) fn is_coming_down(&self) -> bool {
        matches!(self, Self::Sinking(_) | Self::Sequencing(LegSequence { goal: Goal::Land(_), .. }))
    }

    pub(crate) fn steps(&self) -> bool {
        matches!(self, Self::Walking | Self::Stopping(_))
    }

    /// How many times as fast as else the body moves: whoever waits for a robot to sit waits to let its servos go.
    pub(crate) fn speed_scale(&self) -> f64 {
        if matches!(self, Self::Stopping(Stopping { then: Then::Sit, .. })) { SIT_SPEED_SCALE } else { 1.0 }
    }
}
