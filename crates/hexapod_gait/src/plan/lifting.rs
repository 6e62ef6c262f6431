//! Which feet are lifted: those whose turn it is, if the robot stands on the rest.

use crate::plan::body::shift::{shift_m_s2, sway_m_s2};
use crate::plan::context::Context;
use crate::plan::sequence::centring::{is_centring, is_out_of_turn};
use crate::plan::stand::{
    LIFT_MARGIN_M, MARGIN_BUDGET_M, MARGIN_M, lift_margin_m, margin_until_down, required_margin_m, taken_along,
};
use crate::plane::grid::GRID_S;
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::state::State;
use crate::state::mode::Mode;
use nalgebra::Vector2;

/// What is decided about a leg whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LiftDecision {
    /// It is lifted.
    pub lifts: bool,
    /// Its turn stays until the others are down.
    pub waits: bool,
    /// How far the body may move over the other feet before its balance is watched, m; nothing is known of a gait on which
    /// it is not balanced.
    pub margin_budget_m: f64,
    /// The distance of the centre of mass from the edge of the support that is kept then, m.
    pub required_margin_m: f64,
}

/// What has been found out at one moment, for all legs whose turn it is.
#[derive(Default)]
pub(crate) struct LiftCache {
    /// The centre of mass.
    centre: Option<Vector2<f64>>,
    /// What was decided last, and about which legs, one bit each.
    last: Option<(u32, LiftDecision)>,
}

/// Whether a leg whose turn it is is lifted: if the robot stands on the rest.
#[inline]
pub(crate) fn lift_decision(cx: &Context, start: &State, leg: usize, found: &mut LiftCache) -> Option<LiftDecision> {
    let out_of_turn = is_out_of_turn(cx, start, leg);
    if !(out_of_turn || start.walk.is_due(cx.gait, leg) && may_lift(cx, start, leg)) {
        return None;
    }
    // Out of turn no other feet catch the robot, whatever the gait.
    if !(out_of_turn || cx.gait.is_stable()) {
        return Some(LiftDecision {
            lifts: true,
            waits: false,
            margin_budget_m: start.margin_budget_m,
            required_margin_m: MARGIN_M,
        });
    }
    if let Some((_, decision)) = found.last.filter(|(legs, _)| legs & (1 << leg) != 0) {
        return Some(decision);
    }
    let centre = *found.centre.get_or_insert_with(|| start.centre(cx.plant));
    // Feet whose turn it is together are lifted together, or wait together; one by one only after that.
    let lifted = if out_of_turn || start.lean_settled { 1 << leg } else { lifted_with(cx, start, leg) };
    let support = start.support_without(lifted);
    let present = support.margin(centre);
    // The lean for a foot that is put back asks for no more than that.
    let mut margin =
        if out_of_turn { present } else { margin_until_down(&support, centre, taken_along(cx, start, lifted)) };
    let lost = present - margin;
    let speed = start.rates.sway + start.rates.offset.translation.xy();
    if speed != Vector2::zeros() {
        margin = margin.min(support.margin(centre + stopping_distance(speed, shift_m_s2(cx, start))));
    }
    // A foot that has not met the ground yet may have to take up its share of the weight first.
    let needed = if out_of_turn || start.lean_settled { LIFT_MARGIN_M } else { lift_margin_m(start) };
    let stays = margin < needed || start.walk.seeks_ground();
    let waits = stays && !out_of_turn;
    let required_margin_m = required_margin_m(start, margin) + lost;
    let decision = LiftDecision {
        lifts: !stays,
        waits,
        margin_budget_m: present - required_margin_m - MARGIN_BUDGET_M,
        required_margin_m,
    };
    found.last = Some((lifted, decision));
    Some(decision)
}

/// The legs that are lifted now, one bit each, `leg` among them.
fn lifted_with(cx: &Context, start: &State, leg: usize) -> u32 {
    let lifts = |other: &usize| *other == leg || start.walk.is_due(cx.gait, *other) && may_lift(cx, start, *other);
    (0..cx.plant.legs().len()).filter(lifts).fold(0, |legs, leg| legs | 1 << leg)
}

/// Whether a foot that waits for more margin waits no longer: the body has come to rest, and leans no farther.
pub(crate) fn lean_settled(cx: &Context, start: &State) -> bool {
    let still = 0.5 * sway_m_s2(cx, start) * GRID_S;
    let rests = start.twist[1] == Twist::ZERO && start.rates.sway.norm() <= still;
    start.walk.waiting && start.walk.all_planted() && rests
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
    let free = |margin: f64| {
        let legs = (0..cx.plant.legs().len()).filter(|&leg| start.walk.foot(leg).is_planted());
        let free = legs.filter(|&leg| start.margin_without(leg, centre) >= margin);
        free.max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    };
    free(lift_margin_m(start)).or_else(|| free(LIFT_MARGIN_M)).map(|leg| cx.gait.lift_off_phase(leg))
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
    start.walk.nominal.reach_with(cx.gait).fraction(offset) > 0.98
}

