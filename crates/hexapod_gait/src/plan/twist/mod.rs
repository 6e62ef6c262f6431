//! The body's twist: limited as a whole, so the turning centre stays where the driver put it.

pub(crate) mod bounds;

use crate::plan::context::Context;
use crate::plan::control::Gaits;
use crate::plan::stand::{Stand, over_edges};
use crate::plan::twist::bounds::{Feet, cycle_for, over_reach, stroke_factor, within_reach};
use crate::plane::grid::GRID_S;
use crate::plane::limits::{BRAKING_FRACTION, Limited, LimitedBy};
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::state::State;

/// How much faster than the body's twist the twist may change that feet in the air expect.
const AIM_RATE: f64 = 3.0;
/// How quickly the mean pace of the swings follows, in parts for each step of the grid.
const PACE_FALL: f64 = 0.04;
const PACE_RISE: f64 = 0.01;
/// How fast the cycle time changes, per second.
const CYCLE_RATE: f64 = 0.5;

/// How quickly steps follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cadence {
    /// Seconds that a cycle takes.
    pub cycle: f64,
    /// The mean pace of the swings.
    pub mean_pace: f64,
}

/// The twist at the next point of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TwistStep {
    pub limited: Limited,
    /// The twist that feet in the air expect when they are down.
    pub aim: Twist,
}

/// The twist that is wanted of a robot, within the greatest velocity.
#[inline]
pub(crate) fn bounded(cx: &Context, start: &State, wanted: Twist) -> Limited {
    let limited = cx.limits.velocity(Limited::unlimited(wanted));
    // The body must not run away from the foot whose turn it is. Where that waits for another to meet the ground, it goes on
    // as far as the feet on the ground reach and carry it.
    if start.walk.waiting && !start.walk.seeks_ground() { limited.scaled(0.0, LimitedBy::Stability) } else { limited }
}

/// The cadence until the next point of the grid, where such a twist is wanted.
#[inline]
pub(crate) fn cadence(cx: &Context, start: &State, wanted: Twist) -> Cadence {
    let mut mean_pace = start.mean_pace;
    if start.walk.time_in_the_air() > 0.0 {
        let gain = if start.swing_pace < mean_pace { PACE_FALL } else { PACE_RISE };
        mean_pace += gain * (start.swing_pace - mean_pace);
    }
    let most = CYCLE_RATE * GRID_S * start.walk.cycle;
    let wanted = cycle_for(&start.walk.nominal, cx.gait, wanted);
    let cycle = start.walk.cycle + (wanted - start.walk.cycle).max(-most).min(most);
    let least = if cx.plant.joints.is_some() { cx.gait.cycle_times()[0] } else { 0.0 };
    Cadence { cycle: cycle.max(least), mean_pace }
}

/// The step of the twist towards one that is [`bounded`], at the present cadence.
#[inline]
pub(crate) fn steer(
    cx: &Context,
    ramp: &mut Ramp,
    gaits: &Gaits,
    start: &State,
    mut limited: Limited,
    stand: Option<&Stand>,
) -> TwistStep {
    let (settings, gait) = (*cx.limits, cx.gait);
    // Swings that the joints draw out make steps longer.
    let cycle = start.walk.cycle / start.mean_pace;
    let stroke = stroke_factor(&start.walk.nominal, gait, cycle, limited.twist);
    // A cycle that is longer than the gait's own is so for the joints.
    let longer = cx.plant.joints.is_some() && cycle > gait.cycle_time() * (1.0 + 1e-9);
    let by = if longer { LimitedBy::JointAcceleration } else { LimitedBy::Stride };
    limited = limited.scaled(stroke, by);
    if let Some(next) = &gaits.next {
        let factor = stroke_factor(&start.walk.nominal, next, next.cycle_times()[0], limited.twist);
        limited = limited.scaled(factor * waiting_fraction(cx, gaits, start), LimitedBy::Stride);
    }
    // Feet in the air are put where they will be wanted once what slows the body now is over.
    let aim = limited.twist;
    let (braking, lag) = (BRAKING_FRACTION * settings.linear_acceleration, Ramp::lag(&settings));
    let feet = Feet::of(&start.walk);
    let reach = over_reach(cx, start, feet, gait, limited.twist, |edge| edge.short().factor(braking, lag));
    limited = limited.scaled(reach, LimitedBy::Reach);
    let balance = over_edges(start, stand, limited.twist, |edge| edge.factor(braking, lag));
    limited = limited.scaled(balance, LimitedBy::Stability);
    let mut ramped = ramp.step(limited, &settings);
    let hard = within_reach(&start.walk, cx.gait, ramped.twist);
    let hard = if hard < 1.0 { hard.max(least_braking_fraction(cx, ramped.twist)) } else { 1.0 };
    if hard < 1.0 {
        ramp.scale(hard);
        ramped = ramped.scaled(hard, LimitedBy::Reach);
    }
    let hard = over_edges(start, stand, ramped.twist, |edge| edge.hard_factor(GRID_S));
    if hard < 1.0 {
        ramp.scale(hard);
        ramped = ramped.scaled(hard, LimitedBy::Stability);
    }
    // With accelerations that the joints limit, it follows no faster than they bear.
    let aim_rate = if cx.plant.joints.is_some() { 1.0 } else { AIM_RATE };
    let aim = settings.acceleration(start.aim[1], Limited::unlimited(aim), aim_rate * GRID_S);
    TwistStep { limited: ramped, aim: aim.twist }
}

