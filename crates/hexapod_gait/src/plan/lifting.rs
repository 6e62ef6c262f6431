//! Which feet are lifted and put down: those whose turn it is, if the robot stands on the rest.

use crate::plan::context::Context;
use crate::plan::sequence::centring::{is_centring, is_out_of_turn};
use crate::plan::stand::LIFT_MARGIN_M;
use crate::plane::grid::GRID_S;
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::state::State;
use crate::state::mode::Mode;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector2;

/// The margin below which the robot's balance is watched, m.
const NEAR_EDGE_M: f64 = 0.03;

/// Puts down feet whose swing is over and lifts those whose turn it is, if the robot stands on the rest.
#[inline]
pub(crate) fn lift_and_put_down(cx: &Context, sensed: &[Option<bool>; MAX_LEGS], start: &mut State) {
    let gait = cx.gait;
    start.walk.put_down(sensed);
    start.walk.waiting = false;
    let mut centre = None;
    for leg in 0..cx.plant.legs().len() {
        let out_of_turn = is_out_of_turn(cx, start, leg);
        if !(out_of_turn || start.walk.is_due(gait, leg) && may_lift(cx, start, leg)) {
            continue;
        }
        // Out of turn no other feet catch the robot, whatever the gait.
        if out_of_turn || gait.is_stable() {
            let centre = *centre.get_or_insert_with(|| start.centre(cx.plant));
            let mut margin = start.margin_without(leg, centre);
            if let Some(joints) = &cx.plant.joints {
                margin = margin.min(start.margin_without(leg, centre + run_out(start, joints.shift_m_s2())));
            }
            start.near_edge = margin < NEAR_EDGE_M;
            if margin < LIFT_MARGIN_M {
                // Its turn stays until the others are down.
                start.walk.waiting |= !out_of_turn;
                continue;
            }
        }
        let (twists, height) = ((start.twist_after(0.0), start.aim_after(0.0)), cx.step_height);
        let reach = start.walk.nominal.reach_with(gait);
        start.walk.lift(gait, leg, twists, (height, reach));
    }
}

/// Where the body rests and has leant as far as it can, and still the foot whose turn it is may not be lifted: gives
/// the turn to one without which the robot stands, so that feet that stand badly get better places.
#[inline]
pub(crate) fn pass_the_turn(cx: &Context, start: &mut State) {
    let rests = start.twist == [Twist::ZERO; 2] && start.sway_rate == Vector2::zeros();
    if !(start.walk.waiting && start.walk.all_planted() && rests) {
        return;
    }
    let centre = start.centre(cx.plant);
    let distance = |leg: usize| (start.walk.foot(leg).position().xy() - start.walk.nominal.place(leg)).norm();
    let free = (0..cx.plant.legs().len())
        .filter(|&leg| start.walk.foot(leg).is_planted() && start.margin_without(leg, centre) >= LIFT_MARGIN_M);
    if let Some(leg) = free.max_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
        start.walk.phase = cx.gait.lift_off_phase(leg);
    }
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
    start.sway_rate * (start.sway_rate.norm() / (2.0 * greatest))
}
