//! A body over feet that stand goes no faster than it can come to rest within their reach, and as gently as the legs bear
//! there.

use crate::gait::posture::BodyOffset;
use crate::path::{solve_feet, stays_usable};
use crate::plan::body::shift::{foot_speed, shift_m_s2};
use crate::plan::body::stretched::{borne_in, borne_m_s2, stands};
use crate::plan::context::Context;
use crate::plane::grid::GRID_S;
use crate::plane::limits::LimitedBy;
use crate::plant::batch_ik::{EASY_M_S2, FootLanes};
use crate::state::State;
use crate::state::foot::Foot;
use hexapod_kinematics::{IterationBudget, Look};
use nalgebra::{Isometry3, Vector3};

/// Fraction of its usual acceleration with which the body comes to rest at the end of the legs' reach.
const BRAKING_FRACTION: f64 = 0.4;
/// Fraction of what the rest of the body's way changes by while what is barred of it brakes: a foot bears the sum.
const BESIDE_BRAKING: f64 = 0.9;
/// What a look at two poses counts, no angle being worked out, in steps of the legs' iterations.
const LOOK: u32 = 1;

/// The rate of the body's offset, or a slower one, where it could else not be stopped in time; what of.
#[inline]
pub(crate) fn stoppable_offset(
    cx: &Context,
    start: &State,
    rate: BodyOffset,
    ease: f64,
    budget: &mut IterationBudget,
    look: &mut Look,
) -> (BodyOffset, LimitedBy) {
    let moves = stands(cx, start) && !rate.is_zero();
    if moves { slowed(cx, start, rate, ease, budget, look) } else { (rate, LimitedBy::Nothing) }
}

#[inline(never)]
fn slowed(
    cx: &Context,
    start: &State,
    rate: BodyOffset,
    ease: f64,
    budget: &mut IterationBudget,
    look: &mut Look,
) -> (BodyOffset, LimitedBy) {
    let braking = shift_m_s2(cx, start) * ease.min(BRAKING_FRACTION);
    let Some(by) = obstacle(cx, start, &rate, braking, budget, look) else { return (rate, LimitedBy::Nothing) };
    let last = start.rates.offset;
    let braked = last.scaled((1.0 - braking * GRID_S / foot_speed(cx, &last)).max(0.0));
    // A turn that is barred does not keep the body from the rest of its way, nor the other way round; and neither keeps it
    // from coming back along an axis.
    let eased = last.moved(&last.rate_to(&rate, 1.0), BESIDE_BRAKING);
    let parts = [
        BodyOffset { rotation: braked.rotation, ..eased },
        BodyOffset { translation: braked.translation, ..eased },
        BodyOffset {
            translation: back(&start.offset.translation, &eased.translation, &braked.translation),
            rotation: back(&start.offset.rotation, &eased.rotation, &braked.rotation),
        },
    ];
    let is_between = |part: &&BodyOffset| **part != eased && **part != braked;
    let open = |part: &&BodyOffset| obstacle(cx, start, part, braking, budget, look).is_none();
    (*parts.iter().filter(is_between).find(open).unwrap_or(&braked), by)
}

/// Of a rate, what brings an offset back to nothing; the rest of it as in the other.
fn back(offset: &Vector3<f64>, rate: &Vector3<f64>, other: &Vector3<f64>) -> Vector3<f64> {
    offset.zip_zip_map(rate, other, |offset, rate, other| if offset * rate < 0.0 { rate } else { other })
}

