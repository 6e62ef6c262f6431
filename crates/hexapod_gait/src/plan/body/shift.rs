//! How fast the body goes to its pose over its feet: no more suddenly than a foot is lifted, and evenly along a pose that
//! comes in messages.

use crate::gait::phase::wrap_phase;
use crate::gait::posture::{BodyOffset, ROTATION_RATE_RAD_S, TRANSLATION_RATE_M_S};
use crate::gait::swing::MINIMUM_JERK_ACCELERATION;
use crate::plan::context::Context;
use crate::plane::follow::Follow;
use crate::plane::grid::GRID_S;
use crate::plane::size::Enlarged;
use crate::state::State;
use crate::state::walk::Walk;
use nalgebra::Vector2;

/// Fractions of a lifted foot's acceleration that the body's sway and its way to its pose may add to it.
const SWAY_FRACTION_OF_LIFT: f64 = 0.35;
const POSE_FRACTION_OF_LIFT: f64 = 0.25;
/// The same where it sways, too.
const BESIDE_SWAY: f64 = 0.18;
/// A fifth of gravity: a body that is thrown to and fro faster rocks off its feet or slides on them. In physics a B1 that crawls went 1.7
/// times as far as planned at 8 m/s^2, and a quadruped of the shipped robot's size rocked by 3.5 degrees instead of 0.7.
const GREATEST_SWAY_M_S2: f64 = 2.0;
/// What it may have with the lowest and slowest of steps, m/s^2.
const LEAST_M_S2: f64 = 0.5;

/// What the body does by itself around this point of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AutoMove {
    before: BodyOffset,
    pub now: BodyOffset,
    next: BodyOffset,
}

impl AutoMove {
    /// With a gait, if the body does anything.
    pub(crate) fn of(cx: &Context, walk: &Walk) -> Option<Self> {
        let auto_pose = cx.gait.auto_pose();
        let step = if walk.waiting { 0.0 } else { GRID_S / walk.cycle };
        let at = |steps: f64| auto_pose.at(wrap_phase(walk.phase + steps * step)).enlarged(1.0 / cx.plant.size);
        (!auto_pose.is_none()).then(|| Self { before: at(-1.0), now: at(0.0), next: at(1.0) })
    }
}

/// Where the offset goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShiftTarget {
    pub target: BodyOffset,
    /// The fraction of its usual acceleration that the legs bear.
    pub ease: f64,
    /// What the body does by itself beside that, if anything.
    pub auto_pose: Option<AutoMove>,
    /// Of the height beside that, before and from now on, m/s.
    pub height_rates: [f64; 2],
    /// How far the height yet goes by itself, m.
    pub height_left: f64,
}

/// Bounds of the height's way, which the feet follow as they follow the offset.
pub(crate) fn height_bounds(cx: &Context, start: &State) -> Follow {
    let speed_scale = start.mode.speed_scale();
    Follow { speed: TRANSLATION_RATE_M_S, acceleration: shift_m_s2(cx, start), speed_scale }
}

/// How fast the body's motion towards its pose may change, m/s^2. A body that sways leaves it less.
pub(crate) fn shift_m_s2(cx: &Context, start: &State) -> f64 {
    let fraction = if cx.gait.sway() > 0.0 { BESIDE_SWAY } else { POSE_FRACTION_OF_LIFT };
    acceleration(cx, fraction, start.mode.speed_scale())
}

/// How fast its sway may, m/s^2.
pub(crate) fn sway_m_s2(cx: &Context, start: &State) -> f64 {
    // Gravity does not grow with a robot.
    let greatest = GREATEST_SWAY_M_S2 / cx.plant.size.max(1.0);
    acceleration(cx, SWAY_FRACTION_OF_LIFT, start.mode.speed_scale()).min(greatest)
}

fn acceleration(cx: &Context, fraction: f64, speed_scale: f64) -> f64 {
    if let Some(joints) = &cx.plant.joints {
        return joints.shift_m_s2();
    }
    // Up in half a swing.
    let time = 0.5 * cx.gait.swing_fraction() * cx.gait.cycle_times()[0];
    speed_scale * (fraction * MINIMUM_JERK_ACCELERATION * cx.step_height / (time * time)).max(LEAST_M_S2)
}

/// The rate of the body's offset towards its target, and along what it does by itself beside that.
#[inline]
pub(crate) fn shift(cx: &Context, start: &State, aimed: &ShiftTarget) -> BodyOffset {
    let ShiftTarget { target, ease, auto_pose, height_rates, height_left } = *aimed;
    if height_left != 0.0 && start.rates.offset.is_zero() && start.offset.is_near(&target) && auto_pose.is_none() {
        // The feet take up all of it.
        return BodyOffset::default();
    }
    // What the feet take up of a way up or down, the offset does not: both together follow.
    let last = start.rates.offset.raised(height_rates[0]);
    let Some(AutoMove { before, now, next }) = auto_pose else {
        let left = start.offset.rate_to(&target, 1.0).raised(height_left);
        return followed(cx, start, ease, left, last).raised(-height_rates[1]);
    };
    // What the body does by itself is known ahead: it trails the rest alone.
    let left = start.offset.rate_to(&target.moved(&now, 1.0), 1.0).raised(height_left);
    let last = last.moved(&before.rate_to(&now, GRID_S), -1.0);
    followed(cx, start, ease, left, last).moved(&now.rate_to(&next, GRID_S), 1.0).raised(-height_rates[1])
}

