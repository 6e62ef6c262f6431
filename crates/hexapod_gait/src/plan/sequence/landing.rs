//! A stop that finds no way on for its feet ends all the same: feet in the air are put down one by one, the others stand
//! still meanwhile; then the robot stands, or its body comes down between its feet.

use crate::path::barred::Barred;
use crate::path::descent::lower_as_found;
use crate::plan::control::Control;
use crate::plane::ramp::Ramp;
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::{Goal, LegSequence, LegStage, Mode, Stopping, Then};
use crate::state::walk::Foot;
use hexapod_kinematics::Effort;

/// Puts down a foot in the air, or else sits down or stands as the robot has come to rest.
pub(crate) fn come_down(
    plant: &Plant,
    control: &mut Control,
    start: &mut State,
    then: Then,
    effort: &mut Effort,
) -> Mode {
    control.ramp = Ramp::REST;
    control.barred = Barred::default();
    (start.height_rate, start.level_rate) = (0.0, 0.0);
    let in_the_air = |foot: &Foot| matches!(foot, Foot::Swinging { .. } | Foot::Probing { .. });
    match start.walk.feet().iter().position(in_the_air) {
        Some(leg) => put_below(plant, start, leg, then, effort),
        None if then == Then::Sit => lower_as_found(plant, start),
        None => Mode::Stopping(Stopping::now(start.ns)),
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
    let part = plant.leg_profile(leg, &from, &to);
    Mode::Sequencing(LegSequence { leg, stage: LegStage::Putting, from, to, part, placed: 0, goal: Goal::Land(then) })
}

/// What follows when such a foot is down.
pub(crate) fn landed(
    plant: &Plant,
    control: &mut Control,
    start: &mut State,
    leg: usize,
    then: Then,
    effort: &mut Effort,
) -> Mode {
    let footprint_from_body = start.footprint_from_body();
    let angles = start.angles_of(leg);
    if let (Some(solver), Some(foot)) = (plant.legs().get(leg), start.walk.feet.get_mut(leg)) {
        let at = footprint_from_body.transform_point(&solver.foot_in_body(&angles).into()).coords;
        *foot = Foot::Planted { at };
    }
    come_down(plant, control, start, then, effort)
}
