//! How the body goes over feet that stand far out: a joint of a leg that is nearly straight turns far for little. The
//! body goes no faster than the legs bear where they are and where they are taken to, and no farther than they reach.

use crate::gait::posture::BodyOffset;
use crate::plan::context::Context;
use crate::plane::follow::Follow;
use crate::plane::twist::Twist;
use crate::plant::joints::shift_over;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use hexapod_kinematics::{Effort, LegAngles};

/// Parts of the way to a pose that are tried where the legs do not reach all of it.
const PARTS: [f64; 5] = [1.0, 0.5, 0.25, 0.125, 0.0625];

/// How far towards its pose the body goes, and how gently.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ease {
    pub target: BodyOffset,
    /// The legs do not reach all of the pose.
    pub falls_short: bool,
    /// How fast it may change its speed here, m/s^2, and on the way to rest there.
    here: f64,
    there: f64,
}

impl Ease {
    /// Bounds that are kept, too, with so much of the way left (m, or rad where `radius` makes m of it).
    pub(crate) fn bounded(&self, bounds: Follow, left: f64, radius: f64) -> Follow {
        let stoppable = (2.0 * self.there / radius * left).sqrt() / bounds.haste;
        let acceleration = bounds.acceleration.min(self.here / radius);
        Follow { speed: bounds.speed.min(stoppable), acceleration, ..bounds }
    }
}

/// Where a body that stands is to go, and how fast it changes its speed on its usual way there, m/s^2.
#[derive(Clone, Copy)]
struct Way {
    target: BodyOffset,
    usual: f64,
}

/// How the body goes to a pose over feet that all stand, its speed changing by as much as `usual` says; `None` where
/// nothing but its usual bounds holds it.
#[inline]
pub(crate) fn ease(
    cx: &Context,
    start: &State,
    target: BodyOffset,
    usual: impl FnOnce() -> f64,
    effort: &mut Effort,
) -> Option<Ease> {
    // Where it steps, what its feet have room for is searched beforehand.
    let counts = start.mode == Mode::Standing || cx.plant.joints.is_some();
    let stands = || start.walk.all_planted() && start.twist == [Twist::ZERO; 2];
    let moves = || start.offset != target || !start.rates.offset.is_zero();
    (counts && stands() && moves()).then(|| eased(cx, start, Way { target, usual: usual() }, effort))
}

#[inline(never)]
fn eased(cx: &Context, start: &State, Way { target, usual }: Way, effort: &mut Effort) -> Ease {
    let counts = |leg: &usize| *start.walk.foot(*leg) != Foot::Missing;
    let here = (0..cx.plant.legs().len()).filter(counts).map(|leg| shift_of(cx, usual, leg, &start.angles_of(leg)));
    let here = here.fold(usual, f64::min);
    let way = start.offset.rate_to(&target, 1.0);
    let within_reach = PARTS.into_iter().find_map(|part| {
        let at = if part < 1.0 { start.offset.moved(&way, part) } else { target };
        let there = shift_at(cx, start, Way { target: at, usual }, effort)?;
        Some(Ease { target: at, falls_short: part < 1.0, here, there: there.min(here) })
    });
    within_reach.unwrap_or(Ease { target: start.offset, falls_short: true, here, there: here })
}

/// How fast the body's shift may change its speed at an offset, m/s^2; `None` where a leg does not reach its foot.
fn shift_at(cx: &Context, start: &State, way: Way, effort: &mut Effort) -> Option<f64> {
    let body_from_footprint = State { offset: way.target, ..*start }.footprint_from_body().inverse();
    let mut least = way.usual;
    for leg in (0..cx.plant.legs().len()).filter(|&leg| *start.walk.foot(leg) != Foot::Missing) {
        let in_body = body_from_footprint.transform_point(&start.held(leg).into()).coords;
        let angles = cx.plant.inverse(leg, &in_body, &start.angles_of(leg), effort)?;
        least = least.min(shift_of(cx, way.usual, leg, &angles));
    }
    Some(least)
}

fn shift_of(cx: &Context, usual: f64, leg: usize, angles: &LegAngles) -> f64 {
    let Some(leg) = cx.plant.legs().get(leg) else { return usual };
    match &cx.plant.joints {
        Some(joints) => joints.shift_with(leg, angles),
        None => shift_over(leg, angles, usual),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::plan::body::shift::shift_m_s2;
    use crate::plan::context::tests::context;
    use crate::plant::joints::JointBound;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use hexapod_kinematics::{LegOptions, LimitChange, Robot};
    use nalgebra::Vector3;
    use std::sync::Arc;

    fn raised(z: f64) -> BodyOffset {
        BodyOffset { translation: Vector3::new(0.0, 0.0, z), ..BodyOffset::default() }
    }

    /// On the way to a pose so much higher, where the joints have such a bound; nothing where they have none.
    fn eased_to(z: f64, acceleration: Option<f64>) -> Option<Ease> {
        let mut robot = shipped();
        let change = LimitChange { acceleration, ..LimitChange::default() };
        let options = LegOptions { limits: vec![change], ..LegOptions::default() };
        let urdf = include_str!("../../../../../urdf/hexapod.urdf");
        robot.0.robot = Arc::new(Robot::from_urdf_with(urdf, &options).unwrap());
        robot.0.joints = JointBound::of(&robot.0.robot, &robot.0.stance);
        let (cx, start) = (context(&robot), on_its_feet(&robot, Mode::Standing));
        ease(&cx, &start, raised(z), || shift_m_s2(&cx, &start), &mut Effort::new(1000))
    }

    #[test]
    fn when_nothing_moves_expect_the_usual_bounds_and_near_its_place_those_of_a_body_that_is_not_limited() {
        assert!(eased_to(0.0, None).is_none() && eased_to(0.0, Some(60.0)).is_none());
        let near = eased_to(0.01, None).unwrap();
        let robot = shipped();
        let usual = shift_m_s2(&context(&robot), &on_its_feet(&robot, Mode::Standing));
        assert_eq!((near.target, near.falls_short, near.here, near.there), (raised(0.01), false, usual, usual));
    }

    #[test]
    fn when_legs_get_nearly_straight_expect_it_gentler_the_straighter_they_get_and_nothing_beyond_their_reach() {
        for limited in [Some(60.0), None] {
            let to = |z: f64| eased_to(z, limited).unwrap();
            let (near, far) = (to(0.005), to(0.0675));
            assert!(near.there == near.here && far.there < near.there && far.here == near.here, "{near:?} {far:?}");
            assert!(near.target == raised(0.005) && !near.falls_short);
            let beyond = to(0.3);
            assert!(beyond.target.translation.z < 0.3 && beyond.target.translation.z > 0.0 && beyond.falls_short);
        }
    }
}
