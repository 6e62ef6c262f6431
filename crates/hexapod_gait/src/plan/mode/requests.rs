//! What is asked of the robot from outside: to stop, and to take up a posture.

use crate::plan::control::{Posture, Requests};
use crate::plan::mode::stepping_first;
use crate::plan::sequence::descent::{lies, lower, sit_as_found};
use crate::plan::sequence::placing::{place_from, rise};
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::{Goal, LegSequence, Mode, Stopping, Then};
use hexapod_kinematics::IterationBudget;

/// What follows what is asked; nothing where nothing is asked. `packs` where the robot folds its legs once it sits.
#[inline]
pub(crate) fn requested(
    plant: &Plant,
    start: &State,
    requests: Requests,
    packs: bool,
    budget: &mut IterationBudget,
) -> Option<State> {
    let asked = requests.posture.is_some() || requests.stop;
    asked.then(|| answered(plant, start, requests, packs, budget))
}

#[inline(never)]
fn answered(plant: &Plant, start: &State, requests: Requests, packs: bool, budget: &mut IterationBudget) -> State {
    let stops = requests.stop && matches!(start.mode, Mode::Walking);
    let mode = if stops { Mode::Stopping(Stopping::now(start.ns)) } else { start.mode };
    let posture = requests.posture.map(|posture| if posture == Posture::Pack { Posture::Sit } else { posture });
    match (posture, mode) {
        (_, Mode::Sequencing(sequence)) => {
            // A robot that is on its feet while legs go into place is not lowered by a stop.
            let stays = matches!(sequence.goal, Goal::Stand | Goal::Stay) && !lies(plant, start);
            let stopped = requests.stop.then_some(if stays { Goal::Stay } else { Goal::Sit });
            start.in_mode(Mode::Sequencing(redirected(sequence, posture, stopped, packs)))
        }
        (Some(Posture::Stand), Mode::Sitting | Mode::UnplannedPose) => place_from(plant, start, 0, budget),
        (Some(Posture::Stand), Mode::Lowering(_)) => start.in_mode(rise(plant, start)),
        (Some(Posture::Stand), Mode::Stopping(stop)) => start.in_mode(Mode::Stopping(stop.to(Then::Stand))),
        (Some(Posture::Sit), Mode::UnplannedPose) => sit_as_found(plant, start),
        (Some(Posture::Sit), Mode::Standing) => stepping_first(plant, start, Then::Sit),
        (Some(Posture::Sit), Mode::Stopping(stop)) => start.in_mode(Mode::Stopping(stop.to(Then::Sit))),
        (Some(Posture::Sit), Mode::Rising(_)) => start.in_mode(lower(plant, start)),
        (Some(Posture::GoHome), Mode::Standing) => stepping_first(plant, start, Then::GoHome),
        (_, mode) => start.in_mode(mode),
    }
}

/// The same stage of a leg's way, for another goal.
fn redirected(sequence: LegSequence, posture: Option<Posture>, stopped: Option<Goal>, packs: bool) -> LegSequence {
    match (posture, sequence.goal) {
        (Some(Posture::Stand), Goal::Land(_)) => sequence.to_goal(Goal::Land(Then::Stand)),
        (Some(Posture::Stand), Goal::Pack) => unfolding(sequence, Goal::Stand),
        (Some(Posture::Stand), _) => sequence.to_goal(Goal::Stand),
        (_, Goal::Pack) if packs => sequence,
        (Some(Posture::Sit), Goal::Land(_)) => sequence.to_goal(Goal::Land(Then::Sit)),
        (_, Goal::Land(_)) => sequence,
        (_, Goal::Pack) if stopped.is_some() => unfolding(sequence, Goal::Sit),
        (Some(Posture::Sit), _) => sequence.to_goal(Goal::Sit),
        _ => stopped.map_or(sequence, |goal| sequence.to_goal(goal)),
    }
}