/// The fraction of a twist at the next point of the grid when it is braked as hard as joints of limited acceleration
/// bear, whose feet have a little way beyond their reach.
#[inline(never)]
fn least_braking_fraction(cx: &Context, twist: Twist) -> f64 {
    let Some(joints) = &cx.plant.joints else { return 0.0 };
    let speed = twist.speed() + twist.wz.abs() * cx.plant.farthest_rest;
    (1.0 - joints.change_m_s2() * GRID_S / speed).max(0.0)
}

/// The fraction of the twist while another gait waits to be taken up: the longer it waits, the less.
fn waiting_fraction(cx: &Context, gaits: &Gaits, start: &State) -> f64 {
    let waited = start.ns.saturating_sub(gaits.since_ns) as f64 * 1e-9 / cx.gait.cycle_time();
    (1.5 - waited).clamp(0.2, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::foot::Foot;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use crate::state::walk::Step;
    use nalgebra::Vector3;

    fn gaits(cx: &Context) -> Gaits {
        Gaits { walked: *cx.gait, next: None, since_ns: 0 }
    }

    #[test]
    fn when_a_foot_waits_for_its_turn_expect_the_body_to_wait_for_it() {
        let robot = shipped();
        let mut state = on_its_feet(&robot, Mode::Walking);
        let wanted = Twist::new(0.1, 0.0, 0.2);
        assert_eq!(bounded(&context(&robot), &state, wanted), Limited::unlimited(wanted));
        state.walk.waiting = true;
        let bounded = bounded(&context(&robot), &state, wanted);
        assert!(bounded.twist.is_zero() && bounded.by == LimitedBy::Stability);
    }

    #[test]
    fn when_a_foot_has_yet_to_meet_the_ground_expect_the_body_to_go_on_as_far_as_the_others_reach() {
        let robot = shipped();
        let (cx, mut state, mut ramp) = (context(&robot), on_its_feet(&robot, Mode::Walking), Ramp::REST);
        state.walk.waiting = true;
        state.walk.feet[0] = Foot::probing(state.walk.foot(0).position());
        let wanted = bounded(&cx, &state, Twist::new(0.1, 0.0, 0.0));
        assert_eq!(wanted, Limited::unlimited(Twist::new(0.1, 0.0, 0.0)));
        let mut steer = |state: &State| {
            (0..200).fold(0.0, |_, _| steer(&cx, &mut ramp, &gaits(&cx), state, wanted, None).limited.twist.vx)
        };
        assert!(steer(&state) > 0.05);
        let back = Vector3::new(0.99 * state.walk.nominal.reach.axes().x, 0.0, 0.0);
        state.walk.feet[1] = Foot::Planted { at: state.walk.foot(1).position() - back };
        assert!(steer(&state) < 0.01, "a foot is at the end of its reach");
    }

    #[test]
    fn when_a_step_would_be_too_long_expect_the_twist_scaled_as_a_whole_and_the_stroke_named() {
        let robot = shipped();
        let (cx, mut state, mut ramp) = (context(&robot), on_its_feet(&robot, Mode::Walking), Ramp::REST);
        let wanted = Limited::unlimited(Twist::new(0.19, 0.0, 0.9));
        let mut step = steer(&cx, &mut ramp, &gaits(&cx), &state, wanted, None);
        for _ in 0..200 {
            state.twist = [state.twist[1], step.limited.twist];
            state.aim = [state.aim[1], step.aim];
            step = steer(&cx, &mut ramp, &gaits(&cx), &state, wanted, None);
        }
        let (twist, aim) = (step.limited.twist, step.aim);
        assert!(aim.speed() < 0.19 && (aim.vx * 0.9 - aim.wz * 0.19).abs() < 1e-12, "{aim:?}");
        assert!((stroke_factor(&state.walk.nominal, cx.gait, state.walk.cycle, aim) - 1.0).abs() < 1e-9);
        assert!(step.limited.by >= LimitedBy::Stride && twist.speed() <= aim.speed() + 1e-12, "{step:?}");
    }

    #[test]
    fn when_another_gait_waits_expect_less_of_the_twist_the_longer_it_waits() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let parts = [0.0, 0.8, 10.0].map(|cycles| {
            state.ns = (cycles * cx.gait.cycle_time() * 1e9) as u64;
            waiting_fraction(&cx, &gaits(&cx), &state)
        });
        assert!(parts[0] == 1.0 && (parts[1] - 0.7).abs() < 1e-6 && parts[2] == 0.2, "{parts:?}");
    }

    #[test]
    fn when_joints_draw_swings_out_expect_the_mean_pace_to_follow_and_the_cycle_to_stay() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let reach = state.walk.nominal.reach;
        let step = Step::flat(Twist::ZERO, 0.03, reach);
        state.walk.lift(cx.gait, 0, &step);
        state.swing_pace = 0.5;
        let Cadence { cycle, mean_pace } = cadence(&cx, &state, Twist::ZERO);
        assert!(cycle == cx.gait.cycle_time() && (mean_pace - 0.98).abs() < 1e-12, "{cycle} {mean_pace}");
    }
}
