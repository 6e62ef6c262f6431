//! Which mode the robot turns to: because it is asked to, because what it does is over, or because the driver wants to
//! walk or to stop.

pub(crate) mod requests;
pub(crate) mod switching;

use crate::plan::body::height::{standing, stepping};
use crate::plan::context::Context;
use crate::plan::sequence::centring::{feet_to_centre, is_late};
use crate::plan::sequence::descent::{come_to_rest, end_sinking, lie_down, lower};
use crate::plan::sequence::landing::come_down;
use crate::plan::sequence::placing::next_stage;
use crate::plan::twist::bounds::stride_factor;
use crate::plane::limits::Limited;
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::plant::Plant;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use crate::state::mode::{Mode, Stopping, Then};
use crate::state::walk::Walk;
use hexapod_kinematics::Effort;
use nalgebra::Vector2;

/// What follows where the last mode is over, or a stop or a way down `has_no_way_on`.
pub(crate) fn following(plant: &Plant, start: &State, has_no_way_on: bool, effort: &mut Effort) -> Option<State> {
    let next = match start.mode {
        Mode::Sequencing(sequence) if sequence.part.is_done() => next_stage(plant, start, sequence, effort),
        Mode::Rising(profile) if profile.is_done() => start.in_mode(Mode::Standing),
        Mode::Lowering(profile) if profile.is_done() => lie_down(plant, start),
        Mode::Lowering(_) if has_no_way_on => come_to_rest(plant, start),
        Mode::Sinking(profile) if profile.is_done() => end_sinking(plant, start),
        Mode::Stopping(stop) if has_no_way_on => come_down(plant, start, stop.then, effort),
        _ => return None,
    };
    Some(next)
}

/// The steps with which a walk begins, towards a twist that is wanted.
pub(crate) fn first_steps(cx: &Context, start: &State, wanted: Twist) -> Walk {
    let mut walk = start.walk;
    let limited = cx.limits.velocity(Limited::unlimited(wanted)).twist;
    walk.cycle = walk.cycle.max(cx.gait.cycle_times()[0]);
    let factor = stride_factor(&walk.nominal, cx.gait, walk.cycle, limited);
    walk.start(cx.gait, limited.scaled(factor));
    walk
}

/// A robot that stood and walks from here on, with this nominal stance.
pub(crate) fn setting_out(cx: &Context, start: &State, nominal: NominalStance, wanted: Twist) -> State {
    let mut next = *start;
    next.walk.nominal = nominal;
    next = stepping(cx.plant, &next);
    State { mode: Mode::Walking, walk: first_steps(cx, &next, wanted), ..next }
}

/// A robot that stood and puts its feet elsewhere first, where that must be, or comes down.
pub(crate) fn stepping_first(plant: &Plant, start: &State, then: Then) -> State {
    stepping(plant, start).in_mode(Mode::Stopping(Stopping { then, ..Stopping::now(start.ns) }))
}

/// What follows a stop once nothing moves any more and, before the robot sits, its feet are under it.
pub(crate) fn stopped(cx: &Context, start: &State, ramp: &Ramp, stop: Stopping, effort: &mut Effort) -> Option<State> {
    let rests = start.walk.all_planted() && start.twist == [Twist::ZERO; 2] && ramp.is_at_rest();
    if !rests || start.rates.level != 0.0 {
        return None;
    }
    if stop.then == Then::Stand {
        return Some(standing(cx.plant, start));
    }
    if !start.offset.is_zero() {
        // The body goes back over its feet first.
        return None;
    }
    let centring = feet_to_centre(cx, start, stop.then, effort);
    if centring != 0 && !is_late(cx, start, stop) {
        return Some(treading(cx, start, Stopping { centring, ..stop }));
    }
    let is_upright = start.sway.norm() < 1e-9 && start.rates.height == 0.0;
    is_upright.then(|| {
        let next = State { sway: Vector2::zeros(), ..*start };
        if stop.then == Then::Sit { next.in_mode(lower(cx.plant, &next)) } else { standing(cx.plant, &next) }
    })
}

/// A robot that treads on the spot, to put feet back.
fn treading(cx: &Context, start: &State, stop: Stopping) -> State {
    let mut next = start.in_mode(Mode::Stopping(stop));
    if !next.walk.waiting {
        next.walk.start(cx.gait, Twist::ZERO);
    }
    next
}
