//! Which mode the robot turns to: because it is asked to, because what it does is over, or because the driver wants to
//! walk or to stop.

mod foresight;
pub(crate) mod requests;
pub(crate) mod switching;

use crate::plan::body::height::{standing, stepping};
use crate::plan::context::Context;
use crate::plan::sequence::centring::{feet_to_centre, is_late};
use crate::plan::sequence::descent::{come_to_rest, end_sinking, lie_down, lower};
use crate::plan::sequence::landing::come_down;
use crate::plan::sequence::placing::next_stage;
use crate::plan::twist::bounds::stroke_factor;
use crate::plane::limits::Limited;
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::plant::Plant;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use crate::state::mode::{Mode, Stopping, Then};
use crate::state::walk::Walk;
use hexapod_kinematics::IterationBudget;
use nalgebra::Vector2;

/// What follows where the last mode is over, or a stop or a way down `is_stalled`.
#[inline]
pub(crate) fn following(plant: &Plant, start: &State, is_stalled: bool, budget: &mut IterationBudget) -> Option<State> {
    let lasts = matches!(start.mode, Mode::Sitting | Mode::UnplannedPose | Mode::Standing | Mode::Walking);
    if lasts { None } else { ended(plant, start, is_stalled, budget) }
}

/// The same of a mode that ends by itself.
#[inline(never)]
fn ended(plant: &Plant, start: &State, is_stalled: bool, budget: &mut IterationBudget) -> Option<State> {
    let next = match start.mode {
        Mode::Sequencing(sequence) if sequence.profile.is_done() => next_stage(plant, start, sequence, budget),
        Mode::Rising(profile) if profile.is_done() => start.in_mode(Mode::Standing),
        Mode::Lowering(profile) if profile.is_done() => lie_down(plant, start),
        Mode::Lowering(_) if is_stalled => come_to_rest(plant, start),
        Mode::Sinking(profile) if profile.is_done() => end_sinking(plant, start),
        Mode::Stopping(stop) if is_stalled => come_down(plant, start, stop.then, budget),
        _ => return None,
    };
    Some(next)
}

/// The steps with which a walk begins, towards a twist that is wanted.
pub(crate) fn first_steps(cx: &Context, start: &State, wanted: Twist) -> Walk {
    let mut walk = start.walk;
    let limited = cx.limits.velocity(Limited::unlimited(wanted)).twist;
    walk.cycle = walk.cycle.max(cx.gait.cycle_times()[0]);
    let factor = stroke_factor(&walk.nominal, cx.gait, walk.cycle, limited);
    walk.start(cx.gait, limited.scaled(factor));
    walk
}

/// A robot that stood and walks from here on, with this nominal stance.
pub(crate) fn setting_out(cx: &Context, start: &State, nominal: NominalStance, wanted: Twist) -> State {
    let mut next = *start;
    next.walk.nominal = nominal;
    next = stepping(cx.plant, &next);
    State { mode: Mode::Walking, walk: first_steps(cx, &next, wanted), ..next }
}

/// A robot that stood and puts its feet elsewhere first, where that must be, or comes down.
pub(crate) fn stepping_first(plant: &Plant, start: &State, then: Then) -> State {
    stepping(plant, start).in_mode(Mode::Stopping(Stopping { then, ..Stopping::now(start.ns) }))
}

/// What follows a stop once nothing moves any more and, before the robot sits, its feet are under it.
pub(crate) fn stopped(
    cx: &Context,
    start: &State,
    ramp: &Ramp,
    stop: Stopping,
    budget: &mut IterationBudget,
) -> Option<State> {
    let rests = start.walk.all_planted() && start.twist == [Twist::ZERO; 2] && ramp.is_at_rest(cx.limits);
    if !rests || !start.rates.level.is_zero() || !start.correction.is_none() {
        return None;
    }
    if stop.then == Then::Stand {
        return Some(standing(cx.plant, start));
    }
    if !start.offset.is_zero() {
        // The body goes back over its feet first.
        return None;
    }
    let centring = feet_to_centre(cx, start, stop.then, budget);
    if centring != 0 && !is_late(cx, start, stop) {
        return Some(treading(cx, start, Stopping { centring, ..stop }));
    }
    // It stands where motions begin, once it is there.
    let comes_home = stop.then == Then::GoHome && start.walk.nominal.raised != 0.0 && !is_late(cx, start, stop);
    let is_upright = start.sway.norm() < 1e-9 && start.rates.height == 0.0 && !comes_home;
    is_upright.then(|| {
        let next = State { sway: Vector2::zeros(), ..*start };
        if stop.then == Then::Sit { next.in_mode(lower(cx.plant, &next)) } else { standing(cx.plant, &next) }
    })
}

