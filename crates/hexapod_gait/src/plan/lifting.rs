//! Which feet are lifted: those whose turn it is, if the robot stands on the rest.

use crate::plan::context::Context;
use crate::plan::sequence::centring::{is_centring, is_out_of_turn};
use crate::plan::stand::LIFT_MARGIN_M;
use crate::plane::grid::GRID_S;
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::state::State;
use crate::state::mode::Mode;
use nalgebra::Vector2;

/// The margin below which the robot's balance is watched, m.
const NEAR_EDGE_M: f64 = 0.03;

/// What is decided about one leg.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// It is lifted.
    pub lifts: bool,
    /// It has its turn, which stays until the others are down.
    pub waits: bool,
    /// Whether the centre of mass may come near the edge of the support, where that has been looked at.
    pub near_edge: Option<bool>,
}

/// Whether a leg is lifted: if it is its turn, and the robot stands on the rest. `centre` is that of mass, worked out
/// for the first leg that asks for it.
#[inline]
pub(crate) fn turn_of(cx: &Context, start: &State, leg: usize, centre: &mut Option<Vector2<f64>>) -> Turn {
    let out_of_turn = is_out_of_turn(cx, start, leg);
    if !(out_of_turn || start.walk.is_due(cx.gait, leg) && may_lift(cx, start, leg)) {
        return Turn::default();
    }
    // Out of turn no other feet catch the robot, whatever the gait.
    if !(out_of_turn || cx.gait.is_stable()) {
        return Turn { lifts: true, ..Turn::default() };
    }
    let centre = *centre.get_or_insert_with(|| start.centre(cx.plant));
    let mut margin = start.margin_without(leg, centre);
    if let Some(joints) = &cx.plant.joints {
        margin = margin.min(start.margin_without(leg, centre + run_out(start, joints.shift_m_s2())));
    }
    let stays = margin < LIFT_MARGIN_M;
    Turn { lifts: !stays, waits: stays && !out_of_turn, near_edge: Some(margin < NEAR_EDGE_M) }
}

/// Where the body rests and has leant as far as it can, and still the foot whose turn it is may not be lifted: the phase
/// at which it is the turn of one without which the robot stands, so that feet that stand badly get better places.
#[inline]
pub(crate) fn turn_passed_on(cx: &Context, start: &State) -> Option<f64> {
    let rests = start.twist == [Twist::ZERO; 2] && start.rates.sway == Vector2::zeros();
    if !(start.walk.waiting && start.walk.all_planted() && rests) {
        return None;
    }
    let centre = start.centre(cx.plant);
    let distance = |leg: usize| (start.walk.foot(leg).position().xy() - start.walk.nominal.place(leg)).norm();
    let free = (0..cx.plant.legs().len())
        .filter(|&leg| start.walk.foot(leg).is_planted() && start.margin_without(leg, centre) >= LIFT_MARGIN_M);
    free.max_by(|&a, &b| distance(a).total_cmp(&distance(b))).map(|leg| cx.gait.lift_off_phase(leg))
}

/// Whether a leg is to be lifted at all: in a stop only before it is too late to be down again within the cycle,
/// and only if it would else be dragged out of its reach before the body rests.
fn may_lift(cx: &Context, start: &State, leg: usize) -> bool {
    let Mode::Stopping(stop) = start.mode else { return true };
    if is_centring(cx, start, stop) && stop.centring & (1 << leg) != 0 {
        return true;
    }
    let since = (start.ns - stop.since_ns) as f64 * 1e-9;
    if since > start.walk.cycle * cx.gait.duty_factor() - GRID_S {
        return false;
    }
    let at = start.walk.foot(leg).position().xy();
    let twist = start.twist[1];
    let limits = cx.limits;
    let time = Ramp::lag(limits)
        + 0.5 * (twist.speed() / limits.linear_acceleration).max(twist.wz.abs() / limits.angular_acceleration);
    let offset = at - twist.velocity_at(at) * time - start.walk.nominal.place(leg);
    start.walk.nominal.reach_with(cx.gait).part(offset) > 0.98
}

/// How far a sway goes on until it has come to rest, m, when it changes by no more than `greatest` m/s^2.
fn run_out(start: &State, greatest: f64) -> Vector2<f64> {
    start.rates.sway * (start.rates.sway.norm() / (2.0 * greatest))
}
