//! Bringing legs to their places one by one, before the body rises on them.

use crate::plan::sequence::descent::{PLACED_M, lower_as_found};
use crate::plan::sequence::landing::landed;
use crate::plane::support::SupportPolygon;
use crate::plant::Plant;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::{Goal, LegSequence, LegStage, Mode};
use hexapod_kinematics::{IterationBudget, LegAngles};
use nalgebra::Vector3;

/// Starts to bring a leg that is not in its place there, of those the one without which the robot stands best;
/// rises when there is none. `placed` has a bit for each leg that has had its turn.
pub(crate) fn place_from(plant: &Plant, start: &State, placed: u32, budget: &mut IterationBudget) -> State {
    let waiting = (0..plant.legs().len()).filter(|&leg| placed & (1 << leg) == 0 && !is_placed(plant, start, leg));
    let best = waiting.max_by(|&a, &b| margin_on_others(plant, start, a).total_cmp(&margin_on_others(plant, start, b)));
    let Some(leg) = best else { return start.in_mode(rise(plant, start)) };
    let from = start.angles_of(leg);
    let (stage, to) = match lifted(plant, leg, &from, budget) {
        Some(to) => (LegStage::Lifting, to),
        None => (LegStage::Carrying, angles_in_place(plant, start, leg, plant.stance.own_spec().step_height, budget)),
    };
    let placed = placed | (1 << leg);
    let profile = plant.leg_profile(leg, &from, &to);
    let mode = Mode::Sequencing(LegSequence { leg, stage, from, to, profile, placed, goal: Goal::Stand });
    State { packed: start.packed & !(1 << leg), ..start.in_mode(mode) }
}

/// The stage after one that is done.
pub(crate) fn next_stage(plant: &Plant, start: &State, done: LegSequence, budget: &mut IterationBudget) -> State {
    let (stage, lift) = match done.stage {
        LegStage::Lifting if done.goal == Goal::Pack => return start.in_mode(folding(plant, start, done)),
        LegStage::Lifting => (LegStage::Carrying, plant.stance.own_spec().step_height),
        LegStage::Carrying => (LegStage::Putting, 0.0),
        LegStage::Putting if let Goal::Land(then) = done.goal => {
            return landed(plant, start, done.leg, then, budget);
        }
        LegStage::Putting if done.goal == Goal::Sit => return lower_as_found(plant, start),
        LegStage::Putting if done.goal == Goal::Stay => return start.in_mode(Mode::UnplannedPose),
        LegStage::Putting if done.goal == Goal::Pack => {
            let next = fold_from(plant, start, done.placed, budget).unwrap_or(Mode::Sitting);
            return State { packed: start.packed | (1 << done.leg), ..start.in_mode(next) };
        }
        LegStage::Putting => return place_from(plant, start, done.placed, budget),
    };
    let to = angles_in_place(plant, start, done.leg, lift, budget);
    let profile = plant.leg_profile(done.leg, &done.to, &to);
    start.in_mode(Mode::Sequencing(LegSequence { stage, from: done.to, to, profile, ..done }))
}

