//! A stop that finds no way on for its feet ends all the same: feet in the air are put down one by one, the others stand
//! still meanwhile; then the robot stands, or its body comes down between its feet.

use crate::plan::sequence::descent::lower_as_found;
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::{Goal, LegSequence, LegStage, Mode, Stopping, Then};
use crate::state::rates::BodyRates;
use crate::state::walk::Foot;
use hexapod_kinematics::Effort;

/// Puts down a foot in the air, or else sits down or stands as the robot has come to rest.
pub(crate) fn come_down(plant: &Plant, start: &State, then: Then, effort: &mut Effort) -> State {
    let BodyRates { offset, sway, .. } = start.rates;
    let resting = State { rates: BodyRates { offset, sway, ..BodyRates::REST }, ..*start };
    let in_the_air = |foot: &Foot| matches!(foot, Foot::Swinging { .. } | Foot::Probing { .. });
    match resting.walk.feet().iter().position(in_the_air) {
        Some(leg) => resting.in_mode(put_below(plant, start, leg, then, effort)),
        None if then == Then::Sit => lower_as_found(plant, &resting),
        None => resting.in_mode(Mode::Stopping(Stopping::now(start.ns))),
    }
}

/// Brings a foot to the ground straight below it, or as far as its leg goes.
fn put_below(plant: &Plant, start: &State, leg: usize, then: Then, effort: &mut Effort) -> Mode {
    let from = start.angles_of(leg);
    let below = start.walk.foot(leg).position().xy().push(0.0);
    let in_body = start.footprint_from_body().inverse_transform_point(&below.into()).coords;
    let reached = plant.inverse(leg, &in_body, &from, effort);
    let to = reached.or_else(|| Some(plant.legs().get(leg)?.approach(&in_body, &from, effort).angles));
    let to = to.unwrap_or(from);
    let profile = plant.leg_profile(leg, &from, &to);
    Mode::Sequencing(LegSequence {
        leg,
        stage: LegStage::Putting,
        from,
        to,
        profile,
        placed: 0,
        goal: Goal::Land(then),
    })
}

/// What follows when such a foot is down.
pub(super) fn landed(plant: &Plant, start: &State, leg: usize, then: Then, effort: &mut Effort) -> State {
    let mut next = *start;
    if let (Some(solver), Some(foot)) = (plant.legs().get(leg), next.walk.feet.get_mut(leg)) {
        let in_body = solver.foot_in_body(&start.angles_of(leg));
        *foot = Foot::Planted { at: start.footprint_from_body().transform_point(&in_body.into()).coords };
    }
    come_down(plant, &next, then, effort)
}
