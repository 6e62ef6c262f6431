//! What the stages of a plan read beside the robot's state.

use crate::gait::Gait;
use crate::plane::limits::TwistLimits;
use crate::plant::Plant;

/// The robot, and what holds from one point of the grid to the next.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub plant: &'a Plant,
    /// The gait that is walked.
    pub gait: &'a Gait,
    /// Bounds of the twist with this gait.
    pub limits: &'a TwistLimits,
    /// Lift of a swinging foot, m.
    pub step_height: f64,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::plane::limits::tests::LIMITS;

    pub(crate) fn context<'a>((plant, gait): &'a (Plant, Gait)) -> Context<'a> {
        Context { plant, gait, limits: &LIMITS, step_height: 0.03 }
    }
}