/// What keeps the body from coming to rest within the reach of all legs, and with none too near to another, if it moves like
/// this and then brakes by so much, m/s^2, or from bearing that. A leg may be straight on the way and bent again behind.
fn obstacle(
    cx: &Context,
    start: &State,
    rate: &BodyOffset,
    braking: f64,
    budget: &mut IterationBudget,
    look: &mut Look,
) -> Option<LimitedBy> {
    let seconds = GRID_S + 0.5 * foot_speed(cx, rate) / braking;
    let later = |seconds: f64| start.footprint_from_body_with(start.offset.moved(rate, seconds));
    let (halfway, end) = (later(0.5 * seconds), later(seconds));
    let held = |(leg, foot): (usize, &Foot)| {
        (!matches!(foot, Foot::Missing)).then(|| start.correction.over(leg, foot.position()))
    };
    let feet = start.walk.feet().iter().enumerate().map(held);
    // Mostly that is far from every leg's end, which takes no angles to be seen.
    let is_easy =
        cx.plant.batch_ik.as_ref().filter(|_| braking <= EASY_M_S2 && budget.take(LOOK)).is_some_and(|batch| {
            let feet = FootLanes::of(feet.clone());
            batch.is_easy(&halfway.inverse(), &feet) && batch.is_easy(&end.inverse(), &feet)
        });
    // A leg without a foot is folded somewhere.
    if is_easy && feet.clone().all(|foot| foot.is_some()) {
        return None;
    }
    let reached = |pose: &Isometry3<f64>, budget: &mut IterationBudget| {
        let mut angles = start.angles;
        let found = solve_feet(cx.plant, &pose.inverse(), feet.clone(), (&start.angles, 0.0), &mut angles, budget);
        found.map(|()| angles)
    };
    let Some(angles) = reached(&end, budget) else { return Some(LimitedBy::Kinematics) };
    let mut stays_within = || {
        let middle = reached(&halfway, budget)?;
        let is_within = stays_usable(cx.plant, [&start.angles, &middle, &angles]);
        let borne = borne_in(cx, start, &end, &angles, budget).unwrap_or(0.0);
        // Where the legs did not bear it in the first place, as after a landing, the way out is one that they bear no less.
        let is_borne = borne >= braking || borne >= borne_m_s2(cx, start, budget).unwrap_or(0.0);
        (is_within && is_borne && !budget.is_spent()).then_some(())
    };
    if !is_easy && stays_within().is_none() {
        return Some(LimitedBy::Kinematics);
    }
    let is_apart = cx.plant.apart.allows(&cx.plant.robot, [&start.angles, &angles], look);
    (!is_apart).then_some(LimitedBy::Clearance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::plant::Plant;
    use crate::state::mode::Mode;
    use crate::state::tests::{bent, on_its_feet, shipped};
    use proptest::prelude::*;

    const BUDGET: u32 = 1000;

    #[test]
    fn when_the_body_is_far_from_the_end_of_its_reach_expect_its_rate_kept() {
        let robot = shipped();
        let (cx, state) = (context(&robot), on_its_feet(&robot, Mode::Standing));
        let rate = BodyOffset { translation: Vector3::new(0.08, 0.0, 0.0), rotation: Vector3::zeros() };
        let slowed = stoppable_offset(&cx, &state, rate, 1.0, &mut IterationBudget::new(BUDGET), &mut Look::default());
        assert_eq!(slowed, (rate, LimitedBy::Nothing));
    }

    /// As after a walk that was given up, and feet put down as far as their legs go.
    #[test]
    fn when_legs_bear_nothing_where_the_body_is_expect_it_to_find_the_way_back() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Standing));
        let rate = |z: f64| BodyOffset { translation: Vector3::new(0.0, 0.0, z), rotation: Vector3::zeros() };
        while let Some(next) = tried(&robot.0, &state, 1e-5) {
            state = next;
        }
        assert_eq!(borne_m_s2(&cx, &state, &mut IterationBudget::new(BUDGET)), None);
        let granted = |state: &State, rate| {
            stoppable_offset(&cx, state, rate, 0.03, &mut IterationBudget::new(BUDGET), &mut Look::default())
        };
        assert_eq!(granted(&state, rate(-0.001)), (rate(-0.001), LimitedBy::Nothing));
        assert!(granted(&state, rate(0.01)).1 == LimitedBy::Kinematics, "and none beyond its legs");
        let spent =
            stoppable_offset(&cx, &state, rate(-0.001), 0.03, &mut IterationBudget::new(4), &mut Look::default());
        assert_eq!(spent, (BodyOffset::default(), LimitedBy::Kinematics), "nor one that is not known");
        // Where they bear little, none that they bear less of.
        while borne_m_s2(&cx, &state, &mut IterationBudget::new(BUDGET)).is_none_or(|borne| borne < 0.02) {
            state = tried(&robot.0, &state, -1e-5).unwrap_or(state);
        }
        assert_eq!(granted(&state, rate(0.001)).1, LimitedBy::Kinematics);
        assert_eq!(granted(&state, rate(-0.001)).1, LimitedBy::Nothing);
    }

    /// A body that is higher by so much, m, if its legs reach.
    fn tried(plant: &Plant, state: &State, higher: f64) -> Option<State> {
        let mut next = *state;
        next.offset = state.offset.raised(higher);
        crate::path::solve(plant, state, &mut next, &mut IterationBudget::new(BUDGET)).map(|()| next)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

        #[test]
        fn when_the_body_is_driven_out_of_its_reach_expect_it_to_rest_within_it_and_its_joints_never_jolted(
            way in prop::array::uniform3(-1.0..1.0f64), turn in prop::array::uniform3(-4.0..4.0f64),
        ) {
            let robot = shipped();
            let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Standing));
            let push = BodyOffset { translation: way.into(), rotation: turn.into() };
            let usual = shift_m_s2(&cx, &state);
            let push = push.scaled(usual * GRID_S / foot_speed(&cx, &push));
            let (mut before, mut held) = (state.angles, false);
            for _ in 0..300 {
                let budget = &mut IterationBudget::new(BUDGET);
                let rate = state.rates.offset.moved(&push, 1.0);
                let rate = rate.scaled((0.15 / foot_speed(&cx, &rate)).min(1.0));
                let (rate, by) = stoppable_offset(&cx, &state, rate, 1.0, budget, &mut Look::default());
                held |= by == LimitedBy::Kinematics;
                (state.rates.offset, state.offset) = (rate, state.offset.moved(&rate, GRID_S));
                let next = bent(&robot.0, state);
                for ((now, middle), first) in next.angles.iter().zip(&state.angles).zip(&before) {
                    for ((now, middle), first) in now.iter().zip(middle.iter()).zip(first.iter()) {
                        let change = (now - 2.0 * middle + first).abs() / (GRID_S * GRID_S);
                        prop_assert!(change < 100.0, "{change} rad/s^2");
                    }
                }
                (before, state) = (state.angles, next);
            }
            prop_assert!(held && foot_speed(&cx, &state.rates.offset) < usual * GRID_S + 1e-9);
        }
    }
}
