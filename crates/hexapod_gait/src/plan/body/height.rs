//! How the body's height goes on while the robot steps, and the feet's room and resting places with it.

use crate::plan::body::shift::height_bounds;
use crate::plan::context::Context;
use crate::plan::twist::bounds::{Feet, can_go_on};
use crate::plane::grid::GRID_S;
use crate::plant::Plant;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use crate::state::foot::{Foot, Swing};
use crate::state::mode::Mode;
use nalgebra::{Vector1, Vector2};

/// How fast the part of the feet's reach that is used changes, per second.
const REACH_SHRINKS: f64 = 2.0;
const REACH_GROWS: f64 = 0.2;
/// Heights (m) and parts nearer to each other than this are the same.
pub(crate) const SAME: f64 = 1e-9;

/// The nominal stance that is wanted: how far it is raised, m, and its part of the feet's reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NominalTarget {
    pub raised: f64,
    pub reach_fraction: f64,
}

impl NominalTarget {
    /// Of the stance itself.
    pub(crate) const OWN: Self = Self { raised: 0.0, reach_fraction: 1.0 };
}

/// The height of the body that steps, and the nominal stance with it, until the next point of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeightStep {
    /// m, and its change per second.
    pub height: f64,
    pub rate: f64,
    /// It is as wanted: no foot lacks the room for it.
    pub is_free: bool,
    pub nominal: NominalStance,
}

/// How the body's height and the feet's room go on: towards those that are wanted as fast as the feet allow, all of which
/// have to have their room at every moment. `None` where they have come there.
#[inline]
pub(crate) fn height_step(cx: &Context, start: &State, wanted: NominalTarget) -> Option<HeightStep> {
    let NominalTarget { raised, reach_fraction } = wanted;
    let (present, own_height) = (&start.walk.nominal, cx.plant.stance.own_spec().height);
    let at = start.height - own_height;
    if (raised - at).abs() < SAME && (reach_fraction - present.reach_fraction).abs() < SAME && start.rates.height == 0.0
    {
        let nominal = || cx.plant.stance.nominal(raised, reach_fraction);
        let differs = present.raised != raised || present.reach_fraction != reach_fraction;
        return differs.then(|| HeightStep {
            height: own_height + raised,
            rate: 0.0,
            is_free: true,
            nominal: nominal(),
        });
    }
    let (least, greatest) =
        (present.reach_fraction - REACH_SHRINKS * GRID_S, present.reach_fraction + reach_grows(start));
    let next_fraction = reach_fraction.max(least).min(greatest);
    let takes = |rise: f64, fraction: f64| takes(cx, start, &cx.plant.stance.nominal(at + rise, fraction));
    let wanted = height_bounds(cx, start).rate(Vector1::new(raised - at), Vector1::new(start.rates.height)).x;
    let rate = height_rate(cx, start, wanted, |rise| takes(rise, next_fraction));
    let grows = next_fraction >= present.reach_fraction;
    let fraction = if grows || takes(rate * GRID_S, next_fraction) { next_fraction } else { present.reach_fraction };
    let is_free = rate == wanted;
    Some(HeightStep { height: start.height, rate, is_free, nominal: cx.plant.stance.nominal(at, fraction) })
}

/// How much the part of the feet's reach that is used may grow by the next point of the grid: at once where no step follows.
fn reach_grows(start: &State) -> f64 {
    let ends = matches!(start.mode, Mode::Stopping(_)) && start.walk.all_planted();
    if ends { 1.0 } else { REACH_GROWS * GRID_S }
}

/// The rate of the height where this one is wanted. It slows down before a height with which a foot would have no room, and
/// stops at it.
fn height_rate(cx: &Context, start: &State, rate: f64, takes: impl Fn(f64) -> bool) -> f64 {
    let bounds = height_bounds(cx, start);
    let stopping_distance = rate * GRID_S + rate * rate.abs() / (2.0 * bounds.acceleration);
    if takes(stopping_distance) {
        return rate;
    }
    let change = bounds.acceleration * GRID_S;
    let slower = start.rates.height - start.rates.height.max(-change).min(change);
    // A body that comes to rest does so whether or not its feet have room.
    if slower != 0.0 && takes(slower * GRID_S) { slower } else { 0.0 }
}

/// Whether all feet have their room with another nominal stance, too, and the body can go on as it does.
fn takes(cx: &Context, start: &State, next: &NominalStance) -> bool {
    let gait = cx.gait;
    let (reach, twist) = (next.reach_with(gait), start.twist[1]);
    let is_within = |(foot, rest): (&Foot, &Vector2<f64>)| match foot {
        Foot::Planted { at } | Foot::Probing(Swing { at, .. }) => reach.fraction(at.xy() - rest) <= 1.0,
        // Between where it is and where the ground has taken its touch-down by then it is within reach, too.
        Foot::Swinging(swing) => {
            let place = swing.touch_down.xy();
            let down = place - twist.velocity_at(place) * swing.left();
            [swing.at.xy(), down].iter().all(|at| reach.fraction(at - rest) <= 1.0)
        }
        Foot::Missing => true,
    };
    start.walk.feet().iter().zip(next.rest()).all(is_within)
        && can_go_on(cx, start, Feet { walk: &start.walk, nominal: next }, gait)
}