/// Starts to fold a leg of those that are not folded, front to rear on either side in turn; none when all are.
pub(crate) fn fold_from(plant: &Plant, start: &State, folded: u32, budget: &mut IterationBudget) -> Option<Mode> {
    let waits = |leg: &usize| folded & (1 << leg) == 0 && *start.walk.foot(*leg) != Foot::Missing;
    let (leg, packed) = (0..plant.legs().len()).find(waits).zip(plant.packed.as_ref())?;
    let from = start.angles_of(leg);
    let (stage, to) = match lifted(plant, leg, &from, budget) {
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
    Mode::Rising(plant.height_profile(start.height, plant.stance.own_spec().height, plant.stand_time))
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

fn angles_in_place(plant: &Plant, start: &State, leg: usize, lift: f64, budget: &mut IterationBudget) -> LegAngles {
    let wanted = start.walk.foot(leg).position();
    let foot = Vector3::new(wanted.x, wanted.y, lift - start.height);
    let now = start.angles_of(leg);
    let Some(solver) = plant.legs().get(leg) else { return now };
    // From the middle of the range, so that a knee found bent the wrong way is bent back.
    let seeds = [Some(solver.posture()), plant.sitting.get(leg).copied()];
    let angles = seeds.into_iter().flatten().find_map(|seed| plant.inverse(leg, &foot, &seed, budget));
    angles.unwrap_or_else(|| solver.closest_within_budget(&foot, &now, budget).angles)
}

/// The angles with the foot straight above where it is, if the leg can lift it.
fn lifted(plant: &Plant, leg: usize, from: &LegAngles, budget: &mut IterationBudget) -> Option<LegAngles> {
    let foot = plant.legs().get(leg)?.foot_in_body(from);
    plant.inverse(leg, &(foot + Vector3::new(0.0, 0.0, plant.stance.own_spec().step_height)), from, budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::tests::{on_its_feet, shipped};

    const BUDGET: u32 = 400;

    /// Sitting, with these legs elsewhere.
    fn sitting(elsewhere: &[usize]) -> (Plant, State) {
        let robot = shipped();
        let mut start = State::sitting(&robot.0, robot.1.cycle_time());
        for &leg in elsewhere {
            start.angles[leg][0] += 0.3;
            start.packed |= 1 << leg;
        }
        (robot.0, start)
    }

    #[test]
    fn when_every_leg_is_in_its_place_expect_the_body_to_rise() {
        let (plant, start) = sitting(&[]);
        assert!(matches!(place_from(&plant, &start, 0, &mut IterationBudget::new(BUDGET)).mode, Mode::Rising(_)));
        let (plant, start) = sitting(&[2]);
        assert!(
            matches!(place_from(&plant, &start, 1 << 2, &mut IterationBudget::new(BUDGET)).mode, Mode::Rising(_)),
            "it had its turn"
        );
    }

    #[test]
    fn when_legs_are_elsewhere_expect_first_the_one_without_which_the_robot_stands_best() {
        let (plant, start) = sitting(&[0, 1, 4]);
        let next = place_from(&plant, &start, 0, &mut IterationBudget::new(BUDGET));
        let Mode::Sequencing(first) = next.mode else { panic!("{:?}", next.mode) };
        let margin = |leg: usize| margin_on_others(&plant, &start, leg);
        assert!([0, 1, 4].iter().all(|&leg| margin(leg) <= margin(first.leg)) && margin(0) != margin(1));
        assert_eq!((first.placed, first.goal), (1 << first.leg, Goal::Stand));
        assert_eq!(next.packed, start.packed & !(1 << first.leg), "it is no longer folded");
    }

    #[test]
    fn when_a_leg_of_a_robot_that_lies_cannot_lift_its_foot_first_expect_it_carried_over_and_put_in_its_place() {
        let (plant, start) = sitting(&[5]);
        let mut state = place_from(&plant, &start, 0, &mut IterationBudget::new(BUDGET));
        let mut stages = vec![];
        while let Mode::Sequencing(sequence) = state.mode {
            stages.push(sequence.stage);
            assert!(sequence.leg == 5 && stages.len() < 9);
            state.angles[5] = sequence.to;
            state = next_stage(&plant, &state, sequence, &mut IterationBudget::new(BUDGET));
        }
        assert_eq!(stages, [LegStage::Carrying, LegStage::Putting]);
        assert!(matches!(state.mode, Mode::Rising(_)) && is_placed(&plant, &state, 5));
    }

    #[test]
    fn when_legs_are_folded_expect_each_in_turn_and_then_to_sit() {
        let (mut plant, gait) = shipped();
        assert_eq!(
            fold_from(
                &plant,
                &on_its_feet(&(plant.clone(), gait), Mode::Sitting),
                0,
                &mut IterationBudget::new(BUDGET)
            ),
            None
        );
        plant.packed = Some(plant.sitting);
        let mut state = State::sitting(&plant, gait.cycle_time());
        state.mode = fold_from(&plant, &state, 0, &mut IterationBudget::new(BUDGET)).unwrap_or(Mode::Standing);
        let mut legs = vec![];
        while let Mode::Sequencing(sequence) = state.mode {
            legs.push(sequence.leg);
            assert!(legs.len() < 30);
            state = next_stage(&plant, &state, sequence, &mut IterationBudget::new(BUDGET));
        }
        legs.dedup();
        assert_eq!((legs, state.mode, state.packed), ((0..6).collect(), Mode::Sitting, 0b11_1111));
    }
}