/// How far that takes the centre of mass over the feet until the next point of the grid, m, at most: it is nearer to the
/// body's centre than the feet are.
#[inline]
pub(crate) fn greatest_shift(cx: &Context, rate: &BodyOffset) -> f64 {
    if rate.is_zero() { 0.0 } else { foot_speed(cx, rate) * GRID_S }
}

/// How fast a foot far from the body's centre is moved by its offset, at most, m/s.
pub(crate) fn foot_speed(cx: &Context, rate: &BodyOffset) -> f64 {
    rate.translation.norm() + rate.rotation.norm() * cx.plant.farthest_rest
}

fn followed(cx: &Context, start: &State, ease: f64, left: BodyOffset, last: BodyOffset) -> BodyOffset {
    if left.is_zero() && last.is_zero() {
        return last;
    }
    let speed_scale = start.mode.speed_scale();
    let usual = height_bounds(cx, start);
    let along = Follow { acceleration: ease * usual.acceleration, ..usual };
    // A foot is about as far from the body's centre as the resting feet are.
    let about = along.acceleration / cx.plant.farthest_rest;
    let about = Follow { speed: ROTATION_RATE_RAD_S, acceleration: about, speed_scale };
    let next = BodyOffset {
        translation: along.rate(left.translation, last.translation),
        rotation: about.rate(left.rotation, last.rotation),
    };
    // What joints with a greatest acceleration bear of both is bounded already.
    if cx.plant.joints.is_some() {
        return next;
    }
    let change = last.rate_to(&next, GRID_S);
    let parts = [change.translation.norm() / along.acceleration, change.rotation.norm() / about.acceleration];
    let fraction = Vector2::from(parts).norm();
    // A foot bears the sum.
    if fraction > 1.0 { last.moved(&change, GRID_S / fraction) } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gait::auto_pose::{AutoPose, Wave};
    use crate::plan::context::tests::context;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;
    use proptest::prelude::*;

    fn to(target: BodyOffset, auto_pose: Option<AutoMove>) -> ShiftTarget {
        ShiftTarget { target, ease: 1.0, auto_pose, height_rates: [0.0; 2], height_left: 0.0 }
    }

    fn low() -> BodyOffset {
        BodyOffset { translation: Vector3::new(0.01, 0.0, -0.01), rotation: Vector3::new(0.0, 0.1, 0.0) }
    }

    #[test]
    fn when_shifting_expect_the_target_reached_exactly_and_then_rest() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Standing));
        for _ in 0..150 {
            let before = state.rates.offset;
            state.rates.offset = shift(&cx, &state, &to(low(), None));
            let change = before.rate_to(&state.rates.offset, GRID_S);
            assert!(state.rates.offset.translation.norm() <= 0.08 + 1e-9);
            assert!(change.translation.norm() <= shift_m_s2(&cx, &state) + 1e-9, "{change:?}");
            state.offset = state.offset.moved(&state.rates.offset, GRID_S);
        }
        assert!(state.offset.is_near(&low()));
        assert!(shift(&cx, &state, &to(state.offset, None)).is_zero());
    }

    #[test]
    fn when_the_body_moves_by_itself_expect_it_there_at_each_point_of_the_grid() {
        let robot = shipped();
        let auto_pose = AutoPose { z: Wave { amplitude: 0.004, ..Wave::default() }, ..AutoPose::default() };
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let at = |phase: f64| auto_pose.at(wrap_phase(phase));
        for point in 0..300 {
            let phase = f64::from(point) * 0.0125;
            let auto_pose = AutoMove { before: at(phase - 0.0125), now: at(phase), next: at(phase + 0.0125) };
            state.rates.offset = shift(&cx, &state, &to(BodyOffset::default(), Some(auto_pose)));
            state.offset = state.offset.moved(&state.rates.offset, GRID_S);
            let missed = (state.offset.translation - auto_pose.next.translation).norm();
            assert!(point < 100 || missed < 1e-6, "{missed} m at {point}");
        }
    }
    proptest! {
        #[test]
        fn when_the_body_moves_over_its_feet_expect_the_centre_of_mass_no_farther_than_is_counted(
            from in prop::array::uniform6(-0.05..0.05f64), rate in prop::array::uniform6(-0.5..0.5f64),
        ) {
            let robot = shipped();
            let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
            let offset = |[x, y, z, a, b, c]: [f64; 6]| BodyOffset {
                translation: Vector3::new(x, y, z),
                rotation: Vector3::new(a, b, c),
            };
            let (from, rate) = (offset(from), offset(rate));
            let mut centre = |offset| {
                state.offset = offset;
                state.centre(cx.plant)
            };
            let moved = (centre(from.moved(&rate, GRID_S)) - centre(from)).norm();
            prop_assert!(moved <= greatest_shift(&cx, &rate), "{moved} m");
        }
    }
}
