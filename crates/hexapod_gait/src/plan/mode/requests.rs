//! What is asked of the robot from outside: to stop, and to take up a posture.

use crate::plan::control::{Posture, Requests};
use crate::plan::mode::stepping_first;
use crate::plan::sequence::descent::{lower, sit_as_found};
use crate::plan::sequence::placing::{place_from, rise};
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::{Goal, LegSequence, Mode, Stopping, Then};
use hexapod_kinematics::Effort;

/// What follows what is asked; nothing where nothing is asked. `packs` where the robot folds its legs once it sits.
pub(crate) fn requested(
    plant: &Plant,
    start: &State,
    requests: Requests,
    packs: bool,
    effort: &mut Effort,
) -> Option<State> {
    if requests.posture.is_none() && !requests.stop {
        return None;
    }
    let stops = requests.stop && start.mode == Mode::Walking;
    let mode = if stops { Mode::Stopping(Stopping::now(start.ns)) } else { start.mode };
    let posture = requests.posture.map(|posture| if posture == Posture::Pack { Posture::Sit } else { posture });
    let next = match (posture, mode) {
        (_, Mode::Sequencing(sequence)) => {
            start.in_mode(Mode::Sequencing(redirected(sequence, posture, requests.stop, packs)))
        }
        (Some(Posture::Stand), Mode::Sitting | Mode::Found) => place_from(plant, start, 0, effort),
        (Some(Posture::Stand), Mode::Lowering(_)) => start.in_mode(rise(plant, start)),
        (Some(Posture::Stand), Mode::Stopping(stop)) => start.in_mode(Mode::Stopping(stop.to(Then::Stand))),
        (Some(Posture::Sit), Mode::Found) => sit_as_found(plant, start),
        (Some(Posture::Sit), Mode::Standing) => stepping_first(plant, start, Then::Sit),
        (Some(Posture::Sit), Mode::Stopping(stop)) => start.in_mode(Mode::Stopping(stop.to(Then::Sit))),
        (Some(Posture::Sit), Mode::Rising(_)) => start.in_mode(lower(plant, start)),
        (Some(Posture::GoHome), Mode::Standing) => stepping_first(plant, start, Then::GoHome),
        (_, mode) => start.in_mode(mode),
    };
    Some(next)
}

/// The same stage of a leg's way, for another goal.
fn redirected(sequence: LegSequence, posture: Option<Posture>, stop: bool, packs: bool) -> LegSequence {
    match (posture, sequence.goal) {
        (Some(Posture::Stand), Goal::Land(_)) => sequence.to_goal(Goal::Land(Then::Stand)),
        // Legs that were folded are not in their places: each is still to have its turn.
        (Some(Posture::Stand), Goal::Pack) => LegSequence { placed: 0, ..sequence.to_goal(Goal::Stand) },
        (Some(Posture::Stand), _) => sequence.to_goal(Goal::Stand),
        (_, Goal::Pack) if packs => sequence,
        (Some(Posture::Sit), Goal::Land(_)) => sequence.to_goal(Goal::Land(Then::Sit)),
        (_, Goal::Land(_)) => sequence,
        _ if stop => sequence.to_goal(Goal::Sit),
        _ => sequence,
    }
}