/// Legs that were folded are not in their places: each is still to have its turn, whatever comes first.
fn unfolding(sequence: LegSequence, goal: Goal) -> LegSequence {
    LegSequence { placed: 0, ..sequence.to_goal(goal) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::tests::{on_its_feet, shipped};

    fn answer(mode: Mode, requests: Requests, packs: bool) -> Option<Mode> {
        let robot = shipped();
        let start = on_its_feet(&robot, mode);
        requested(&robot.0, &start, requests, packs, &mut IterationBudget::new(400)).map(|next| next.mode)
    }

    fn bringing(goal: Goal) -> (Mode, LegSequence) {
        let (plant, _) = shipped();
        let angles = plant.sitting[2];
        let profile = plant.leg_profile(2, &angles, &angles);
        let stage = crate::state::mode::LegStage::Carrying;
        let sequence = LegSequence { leg: 2, stage, from: angles, to: angles, profile, placed: 0b111, goal };
        (Mode::Sequencing(sequence), sequence)
    }

    #[test]
    fn when_nothing_is_asked_expect_nothing_to_follow() {
        assert_eq!(answer(Mode::Walking, Requests::default(), false), None);
        assert_eq!(answer(Mode::Sitting, Requests { released: true, ..Requests::default() }, true), None);
    }

    #[test]
    fn when_a_posture_is_asked_for_expect_the_way_there() {
        let (stand, sit) = (Requests::stop_for(Posture::Stand), Requests::stop_for(Posture::Sit));
        let (pack, home) = (Requests::stop_for(Posture::Pack), Requests::stop_for(Posture::GoHome));
        let stopping = |then| Mode::Stopping(Stopping::now(0).to(then));
        for (mode, requests, expected) in [
            (Mode::Walking, stand, stopping(Then::Stand)),
            (Mode::Walking, sit, stopping(Then::Sit)),
            (Mode::Walking, pack, stopping(Then::Sit)),
            (Mode::Walking, home, stopping(Then::Stand)),
            (Mode::Standing, sit, stopping(Then::Sit)),
            (Mode::Standing, home, stopping(Then::GoHome)),
            (Mode::Standing, stand, Mode::Standing),
            (Mode::Sitting, sit, Mode::Sitting),
            (stopping(Then::Sit), stand, stopping(Then::Stand)),
        ] {
            assert_eq!(answer(mode, requests, false), Some(expected), "{mode:?} {requests:?}");
        }
        let (plant, gait) = shipped();
        let rising = rise(&plant, &on_its_feet(&(plant.clone(), gait), Mode::Standing));
        assert!(matches!(answer(rising, sit, false), Some(Mode::Lowering(_))));
        assert!(matches!(
            answer(Mode::Lowering(plant.height_profile(0.09, 0.03, 1.0)), stand, false),
            Some(Mode::Rising(_))
        ));
    }

    #[test]
    fn when_a_leg_is_on_its_way_expect_it_to_finish_for_another_goal() {
        let (stand, sit) = (Requests::stop_for(Posture::Stand), Requests::stop_for(Posture::Sit));
        let stop = Requests { stop: true, ..Requests::default() };
        for (goal, requests, packs, expected) in [
            (Goal::Stand, sit, false, Goal::Sit),
            (Goal::Stand, stop, false, Goal::Stay),
            (Goal::Stay, stop, false, Goal::Stay),
            (Goal::Stay, stand, false, Goal::Stand),
            (Goal::Stay, sit, false, Goal::Sit),
            (Goal::Sit, stop, false, Goal::Sit),
            (Goal::Sit, stand, false, Goal::Stand),
            (Goal::Pack, sit, true, Goal::Pack),
            (Goal::Land(Then::Stand), sit, false, Goal::Land(Then::Sit)),
            (Goal::Land(Then::Sit), stop, false, Goal::Land(Then::Sit)),
            (Goal::Land(Then::Sit), stand, false, Goal::Land(Then::Stand)),
        ] {
            let (mode, sequence) = bringing(goal);
            let expected = Mode::Sequencing(sequence.to_goal(expected));
            assert_eq!(answer(mode, requests, packs), Some(expected), "{goal:?} {requests:?}");
        }
        // On the ground it stays there.
        let (robot, (mode, sequence)) = (shipped(), bringing(Goal::Stand));
        let lying = State::sitting(&robot.0, robot.1.cycle_time()).in_mode(mode);
        let stopped = requested(&robot.0, &lying, stop, false, &mut IterationBudget::new(400)).map(|next| next.mode);
        assert_eq!(stopped, Some(Mode::Sequencing(sequence.to_goal(Goal::Sit))));
        // Legs that were folded have to be placed, every one.
        let (mode, sequence) = bringing(Goal::Pack);
        for (requests, packs, goal) in [(stand, true, Goal::Stand), (sit, false, Goal::Sit), (stop, false, Goal::Sit)] {
            let again = LegSequence { placed: 0, ..sequence.to_goal(goal) };
            assert_eq!(answer(mode, requests, packs), Some(Mode::Sequencing(again)), "{goal:?}");
        }
    }
}
