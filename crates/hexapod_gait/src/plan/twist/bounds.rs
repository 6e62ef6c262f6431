//! What the feet's reach and the length of a step allow of a twist.

use crate::gait::Gait;
use crate::plan::context::Context;
use crate::plane::grid::GRID_S;
use crate::plane::limits::{self, BRAKING_FRACTION, Boundary};
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::walk::Walk;

/// The feet with a nominal stance, their own or one that they are to have.
#[derive(Clone, Copy)]
pub(crate) struct Feet<'a> {
    pub walk: &'a Walk,
    pub nominal: &'a NominalStance,
}

impl<'a> Feet<'a> {
    pub(crate) fn of(walk: &'a Walk) -> Self {
        Self { walk, nominal: &walk.nominal }
    }
}

/// The speed of the foot that uses up its reach the soonest, in parts of that, 1/s.
#[inline]
fn fastest(nominal: &NominalStance, twist: Twist) -> f64 {
    nominal.rest().iter().map(|&foot| nominal.reach.fraction(twist.velocity_at(foot))).fold(0.0, f64::max)
}

/// The fraction of a twist with which no step is longer than the stroke.
#[inline]
pub(crate) fn stroke_factor(nominal: &NominalStance, gait: &Gait, cycle: f64, twist: Twist) -> f64 {
    let step = fastest(nominal, twist) * gait.duty_factor() * cycle;
    let stroke = gait.stroke();
    if step > stroke { stroke / step } else { 1.0 }
}

/// The longest cycle with which no step at this twist is longer than the stroke.
#[inline]
pub(crate) fn cycle_for(nominal: &NominalStance, gait: &Gait, twist: Twist) -> f64 {
    let [least, most] = gait.cycle_times();
    if least == most {
        return most;
    }
    let fastest = fastest(nominal, twist) * gait.duty_factor();
    if fastest * most <= gait.stroke() {
        return most;
    }
    (gait.stroke() / fastest).max(least).min(most)
}

/// Whether the body can go on as it does with these feet, resting there, and this gait, braking no harder than it may.
pub(crate) fn can_go_on(cx: &Context, start: &State, feet: Feet, gait: &Gait) -> bool {
    let braking = BRAKING_FRACTION * cx.limits.linear_acceleration;
    over_reach(cx, start, feet, gait, start.twist[1], |edge| edge.factor(braking, Ramp::lag(cx.limits))) >= 1.0
}

/// The least factor over the edges of the reach of all feet on the ground, where they stay until they have been lifted
/// and have drifted on.
#[inline]
pub(crate) fn over_reach(
    cx: &Context,
    start: &State,
    Feet { walk, nominal }: Feet,
    gait: &Gait,
    twist: Twist,
    factor: impl Fn(Boundary) -> f64,
) -> f64 {
    let (mut least, reach) = (1.0f64, nominal.reach_with(gait));
    let (drift, most) = (gait.drift() * walk.cycle, limits::short_fraction(&reach));
    for (leg, (foot, &rest)) in walk.feet().iter().zip(nominal.rest()).enumerate() {
        let Foot::Planted { at } = foot else { continue };
        let time_left = (walk.time_to_lift(gait, leg) + drift) / start.swing_pace;
        let time_left = if walk.waiting { f64::INFINITY } else { time_left };
        if reach.fraction(at.xy() - twist.velocity_at(at.xy()) * time_left - rest) <= most {
            // It is still well within its reach when it is lifted, and bounds nothing.
            continue;
        }
        // Who cannot brake hard looks ahead, to the edge behind a foot that is still on its way there.
        let edge = if cx.plant.joints.is_some() { limits::reach_across } else { limits::reach };
        least = least.min(factor(edge(at.xy(), rest, &reach, time_left, twist)));
    }
    least
}

/// The fraction of a twist with which no foot on the ground leaves its reach before the next point of the grid.
#[inline]
pub(crate) fn within_reach(walk: &Walk, gait: &Gait, twist: Twist) -> f64 {
    let (mut least, reach) = (1.0f64, walk.nominal.reach_with(gait));
    for (foot, &rest) in walk.feet().iter().zip(walk.nominal.rest()) {
        let Foot::Planted { at } = foot else { continue };
        if !limits::is_far_within(at.xy(), rest, &reach, GRID_S, twist) {
            let edge = limits::reach(at.xy(), rest, &reach, f64::INFINITY, twist);
            least = least.min(edge.hard_factor(GRID_S));
        }
    }
    least
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::gait::GaitSpec;
    use crate::gait::sides::leg_places;
    use crate::plan::context::tests::context;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector2;
    use proptest::prelude::*;

    const FASTEST: f64 = 0.2;

    proptest! {
        #[test]
        fn when_any_twist_is_walked_expect_the_longest_cycle_whose_steps_are_no_longer_than_the_stride(
            vx in -FASTEST..FASTEST, vy in -FASTEST..FASTEST, wz in -1.0..1.0f64,
        ) {
            let (plant, tripod) = shipped();
            let spec = GaitSpec { least_cycle_time: Some(0.5 * tripod.cycle_time()), ..GaitSpec::default() };
            let gait = Gait::try_new(&spec, &leg_places(&plant.robot)).unwrap();
            let ([least, most], twist) = (gait.cycle_times(), Twist::new(vx, vy, wz));
            let nominal = plant.stance.own_nominal();
            let cycle = cycle_for(&nominal, &gait, twist);
            prop_assert!((least..=most).contains(&cycle));
            let factor = |cycle: f64| stroke_factor(&nominal, &gait, cycle, twist);
            prop_assert!(cycle == least || factor(cycle) > 1.0 - 1e-9, "{cycle} s: {}", factor(cycle));
            prop_assert!(cycle == most || factor(1.01 * cycle) < 1.0, "{cycle} s is not the longest");
            // With that part of the twist, steps are as long as the stroke.
            let allowed = twist.scaled(factor(most));
            prop_assert!(stroke_factor(&nominal, &gait, most, allowed) > 1.0 - 1e-9);
        }
    }

    #[test]
    fn when_a_foot_is_at_the_edge_of_its_reach_expect_it_to_bound_what_takes_it_out_alone() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let ahead = Twist::new(0.05, 0.0, 0.0);
        assert_eq!(within_reach(&state.walk, cx.gait, ahead), 1.0);
        let back = Vector2::new(0.999 * state.walk.nominal.reach.axes().x, 0.0);
        state.walk.feet[0] = Foot::Planted { at: (state.walk.nominal.place(0) - back).push(0.0) };
        assert!(within_reach(&state.walk, cx.gait, ahead) < 0.5);
        assert_eq!(within_reach(&state.walk, cx.gait, ahead.scaled(-1.0)), 1.0);
        // So near to the edge it cannot stay until its turn.
        state.walk.phase = cx.gait.lift_off_phase(0) + 0.01;
        assert!(!can_go_on(&cx, &State { twist: [ahead; 2], ..state }, Feet::of(&state.walk), cx.gait));
        assert!(can_go_on(&cx, &State { twist: [ahead.scaled(-1.0); 2], ..state }, Feet::of(&state.walk), cx.gait));
    }
}
