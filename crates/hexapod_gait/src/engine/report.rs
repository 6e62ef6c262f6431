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
    let feet_follow_joints = state.mode.feet_follow_joints();
    let count = plant.legs().len().min(MAX_LEGS);
    for index in 0..count {
        tick.velocities[index] = state.angles[index].rate_from(&tick.angles[index], rate);
    }
    for index in 0..count {
        let foot = &state.walk.feet[index];
        let is_packed = state.packed & (1 << index) != 0;
        tick.contacts[index] = foot.is_planted() && !is_packed;
        tick.feet[index] = if is_packed || feet_follow_joints || matches!(foot, Foot::Missing) {
            let in_body = plant.legs().get(index).map(|leg| leg.foot_in_body(&state.angles[index]));
            footprint_from_body.transform_point(&in_body.unwrap_or_default().into()).coords
        } else {
            state.correction.over(index, foot.position())
        };
    }
    if let Mode::Sequencing(sequence) = state.mode
        && let Some(contact) = tick.contacts.get_mut(sequence.leg)
    {
        *contact = false;
    }
    tick.angles = state.angles;
    tick.footprint_from_body = footprint_from_body;
    tick.twist = travel.twist();
    tick.limited_by = travel.by;
    tick.phase = state.walk.phase;
    tick.taken_s = dt;
    tick.state = state.mode.state();
}