/// From here on the body's height is that of its nominal stance: it is about to step.
pub(crate) fn stepping(plant: &Plant, start: &State) -> State {
    let raised = start.walk.nominal.raised;
    let mut next = State { height: plant.stance.own_spec().height + raised, ..*start };
    next.offset.translation.z -= raised;
    next
}

/// From here on the height of the stance is the one from which its offset counts: it stands.
pub(crate) fn standing(plant: &Plant, start: &State) -> State {
    let mut next = State { height: plant.stance.own_spec().height, mode: Mode::Standing, ..*start };
    next.offset.translation.z += start.height - plant.stance.own_spec().height;
    next.rates.offset.translation.z += start.rates.height;
    next.rates.height = 0.0;
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gait::posture::TRANSLATION_RATE_M_S;
    use crate::plan::context::tests::context;
    use crate::plane::twist::Twist;
    use crate::state::mode::Stopping;
    use crate::state::tests::{on_its_feet, shipped};
    use crate::state::walk::Step;

    #[test]
    fn when_the_body_is_where_it_is_wanted_expect_no_step() {
        let robot = shipped();
        assert!(
            height_step(
                &context(&robot),
                &on_its_feet(&robot, Mode::Walking),
                NominalTarget { raised: 0.0, reach_fraction: 1.0 }
            )
            .is_none()
        );
    }

    #[test]
    fn when_the_body_rises_expect_its_rate_bounded_and_the_feet_drawn_in_with_it() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let out = state.walk.nominal.place(0).norm();
        for _ in 0..100 {
            if let Some(HeightStep { height, rate, nominal, .. }) =
                height_step(&cx, &state, NominalTarget { raised: 0.01, reach_fraction: 1.0 })
            {
                assert!(rate.abs() <= TRANSLATION_RATE_M_S + 1e-9);
                (state.height, state.rates.height, state.walk.nominal) = (height, rate, nominal);
            }
            state.height += state.rates.height * GRID_S;
        }
        assert!((state.height - 0.1).abs() < 1e-9 && state.rates.height.abs() < 1e-9, "{}", state.height);
        assert!(state.walk.nominal.place(0).norm() < out - 1e-3);
    }

    #[test]
    fn when_a_foot_stands_beyond_the_reach_it_would_have_expect_the_body_to_keep_its_height() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let edge = state.walk.nominal.place(0) + Vector2::new(state.walk.nominal.reach.axes().x, 0.0);
        state.walk.feet[0] = Foot::Planted { at: edge.push(0.0) };
        assert!(
            height_step(&cx, &state, NominalTarget { raised: 0.01, reach_fraction: 0.5 })
                .is_some_and(|step| step.rate == 0.0)
        );
    }
    #[test]
    fn when_a_touch_down_is_ahead_of_the_body_but_within_reach_by_then_expect_the_body_to_rise_meanwhile() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let (reach, twist) = (state.walk.nominal.reach, Twist::new(0.15, 0.0, 0.0));
        state.twist = [twist; 2];
        state.walk.lift(cx.gait, 0, &Step::flat(twist, 0.03, reach));
        let Foot::Swinging(swing) = state.walk.foot(0) else { unreachable!("it has been lifted") };
        assert!(reach.fraction(swing.touch_down.xy() - state.walk.nominal.place(0)) > 1.0, "as seen now");
        let wanted = NominalTarget { raised: 0.01, reach_fraction: 1.0 };
        assert!(height_step(&cx, &state, wanted).is_some_and(|step| step.rate > 0.0));
    }

    #[test]
    fn when_a_stop_has_all_feet_down_expect_all_of_their_reach_at_once_and_else_little_by_little() {
        let robot = shipped();
        let cx = context(&robot);
        let fraction = |mode: Mode| {
            let mut state = on_its_feet(&robot, mode);
            state.walk.nominal = cx.plant.stance.nominal(0.0, 0.5);
            height_step(&cx, &state, NominalTarget { raised: 0.0, reach_fraction: 1.0 })
                .map(|step| step.nominal.reach_fraction)
        };
        assert_eq!(fraction(Mode::Stopping(Stopping::now(0))), Some(1.0));
        assert_eq!(fraction(Mode::Walking), Some(0.5 + REACH_GROWS * GRID_S));
    }
}
