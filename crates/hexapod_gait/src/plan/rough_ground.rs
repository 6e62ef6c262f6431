//! Care on rough ground. A foot that comes down on the edge of a stone holds as long as it bears little, and slides off when
//! the body rests on it: just after others were lifted. So on rough ground feet are held low for a moment after they are
//! lifted, where they catch the body at once, and each cycle takes so much longer.

use crate::plan::context::Context;
use crate::plan::twist::bounds::cycle_for;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::walk::Walk;

/// Ground is rough where feet stand so far above or below their mean, m.
const ROUGH_M: f64 = 0.002;
/// For how long feet are held low there, s: the body comes to rest within half of it.
pub(crate) const HELD_S: f64 = 0.16;

/// For how long feet are held low, s: nothing but on rough ground, where feet search for it, which are up at once else. A gait
/// that falls from step to step has no time for it.
#[inline]
fn held_low_s(cx: &Context, walk: &Walk) -> f64 {
    let may_hold = cx.gait.searches() && cx.gait.is_stable();
    if may_hold && !walk.is_on_plane_ground() && is_rough(walk) { HELD_S } else { 0.0 }
}

/// How much longer each cycle is for that, s.
#[inline]
pub(crate) fn longer_cycle_s(cx: &Context, walk: &Walk) -> f64 {
    let held_s = held_low_s(cx, walk);
    if held_s == 0.0 { 0.0 } else { held_s / cx.gait.swing_fraction() }
}

/// For how long a foot that is lifted now is held low, s: as far as the cycle has become longer for it.
pub(crate) fn time_to_hold(cx: &Context, start: &State) -> f64 {
    let held_s = held_low_s(cx, &start.walk);
    if held_s == 0.0 {
        return 0.0;
    }
    let shorter = cycle_for(&start.walk.nominal, cx.gait, start.aim_after(0.0));
    held_s.min(cx.gait.swing_fraction() * (start.walk.cycle - shorter)).max(0.0)
}

fn is_rough(walk: &Walk) -> bool {
    let mean = walk.mean_height();
    walk.feet().iter().filter_map(Foot::met).any(|at| (at.z - mean).abs() > ROUGH_M)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gait::Gait;
    use crate::plan::context::tests::context;
    use crate::plant::Plant;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;

    fn feeling() -> (Plant, Gait) {
        let (plant, gait) = shipped();
        (plant, gait.feeling())
    }

    /// A robot that walks with one foot so far above the others.
    fn with_a_foot_at(height_m: f64) -> State {
        let mut state = on_its_feet(&feeling(), Mode::Walking);
        let at = state.walk.foot(0).position() + Vector3::new(0.0, 0.0, height_m);
        state.walk.feet[0] = Foot::Planted { at };
        state
    }

    #[test]
    fn when_the_ground_is_nearly_plane_expect_feet_lifted_at_once() {
        let robot = feeling();
        for height_m in [0.0, 1e-4, 0.002] {
            let state = with_a_foot_at(height_m);
            assert_eq!(
                (longer_cycle_s(&context(&robot), &state.walk), time_to_hold(&context(&robot), &state)),
                (0.0, 0.0)
            );
        }
    }

    #[test]
    fn when_the_ground_is_rough_expect_feet_held_low_as_far_as_the_cycle_has_become_longer() {
        let robot = feeling();
        let mut state = with_a_foot_at(0.006);
        let longer_s = longer_cycle_s(&context(&robot), &state.walk);
        assert!((longer_s * robot.1.swing_fraction() - HELD_S).abs() < 1e-12);
        for (fraction, held_s) in [(0.0, 0.0), (0.5, 0.5 * HELD_S), (1.0, HELD_S), (2.0, HELD_S)] {
            state.walk.cycle = robot.1.cycle_time() + fraction * longer_s;
            let time = time_to_hold(&context(&robot), &state);
            assert!((time - held_s).abs() < 1e-12, "{time} of {fraction}");
        }
    }
}
