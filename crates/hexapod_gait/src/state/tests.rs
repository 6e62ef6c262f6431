//! The shipped robot in a state of one's choice, for stages to be tried alone.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::gait::sides::leg_places;
use crate::gait::{Gait, GaitSpec};
use crate::plane::limits::tests::LIMITS;
use crate::plant::Plant;
use crate::plant::settings::Settings;
use crate::plant::settings::StanceSpec;
use crate::plant::stance::Stance;
use crate::state::State;
use crate::state::mode::Mode;
use hexapod_kinematics::{IterationBudget, Robot};
use std::sync::Arc;

/// The shipped robot and its tripod, for stages to be tried alone.
pub(crate) fn shipped() -> (Plant, Gait) {
    let robot = Arc::new(Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap());
    let stance = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
    let gait = Gait::try_new(&GaitSpec::default(), &leg_places(&robot)).unwrap();
    let settings = Settings {
        stance,
        step_height: 0.03,
        limits: LIMITS,
        stand_time: 1.5,
        sit_time: 0.8,
        leg_clearance: crate::plant::settings::LegClearance::default(),
    };
    let stance = Stance::new(&robot, stance).unwrap();
    (Plant::new(robot, &settings, stance), gait)
}

/// The robot in this mode, on feet at rest.
pub(crate) fn on_its_feet((plant, gait): &(Plant, Gait), mode: Mode) -> State {
    let mut state = State::sitting(plant, gait.cycle_time());
    (state.mode, state.height) = (mode, plant.stance.own_spec().height);
    bent(plant, state)
}

/// The same with its legs bent as body and feet ask for.
pub(crate) fn bent(plant: &Plant, mut state: State) -> State {
    let body_from_footprint = state.footprint_from_body().inverse();
    for leg in 0..plant.legs().len() {
        let foot = body_from_footprint.transform_point(&state.walk.foot(leg).position().into()).coords;
        state.angles[leg] = plant.inverse(leg, &foot, &state.angles[leg], &mut IterationBudget::new(100)).unwrap();
    }
    state
}
