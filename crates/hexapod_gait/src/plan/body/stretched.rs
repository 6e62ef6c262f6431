//! How gently the body goes over feet that stand far out: a joint of a leg that is nearly straight turns far for little.

use crate::gait::posture::BodyOffset;
use crate::path::{greatest_turn, solve_feet};
use crate::plan::body::shift::shift_m_s2;
use crate::plan::context::Context;
use crate::plane::twist::Twist;
use crate::plant::joints::FOR_STANDING;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use hexapod_kinematics::{IterationBudget, LegAngles, MAX_LEGS};
use nalgebra::Isometry3;

/// By how much of its distance from the body each foot is moved away to see how its joints follow.
const STRETCH: f64 = 1e-3;
/// The least part of its usual acceleration that the body has, however straight a leg is.
const LEAST_FRACTION: f64 = 1.0 / 30.0;

/// Whether the room of the feet is where their legs reach: all stand. Where the body steps, what its feet have room for is
/// searched beforehand, unless their joints may not be held up at all.
#[inline]
pub(crate) fn stands(cx: &Context, start: &State) -> bool {
    let counts = matches!(start.mode, Mode::Standing) || cx.plant.joints.is_some();
    counts && start.walk.all_planted() && start.twist == [Twist::ZERO; 2]
}

/// The fraction of its usual acceleration that the legs bear where the body is, on its way to a pose over feet that all
/// stand; all of it where none holds it.
#[inline]
pub(crate) fn ease(cx: &Context, start: &State, target: BodyOffset, budget: &mut IterationBudget) -> f64 {
    let moves = || start.offset != target || !start.rates.offset.is_zero();
    if stands(cx, start) && moves() { eased(cx, start, budget) } else { 1.0 }
}

#[inline(never)]
fn eased(cx: &Context, start: &State, budget: &mut IterationBudget) -> f64 {
    let borne = borne_m_s2(cx, start, budget).unwrap_or(0.0);
    (borne / shift_m_s2(cx, start)).clamp(LEAST_FRACTION, 1.0)
}

/// How much a robot's feet may be accelerated where it stands, m/s^2, by what the joints bear of a way straight from the
/// body, for which a nearly straight leg turns the farthest; none at the end of a leg's reach.
pub(crate) fn borne_m_s2(cx: &Context, start: &State, budget: &mut IterationBudget) -> Option<f64> {
    borne_in(cx, start, &start.footprint_from_body(), &start.angles, budget)
}

/// The same with the body in another pose over the same feet, to which these angles belong.
#[inline(never)]
pub(crate) fn borne_in(
    cx: &Context,
    start: &State,
    footprint_from_body: &Isometry3<f64>,
    angles: &[LegAngles; MAX_LEGS],
    budget: &mut IterationBudget,
) -> Option<f64> {
    let body = footprint_from_body.translation.vector;
    let mut ways = [0.0; MAX_LEGS];
    let feet = start.walk.feet().iter().enumerate().zip(&mut ways).map(|((leg, foot), way)| {
        let from_body = (start.foot_position(leg) - body) * STRETCH;
        let is_there = !matches!(foot, Foot::Missing);
        if is_there {
            *way = from_body.norm();
        }
        is_there.then(|| start.correction.over(leg, foot.position() + from_body))
    });
    let mut stretched = *angles;
    solve_feet(cx.plant, &footprint_from_body.inverse(), feet, (angles, 0.0), &mut stretched, budget)?;
    let taken = greatest_turn(cx.plant, angles, &stretched, &ways);
    Some(FOR_STANDING / taken.max(f64::MIN_POSITIVE))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::plant::batch_ik::{EASY_M_S2, FootLanes};
    use crate::plant::{Plant, settings::Settings};
    use crate::state::tests::{bent, on_its_feet, shipped};
    use hexapod_kinematics::{LegOptions, LimitChange, Robot};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// The fraction of its usual acceleration that a body which is so much higher has on its way up by `way` m more,
    /// where the joints have such a bound.
    fn eased_at(z: f64, way: f64, acceleration: Option<f64>) -> f64 {
        let (plant, gait) = shipped();
        let change = LimitChange { acceleration, ..LimitChange::default() };
        let options = LegOptions { limits: vec![change], ..LegOptions::default() };
        let urdf = include_str!("../../../../../urdf/hexapod.urdf");
        let robot = Arc::new(Robot::from_urdf_with(urdf, &options).unwrap());
        let limits = crate::plane::limits::tests::LIMITS;
        let stance = plant.stance;
        let settings = Settings {
            stance: stance.own_spec(),
            step_height: 0.03,
            limits,
            stand_time: 1.5,
            sit_time: 0.8,
            leg_clearance: crate::plant::settings::LegClearance::default(),
        };
        let robot = (Plant::new(robot, &settings, stance), gait);
        let mut start = on_its_feet(&robot, Mode::Standing);
        start.offset = start.offset.raised(z);
        let start = bent(&robot.0, start);
        ease(&context(&robot), &start, start.offset.raised(way), &mut IterationBudget::new(1000))
    }

    #[test]
    fn when_nothing_moves_or_legs_are_bent_expect_the_usual_acceleration() {
        assert_eq!([eased_at(0.0, 0.0, None), eased_at(0.06, 0.0, None), eased_at(0.0, 0.01, None)], [1.0; 3]);
    }

    #[test]
    fn when_legs_get_nearly_straight_expect_it_gentler_the_straighter_they_get() {
        for limited in [Some(60.0), None] {
            let parts = [0.06, 0.064, 0.0668].map(|z| eased_at(z, -0.01, limited));
            assert!(parts[0] > parts[1] && parts[1] > parts[2] && parts[2] >= LEAST_FRACTION, "{parts:?}");
        }
    }

    proptest! {
        #[test]
        fn when_every_leg_is_in_its_easy_range_expect_it_to_bear_what_is_said_of_that(
            shift in prop::array::uniform3(-0.06..0.06f64), turn in prop::array::uniform3(-0.35..0.35f64),
        ) {
            let robot = shipped();
            let (cx, mut start) = (context(&robot), on_its_feet(&robot, Mode::Standing));
            let batch = robot.0.batch_ik.as_ref().unwrap();
            let is_easy = |start: &State| {
                let feet = FootLanes::of(start.walk.feet().iter().map(|foot| Some(foot.position())));
                batch.is_easy(&start.footprint_from_body().inverse(), &feet)
            };
            prop_assert!(is_easy(&start), "at rest");
            start.offset = BodyOffset { translation: shift.into(), rotation: turn.into() };
            if is_easy(&start) {
                let start = bent(&robot.0, start);
                let borne = borne_m_s2(&cx, &start, &mut IterationBudget::new(1000));
                prop_assert!(borne.is_some_and(|borne| borne >= EASY_M_S2), "{borne:?}");
            }
        }
    }
}
