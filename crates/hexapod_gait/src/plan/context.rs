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
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
pub(crate) mod tests {
    use super::*;
    use crate::gait::GaitSpec;
    use crate::plane::limits::tests::LIMITS;
    use crate::plant::settings::Settings;
    use crate::plant::stance::{Stance, StanceSpec, leg_places};
    use crate::state::State;
    use crate::state::mode::Mode;
    use hexapod_kinematics::{Effort, Robot};
    use nalgebra::Vector3;
    use std::sync::Arc;

    /// The shipped robot and its tripod, for stages to be tried alone.
    pub(crate) fn shipped() -> (Plant, Gait) {
        let robot = Arc::new(Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap());
        let stance = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
        let gait = Gait::try_new(&GaitSpec::default(), &leg_places(&robot)).unwrap();
        let settings = Settings { stance, step_height: 0.03, limits: LIMITS, stand_time: 1.5, sit_time: 0.8 };
        let stance = Stance::new(&robot, stance).unwrap();
        (Plant::new(robot, &settings, stance), gait)
    }

    pub(crate) fn context<'a>((plant, gait): &'a (Plant, Gait)) -> Context<'a> {
        Context { plant, gait, limits: &LIMITS, step_height: 0.03 }
    }

    /// The robot in this mode, on feet at rest.
    pub(crate) fn on_its_feet((plant, gait): &(Plant, Gait), mode: Mode) -> State {
        let mut state = State::sitting(plant, gait.cycle_time());
        (state.mode, state.height) = (mode, plant.stance.spec().height);
        for (leg, rest) in plant.stance.rest().iter().enumerate() {
            let foot = Vector3::new(rest.x, rest.y, -state.height);
            state.angles[leg] = plant.inverse(leg, &foot, &state.angles[leg], &mut Effort::new(100)).unwrap();
        }
        state
    }
}
