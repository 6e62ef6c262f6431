//! Bringing legs to their places one by one, before the body rises on them.

use crate::plan::sequence::descent::{PLACED_M, lower_as_found};
use crate::plan::sequence::landing::landed;
use crate::plane::support::SupportPolygon;
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::{Goal, LegSequence, LegStage, Mode};
use crate::state::walk::Foot;
use hexapod_kinematics::{Effort, LegAngles};
use nalgebra::Vector3;

/// Starts to bring a leg that is not in its place there, of those the one without which the robot stands best;
/// rises when there is none. `placed` has a bit for each leg that has had its turn.
pub(crate) fn place_from(plant: &Plant, start: &State, placed: u32, effort: &mut Effort) -> State {
    let waiting = (0..plant.legs().len()).filter(|&leg| placed & (1 << leg) == 0 && !is_placed(plant, start, leg));
    let best = waiting.max_by(|&a, &b| margin_on_others(plant, start, a).total_cmp(&margin_on_others(plant, start, b)));
    let Some(leg) = best else { return start.in_mode(rise(plant, start)) };
    let from = start.angles_of(leg);
    let (stage, to) = match lifted(plant, leg, &from, effort) {
        Some(to) => (LegStage::Lifting, to),
        None => (LegStage::Carrying, angles_in_place(plant, start, leg, plant.stance.spec().step_height, effort)),
    };
    let placed = placed | (1 << leg);
    let profile = plant.leg_profile(leg, &from, &to);
    let mode = Mode::Sequencing(LegSequence { leg, stage, from, to, profile, placed, goal: Goal::Stand });
    State { packed: start.packed & !(1 << leg), ..start.in_mode(mode) }
}

/// The stage after one that is done.
pub(crate) fn next_stage(plant: &Plant, start: &State, done: LegSequence, effort: &mut Effort) -> State {
    let (stage, lift) = match done.stage {
        LegStage::Lifting if done.goal == Goal::Pack => return start.in_mode(folding(plant, start, done)),
        LegStage::Lifting => (LegStage::Carrying, plant.stance.spec().step_height),
        LegStage::Carrying => (LegStage::Putting, 0.0),
        LegStage::Putting if let Goal::Land(then) = done.goal => {
            return landed(plant, start, done.leg, then, effort);
        }
        LegStage::Putting if done.goal == Goal::Sit => return lower_as_found(plant, start),
        LegStage::Putting if done.goal == Goal::Pack => {
            let next = fold_from(plant, start, done.placed, effort).unwrap_or(Mode::Sitting);
            return State { packed: start.packed | (1 << done.leg), ..start.in_mode(next) };
        }
        LegStage::Putting => return place_from(plant, start, done.placed, effort),
    };
    let to = angles_in_place(plant, start, done.leg, lift, effort);
    let profile = plant.leg_profile(done.leg, &done.to, &to);
    start.in_mode(Mode::Sequencing(LegSequence { stage, from: done.to, to, profile, ..done }))
}

/// Starts to fold a leg of those that are not folded, front to rear on either side in turn; none when all are.
pub(crate) fn fold_from(plant: &Plant, start: &State, folded: u32, effort: &mut Effort) -> Option<Mode> {
    let waits = |leg: &usize| folded & (1 << leg) == 0 && *start.walk.foot(*leg) != Foot::Missing;
    let (leg, packed) = (0..plant.legs().len()).find(waits).zip(plant.packed.as_ref())?;
    let from = start.angles_of(leg);
    let (stage, to) = match lifted(plant, leg, &from, effort) {
        Some(to) => (LegStage::Lifting, to),
        None => (LegStage::Putting, packed.get(leg).copied().unwrap_or(from)),
    };
    let profile = plant.leg_profile(leg, &from, &to);
    let placed = folded | (1 << leg);
    Some(Mode::Sequencing(LegSequence { leg, stage, from, to, profile, placed, goal: Goal::Pack }))
}

/// From a lifted leg to a folded one.
fn folding(plant: &Plant, start: &State, done: LegSequence) -> Mode {
    let packed = plant.packed.as_ref().and_then(|packed| packed.get(done.leg));
    let to = packed.copied().unwrap_or_else(|| start.angles_of(done.leg));
    let profile = plant.leg_profile(done.leg, &done.to, &to);
    Mode::Sequencing(LegSequence { stage: LegStage::Putting, from: done.to, to, profile, ..done })
}

/// Raises the body to where it walks.
pub(crate) fn rise(plant: &Plant, start: &State) -> Mode {
    Mode::Rising(plant.height_profile(start.height, plant.stance.spec().height, plant.stand_time))
}

/// The margin by which the robot stands on the feet where they are, but for one.
fn margin_on_others(plant: &Plant, start: &State, without: usize) -> f64 {
    let legs = plant.legs().iter().zip(&start.angles).enumerate().filter(|(leg, _)| *leg != without);
    let feet = legs.map(|(_, (leg, angles))| leg.foot_in_body(angles));
    let down = feet.filter(|foot| foot.z < 0.01 - start.height);
    SupportPolygon::new(down.map(|foot| foot.xy())).margin(plant.masses.centre(&start.angles).xy())
}

fn is_placed(plant: &Plant, start: &State, leg: usize) -> bool {
    let (Foot::Planted { at }, Some(solver)) = (start.walk.foot(leg), plant.legs().get(leg)) else { return true };
    let foot = solver.foot_in_body(&start.angles_of(leg));
    (foot - Vector3::new(at.x, at.y, -start.height)).norm() < PLACED_M
}

fn angles_in_place(plant: &Plant, start: &State, leg: usize, lift: f64, effort: &mut Effort) -> LegAngles {
    let wanted = start.walk.foot(leg).position();
    let foot = Vector3::new(wanted.x, wanted.y, lift - start.height);
    let now = start.angles_of(leg);
    let Some(solver) = plant.legs().get(leg) else { return now };
    // From the middle of the range, so that a knee found bent the wrong way is bent back.
    let seeds = [Some(solver.posture()), plant.sitting.get(leg).copied()];
    let angles = seeds.into_iter().flatten().find_map(|seed| plant.inverse(leg, &foot, &seed, effort));
    angles.unwrap_or_else(|| solver.approach(&foot, &now, effort).angles)
}

/// The angles with the foot straight above where it is, if the leg can lift it.
fn lifted(plant: &Plant, leg: usize, from: &LegAngles, effort: &mut Effort) -> Option<LegAngles> {
    let foot = plant.legs().get(leg)?.foot_in_body(from);
    plant.inverse(leg, &(foot + Vector3::new(0.0, 0.0, plant.stance.spec().step_height)), from, effort)
}
