//! Before the robot sits: feet that stand where their legs could not bend as far as the body comes down are put back.

use crate::plan::context::Context;
use crate::plan::stand::LIFT_MARGIN_M;
use crate::plane::limits::TwistLimits;
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::{Mode, Stopping, Then};
use hexapod_kinematics::IterationBudget;
use nalgebra::{Vector2, Vector3};

/// How far from its resting place a foot may be that is there, m.
const CENTRED_M: f64 = 0.006;
/// Cycles a robot may tread on the spot before it sits down where its feet are.
const CENTRING_CYCLES: f64 = 3.0;

/// Whether feet are being put back under the body, which is straight above them.
pub(crate) fn is_centring(cx: &Context, start: &State, stop: Stopping) -> bool {
    let centred = |leg: usize| stop.centring & (1 << leg) == 0 || is_centred(start, leg);
    let is_home = stop.centring == 0 || start.walk.nominal.raised == 0.0;
    stop.then != Then::Stand && !(is_home && (0..cx.plant.legs().len()).all(centred)) && !is_late(cx, start, stop)
}

pub(crate) fn is_late(cx: &Context, start: &State, stop: Stopping) -> bool {
    (start.ns - stop.since_ns) as f64 * 1e-9 > longest_centring(cx.limits, start.walk.cycle)
}

/// For how long after a stop began feet are put back at most, s.
pub(crate) fn longest_centring(limits: &TwistLimits, cycle: f64) -> f64 {
    CENTRING_CYCLES * cycle + Ramp::lag(limits) + 2.0
}

/// The feet that are to be put back: all that are elsewhere, or those whose legs cannot bend as far as the body has
/// to come down, or that stand so far from where they rest that the body does not come to its height in the stance.
pub(crate) fn feet_to_centre(cx: &Context, start: &State, then: Then, budget: &mut IterationBudget) -> u32 {
    let all = then == Then::GoHome && start.walk.nominal.raised != 0.0;
    let legs = (0..cx.plant.legs().len()).filter(|&leg| *start.walk.foot(leg) != Foot::Missing);
    let in_the_way = legs.filter(|&leg| {
        !is_at(start, leg, cx.plant.stance.rest())
            && (all || bars_the_stance(cx, start, leg) || !can_come_down(cx, start, leg, budget))
    });
    in_the_way.fold(0, |all, leg| all | (1 << leg))
}

/// Whether a foot is out of the reach that it has at the body's height or is to have at that of the stance.
fn bars_the_stance(cx: &Context, start: &State, leg: usize) -> bool {
    let (present, own) = (&start.walk.nominal, cx.plant.stance.own_nominal());
    let at = start.walk.foot(leg).position().xy();
    let is_out = |nominal: &NominalStance| nominal.reach_with(cx.gait).fraction(at - nominal.place(leg)) > 1.0;
    present.raised != 0.0 && (is_out(present) || is_out(&own))
}

pub(crate) fn can_come_down(cx: &Context, start: &State, leg: usize, budget: &mut IterationBudget) -> bool {
    const PARTS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
    let drop = start.height - cx.plant.stance.own_spec().sit_height;
    let mut angles = start.angles_of(leg);
    PARTS.iter().all(|fraction| {
        let down = start.walk.foot(leg).position() - Vector3::new(0.0, 0.0, start.height - fraction * drop);
        let bent = cx.plant.inverse(leg, &down, &angles, budget);
        angles = bent.unwrap_or(angles);
        bent.is_some()
    })
}

/// Whether a foot may be lifted out of turn, to be put back under a body that rests.
#[inline]
pub(crate) fn is_out_of_turn(cx: &Context, start: &State, leg: usize) -> bool {
    let Mode::Stopping(stop) = start.mode else { return false };
    start.twist == [Twist::ZERO; 2]
        && is_centring(cx, start, stop)
        && stop.centring & (1 << leg) != 0
        && !is_centred(start, leg)
}

/// Where the body leans so that a foot can be put back under it: over the others.
pub(crate) fn lean_for_centring(cx: &Context, start: &State) -> Vector2<f64> {
    if !start.walk.all_planted() {
        return start.sway;
    }
    let centre = start.centre(cx.plant);
    let waiting = (0..cx.plant.legs().len()).filter(|&leg| is_out_of_turn(cx, start, leg));
    let margins = waiting.map(|leg| (leg, start.margin_without(leg, centre)));
    let Some((leg, margin)) = margins.max_by(|a, b| a.1.total_cmp(&b.1)) else { return start.sway };
    if margin >= LIFT_MARGIN_M {
        return start.sway;
    }
    let others = start.walk.feet().iter().enumerate().filter(|(other, foot)| *other != leg && foot.is_planted());
    let (sum, count) =
        others.fold((Vector2::zeros(), 0.0), |(sum, n), (_, foot)| (sum + foot.position().xy(), n + 1.0));
    start.sway + sum / count - centre
}

/// Whether a foot is at its resting place, or on its way there.
fn is_centred(start: &State, leg: usize) -> bool {
    is_at(start, leg, start.walk.nominal.rest())
}

fn is_at(start: &State, leg: usize, places: &[Vector2<f64>]) -> bool {
    match (start.walk.foot(leg), places.get(leg)) {
        (Foot::Planted { at }, Some(place)) => (at.xy() - place).norm() < CENTRED_M,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::tests::{on_its_feet, shipped};

    fn centred(then: Then, change: impl Fn(&mut State)) -> u32 {
        let robot = shipped();
        let mut start = on_its_feet(&robot, Mode::Stopping(Stopping::now(0)));
        change(&mut start);
        feet_to_centre(&context(&robot), &start, then, &mut IterationBudget::new(1000))
    }

    #[test]
    fn when_a_foot_stands_where_its_leg_cannot_bend_as_far_as_the_body_sinks_expect_it_put_back() {
        assert_eq!(centred(Then::Sit, |_| {}), 0);
        let near = |start: &mut State| start.walk.feet[1] = moved(start, 1, 0.008);
        assert_eq!(centred(Then::Sit, near), 0, "it bends all the same");
        let in_the_way = |start: &mut State| start.walk.feet[1] = moved(start, 1, -0.13);
        assert_eq!(centred(Then::Sit, in_the_way), 1 << 1);
    }

    #[test]
    fn when_it_goes_home_from_another_height_expect_all_feet_put_back_that_are_elsewhere() {
        let robot = shipped();
        let raised = |start: &mut State| {
            start.walk.nominal = robot.0.stance.nominal(0.02, 1.0);
            start.walk.feet[1] = moved(start, 1, 0.008);
            start.walk.feet[4] = moved(start, 4, 0.008);
        };
        assert_eq!(centred(Then::GoHome, raised), 1 << 1 | 1 << 4);
    }

    #[test]
    fn when_treading_takes_too_long_expect_an_end_of_it() {
        let robot = shipped();
        let stop = Stopping { centring: 1, ..Stopping::now(0).to(Then::Sit) };
        let mut start = on_its_feet(&robot, Mode::Stopping(stop));
        start.walk.feet[0] = moved(&start, 0, 0.03);
        assert!(is_centring(&context(&robot), &start, stop) && is_out_of_turn(&context(&robot), &start, 0));
        start.ns = 10_000_000_000;
        assert!(is_late(&context(&robot), &start, stop) && !is_centring(&context(&robot), &start, stop));
    }

    /// A foot farther out from the body's middle.
    fn moved(start: &State, leg: usize, out: f64) -> Foot {
        let at = start.walk.foot(leg).position();
        Foot::Planted { at: at + out * at.xy().normalize().push(0.0) }
    }
}
