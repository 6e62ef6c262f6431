//! A state of the robot as the tick that tells of it.

use crate::plant::Plant;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use crate::state::segment::Travel;
use crate::state::tick::Tick;
use hexapod_kinematics::MAX_LEGS;

/// Takes down a state to which the robot has come by `travel` in `dt` seconds; `tick` is still the one before.
pub(crate) fn report(plant: &Plant, tick: &mut Tick, state: &State, travel: &Travel, dt: f64) {
    let footprint_from_body = state.footprint_from_body();
    let rate = if dt > 0.0 { 1.0 / dt } else { 0.0 };
    let is_of_joints = state.mode.is_of_joints();
    for (index, leg) in plant.legs().iter().enumerate().take(MAX_LEGS) {
        let now = &state.angles[index];
        tick.velocities[index] = now.rate_from(&tick.angles[index], rate);
        let foot = &state.walk.feet[index];
        let is_packed = state.packed & (1 << index) != 0;
        tick.contacts[index] = match state.mode {
            Mode::Sequencing(sequence) if sequence.leg == index => false,
            _ => foot.is_planted() && !is_packed,
        };
        tick.feet[index] = match foot {
            _ if is_packed || *foot == Foot::Missing || is_of_joints => {
                let in_body = leg.foot_in_body(now);
                footprint_from_body.transform_point(&in_body.into()).coords
            }
            _ => state.held(index),
        };
    }
    tick.angles = state.angles;
    tick.footprint_from_body = footprint_from_body;
    tick.twist = travel.twist();
    tick.limited_by = travel.by;
    tick.phase = state.walk.phase;
    tick.state = state.mode.state();
}
