//! What the body does over its feet never takes the centre of mass out of their midst.

use crate::gait::posture::BodyOffset;
use crate::plan::body::shift::{foot_speed, shift_m_s2};
use crate::plan::context::Context;
use crate::plan::stand::{MARGIN_M, Stand};
use crate::plane::grid::GRID_S;
use crate::state::State;
use crate::state::rates::BodyRates;
use nalgebra::Vector2;

/// The rates of the body over its feet, without what of its offset and sway would take the centre of mass out of the midst
/// of its feet. The offset comes to rest before, changing by no more than it may.
#[inline]
pub(crate) fn balanced(cx: &Context, start: &State, stand: Option<&Stand>, rates: BodyRates) -> BodyRates {
    let Some(Stand { centre, in_body, edges, .. }) = stand else { return rates };
    let walked = start.twist[1].velocity_at(*centre) * GRID_S;
    let now = edges.margin(*centre);
    let falls = |rates: &BodyRates| {
        let later = start.footprint_from_body_after(GRID_S, rates);
        let after = edges.margin(later.transform_point(&(*in_body).into()).coords.xy() + walked);
        after < MARGIN_M && after < now
    };
    // Of the speed in one step of the grid.
    let change = shift_m_s2(cx, start) * GRID_S;
    let stopping_factor = 1.0 + 0.5 * foot_speed(cx, &rates.offset) / change;
    if !falls(&with_offset(&rates, rates.offset.scaled(stopping_factor))) {
        return rates;
    }
    let last = start.rates.offset;
    let braking = with_offset(&rates, last.scaled((1.0 - change / foot_speed(cx, &last)).max(0.0)));
    if !falls(&braking) {
        return braking;
    }
    let swaying = with_offset(&rates, BodyOffset::default());
    if falls(&swaying) { BodyRates { sway: Vector2::zeros(), ..swaying } } else { swaying }
}

fn with_offset(rates: &BodyRates, offset: BodyOffset) -> BodyRates {
    BodyRates { offset, ..*rates }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::plan::stand::{over_edges, stand_of};
    use crate::plane::twist::Twist;
    use crate::state::foot::Foot;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use crate::state::walk::Step;
    use nalgebra::Vector3;

    /// On three feet, leaning ahead until the centre of mass is hardly more than its margin from the edge.
    fn at_the_edge() -> (State, Stand) {
        let robot = shipped();
        let cx = context(&robot);
        let mut state = on_its_feet(&robot, Mode::Walking);
        let (reach, twist) = (state.walk.nominal.reach, Twist::ZERO);
        for leg in (0..6).filter(|&leg| robot.1.offset(leg) == robot.1.offset(0)) {
            state.walk.lift(&robot.1, leg, &Step::flat(twist, 0.03, reach));
        }
        assert_eq!(state.walk.feet().iter().filter(|foot| matches!(foot, Foot::Planted { .. })).count(), 3);
        state.margin_budget_m = -1.0;
        for step in 0..600 {
            state.sway.x = 5e-4 * f64::from(step);
            let stand = stand_of(&cx, &state).unwrap();
            if stand.edges.margin(stand.centre) < MARGIN_M + 5e-4 {
                return (state, stand);
            }
        }
        panic!("there is an edge ahead")
    }

    fn rates(offset: f64, sway: f64) -> BodyRates {
        let mut rates = BodyRates { sway: Vector2::new(sway, 0.0), ..BodyRates::REST };
        rates.offset.translation = Vector3::new(offset, 0.0, 0.0);
        rates
    }

    #[test]
    fn when_the_body_would_leave_the_midst_of_its_feet_expect_its_offset_stopped_and_its_sway_only_if_it_must_be() {
        let (robot, (mut state, stand)) = (shipped(), at_the_edge());
        let cx = context(&robot);
        let balanced = |state: &State, offset, sway| balanced(&cx, state, Some(&stand), rates(offset, sway));
        assert_eq!(balanced(&state, -0.1, -0.1), rates(-0.1, -0.1), "back");
        assert_eq!(balanced(&state, 0.5, -0.1), rates(0.0, -0.1));
        assert_eq!(balanced(&state, 0.0, 0.5), rates(0.0, 0.0));
        assert_eq!(super::balanced(&cx, &state, None, rates(0.5, 0.5)), rates(0.5, 0.5), "far from every edge");
        // Still a little way off, it comes to rest as gently as it moves.
        state.rates.offset.translation.x = 0.03;
        let slower = balanced(&state, 0.04, 0.0).offset.translation.x;
        assert!(slower < 0.03 && 0.03 - slower <= shift_m_s2(&cx, &state) * GRID_S + 1e-12, "{slower} m/s");
    }

    #[test]
    fn when_the_walk_goes_towards_an_edge_expect_it_to_bound_the_twist_and_not_the_other_way() {
        let (state, stand) = at_the_edge();
        let factor =
            |vx: f64| over_edges(&state, Some(&stand), Twist::new(vx, 0.0, 0.0), |edge| edge.hard_factor(GRID_S));
        assert!(factor(0.2) < 1.0 && factor(0.2) > 0.0, "{}", factor(0.2));
        assert_eq!(factor(-0.2), 1.0);
    }
}