/// A robot that treads on the spot, to put feet back.
fn treading(cx: &Context, start: &State, stop: Stopping) -> State {
    let mut next = start.in_mode(Mode::Stopping(stop));
    if !next.walk.waiting {
        next.walk.start(cx.gait, Twist::ZERO);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::foot::Foot;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;

    const BUDGET: u32 = 400;

    fn after_stop(then: Then, change: impl Fn(&mut State)) -> Option<Mode> {
        let robot = shipped();
        let stop = Stopping::now(0).to(then);
        let mut start = on_its_feet(&robot, Mode::Stopping(stop));
        change(&mut start);
        stopped(&context(&robot), &start, &Ramp::REST, stop, &mut IterationBudget::new(BUDGET)).map(|next| next.mode)
    }

    #[test]
    fn when_all_is_at_rest_expect_the_stop_over_and_not_before() {
        assert_eq!(after_stop(Then::Stand, |_| {}), Some(Mode::Standing));
        assert_eq!(after_stop(Then::Stand, |start| start.twist[1] = Twist::new(0.01, 0.0, 0.0)), None);
        assert_eq!(after_stop(Then::Stand, |start| start.rates.level.height = 0.01), None);
        assert_eq!(after_stop(Then::Stand, |start| start.correction.add(0, 0.001)), None);
        let probing = |start: &mut State| start.walk.feet[1] = Foot::probing(start.walk.foot(1).position());
        assert_eq!(after_stop(Then::Stand, probing), None);
    }

    #[test]
    fn when_it_is_to_sit_expect_the_body_over_its_feet_first_and_feet_in_the_way_put_back() {
        assert!(matches!(after_stop(Then::Sit, |_| {}), Some(Mode::Lowering(_))));
        assert_eq!(after_stop(Then::Sit, |start| start.offset.translation.x = 0.01), None);
        assert_eq!(after_stop(Then::Sit, |start| start.sway.x = 0.01), None);
        let far = |start: &mut State| {
            let in_the_way = start.walk.foot(3).position() - Vector3::new(0.0, 0.13, 0.0);
            start.walk.feet[3] = Foot::Planted { at: in_the_way };
        };
        let Some(Mode::Stopping(stop)) = after_stop(Then::Sit, far) else { panic!("it is put back") };
        assert_eq!(stop.centring, 1 << 3);
    }

    #[test]
    fn when_a_mode_lasts_until_it_is_asked_to_end_expect_nothing_to_follow() {
        let robot = shipped();
        for mode in
            [Mode::Sitting, Mode::UnplannedPose, Mode::Standing, Mode::Walking, Mode::Stopping(Stopping::now(0))]
        {
            let next = following(&robot.0, &on_its_feet(&robot, mode), false, &mut IterationBudget::new(BUDGET));
            assert!(next.is_none(), "{mode:?}");
        }
    }

    #[test]
    fn when_a_change_of_height_is_over_expect_the_robot_on_its_feet_or_on_its_belly() {
        let robot = shipped();
        let mut profile = robot.0.height_profile(0.03, 0.09, 1.0);
        let next = |mode| following(&robot.0, &on_its_feet(&robot, mode), false, &mut IterationBudget::new(BUDGET));
        assert!(next(Mode::Rising(profile)).is_none());
        profile.advance(1.0);
        assert_eq!(next(Mode::Rising(profile)).map(|next| next.mode), Some(Mode::Standing));
        assert_eq!(next(Mode::Lowering(profile)).map(|next| next.mode), Some(Mode::Sitting));
    }

    #[test]
    fn when_there_is_no_way_on_expect_a_body_that_is_high_to_sink_and_a_low_one_to_lie() {
        let robot = shipped();
        let lowering = Mode::Lowering(robot.0.height_profile(0.09, 0.03, 1.0));
        let at = |height: f64| {
            let start = State { height, ..on_its_feet(&robot, lowering) };
            following(&robot.0, &start, true, &mut IterationBudget::new(BUDGET)).map(|next| next.mode)
        };
        assert!([0.08, 0.04].map(at).iter().all(|mode| matches!(mode, Some(Mode::Sinking(_)))));
        assert_eq!(at(0.0305), Some(Mode::Sitting));
    }

    #[test]
    fn when_setting_out_expect_a_foot_about_to_be_lifted_and_the_pose_unchanged() {
        let robot = shipped();
        let start = on_its_feet(&robot, Mode::Standing);
        let nominal = robot.0.stance.nominal(0.01, 0.5);
        let next = setting_out(&context(&robot), &start, nominal, Twist::new(0.05, 0.0, 0.0));
        assert_eq!((next.mode, next.walk.nominal.raised), (Mode::Walking, 0.01));
        assert_eq!((0..6).filter(|&leg| next.walk.is_due(&robot.1, leg)).count(), 3, "a tripod");
        let moved = next.footprint_from_body().translation.vector - start.footprint_from_body().translation.vector;
        assert!(moved.norm() < 1e-15, "{moved}");
    }
}