/// How far the body goes on over its feet until it has come to rest, m, when it changes its speed by no more than
/// `greatest` m/s^2.
fn stopping_distance(speed: Vector2<f64>, greatest: f64) -> Vector2<f64> {
    speed * (speed.norm() / (2.0 * greatest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gait::sides::leg_places;
    use crate::gait::{Gait, GaitSpec, Pattern};
    use crate::plan::context::tests::context;
    use crate::state::foot::Foot;
    use crate::state::mode::Stopping;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;

    /// A robot at the moment at which it is the turn of leg 0.
    /// The body leans this part of the way to its foot.
    fn at_the_turn(lean: f64) -> Option<LiftDecision> {
        let robot = shipped();
        let mut state = on_its_feet(&robot, Mode::Walking);
        (state.walk.phase, state.sway) = (robot.1.lift_off_phase(0), lean * state.walk.foot(0).position().xy());
        lift_decision(&context(&robot), &state, 0, &mut LiftCache::default())
    }

    #[test]
    fn when_the_robot_stands_on_the_rest_expect_the_leg_lifted_and_else_its_turn_kept() {
        assert!(
            matches!(at_the_turn(0.0), Some(LiftDecision { lifts: true, waits: false, margin_budget_m: left, .. }) if left > 0.01)
        );
        assert!(
            matches!(at_the_turn(0.9), Some(LiftDecision { lifts: false, waits: true, margin_budget_m: left, .. }) if left < 0.0)
        );
    }

    #[test]
    fn when_the_body_sways_expect_a_foot_to_wait_for_more_margin_until_it_has_leant_and_moves_no_more() {
        let robot = shipped();
        let spec = GaitSpec { sway: 1.0, duty_factor: 0.85, pattern: Some(Pattern::Wave), ..GaitSpec::default() };
        let Ok(gait) = Gait::try_new(&spec, &leg_places(&robot.0.robot)) else { panic!("a crawl") };
        let cx = Context { gait: &gait, ..context(&robot) };
        let mut state = on_its_feet(&robot, Mode::Walking);
        state.walk.phase = gait.lift_off_phase(0);
        // Towards the foot, until the margin is between what is enough at rest and what is enough at once.
        let margin = |state: &State| {
            margin_until_down(&state.support_without(1), state.centre(cx.plant), taken_along(&cx, state, 1))
        };
        let towards = state.walk.foot(0).position().xy().normalize();
        while margin(&state) > 0.5 * (LIFT_MARGIN_M + lift_margin_m(&state)) {
            state.sway += 5e-4 * towards;
        }
        let lifts =
            |state: &State| lift_decision(&cx, state, 0, &mut LiftCache::default()).map(|decision| decision.lifts);
        assert_eq!(lifts(&state), Some(false), "the body has yet to lean");
        state.walk.waiting = true;
        assert!(lean_settled(&cx, &state));
        state.lean_settled = true;
        assert_eq!(lifts(&state), Some(true), "it leans no farther");
        state.twist[1].vx = 0.01;
        assert!(!lean_settled(&cx, &state), "it still moves");
    }

    #[test]
    fn when_it_is_not_its_turn_expect_nothing_decided() {
        let robot = shipped();
        let mut state = on_its_feet(&robot, Mode::Walking);
        state.walk.phase = robot.1.lift_off_phase(0) + 0.25;
        let mut found = LiftCache::default();
        assert!((0..6).all(|leg| lift_decision(&context(&robot), &state, leg, &mut found).is_none()));
        assert!(found.centre.is_none(), "the centre of mass is not asked for");
    }

    #[test]
    fn when_stopping_expect_a_foot_lifted_only_where_it_would_be_dragged_out_of_its_reach_and_only_in_time() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Stopping(Stopping::now(0))));
        state.walk.phase = robot.1.lift_off_phase(0);
        assert_eq!(lift_decision(&cx, &state, 0, &mut LiftCache::default()), None, "it stands well");
        let back = state.walk.foot(0).position() - Vector3::new(0.99 * state.walk.nominal.reach.axes().x, 0.0, 0.0);
        state.walk.feet[0] = Foot::Planted { at: back };
        assert!(lift_decision(&cx, &state, 0, &mut LiftCache::default()).is_some_and(|decision| decision.lifts));
        state.ns = (state.walk.cycle * 1e9) as u64;
        assert_eq!(lift_decision(&cx, &state, 0, &mut LiftCache::default()), None, "it would be down too late");
    }

    #[test]
    fn when_a_foot_may_not_be_lifted_at_rest_expect_the_turn_of_the_one_farthest_from_its_place() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        assert_eq!(turn_passed_on(&cx, &state), None, "no foot waits");
        state.walk.waiting = true;
        state.walk.feet[4] = Foot::Planted { at: state.walk.foot(4).position() + Vector3::new(0.01, 0.0, 0.0) };
        assert_eq!(turn_passed_on(&cx, &state), Some(robot.1.lift_off_phase(4)));
        state.rates.sway = Vector2::new(0.01, 0.0);
        assert_eq!(turn_passed_on(&cx, &state), None, "it still leans");
    }
}
