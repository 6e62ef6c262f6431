//! The plan alone.

use super::*;
use crate::gait::sides::leg_places;
use crate::gait::{Gait, GaitSpec};
use crate::plan::control::Posture;
use crate::plane::limits::LimitedBy;
use crate::plane::limits::tests::LIMITS;
use crate::plant::joints::JointBound;
use crate::state::tests::{on_its_feet, shipped};
use hexapod_kinematics::{LegOptions, LimitChange, Robot};
use nalgebra::Vector3;
use std::sync::Arc;

const TUNING: Tuning = Tuning { step_height: 0.03, limits: LIMITS };

fn next(planner: &mut Planner, state: &mut State, input: &Input) -> Segment {
    let mut segment = Segment::from(state, 0);
    planner.next_segment(state, input, &mut segment);
    segment
}

/// The state after so many segments, and what limited the last.
fn planned(mode: Mode, requests: Requests, twist: Twist, segments: usize) -> (State, LimitedBy) {
    let robot = shipped();
    let (mut state, mut control) = (on_its_feet(&robot, mode), Control::new(robot.1, &TUNING));
    control.requests = requests;
    let (input, mut by) = (Input { twist, ..Input::default() }, LimitedBy::Nothing);
    for _ in 0..segments {
        let mut allowance = Allowance::FULL;
        let (plant, control, allowance) = (&robot.0, &mut control, &mut allowance);
        let segment = next(
            &mut Planner { plant, tuning: &TUNING, control, allowance, look: &mut Look::default() },
            &mut state,
            &input,
        );
        (state, by) = (segment.end, segment.by);
    }
    (state, by)
}

#[test]
fn when_a_twist_is_wanted_expect_a_standing_robot_to_walk_and_noise_to_leave_it_standing() {
    let (state, _) = planned(Mode::Standing, Requests::default(), Twist::new(0.05, 0.0, 0.0), 1);
    assert_eq!(state.mode, Mode::Walking);
    let (state, _) = planned(Mode::Standing, Requests::default(), Twist::new(1e-4, 0.0, 1e-3), 1);
    assert_eq!(state.mode, Mode::Standing);
}

#[test]
fn when_asked_to_sit_expect_the_feet_looked_at_and_then_the_body_lowered() {
    let (state, _) = planned(Mode::Standing, Requests::stop_for(Posture::Sit), Twist::ZERO, 1);
    assert!(matches!(state.mode, Mode::Lowering(_)), "{:?}", state.mode);
    let (state, _) = planned(Mode::Standing, Requests::stop_for(Posture::Sit), Twist::ZERO, 200);
    assert!(state.mode == Mode::Sitting && state.height == 0.03, "{:?} at {}", state.mode, state.height);
}

#[test]
fn when_another_gait_is_taken_up_expect_its_limits_and_its_lift_at_once() {
    let mut robot = shipped();
    let change = LimitChange { acceleration: Some(60.0), ..LimitChange::default() };
    let options = LegOptions { limits: vec![change], ..LegOptions::default() };
    let limited = Robot::from_urdf_with(include_str!("../../../../urdf/hexapod.urdf"), &options).unwrap();
    (robot.0.robot, robot.0.joints) = (Arc::new(limited.clone()), JointBound::of(&limited, &robot.0.stance));
    let spec = GaitSpec { duty_factor: 0.8, cycle_time: 3.0, step_height: Some(0.012), ..GaitSpec::default() };
    let fit = Fit::on(&robot.0, &TUNING, 0);
    let rate_limited = fit.suited(Gait::try_new(&spec, &leg_places(&limited)).unwrap());
    assert_ne!(fit.limits_for(&rate_limited), fit.limits_for(&fit.suited(robot.1)));
    for mode in [Mode::Standing, Mode::Walking] {
        let (mut state, mut control) = (on_its_feet(&robot, mode), Control::new(fit.suited(robot.1), &TUNING));
        control.gaits.next = Some(rate_limited);
        let (plant, mut allowance) = (&robot.0, Allowance::FULL);
        let (tuning, look, input) =
            (&TUNING, &mut Look::default(), Input { twist: Twist::new(0.01, 0.0, 0.0), ..Input::default() });
        let mut planner = Planner { plant, tuning, control: &mut control, allowance: &mut allowance, look };
        (0..300).find(|_| {
            *planner.allowance = Allowance::FULL;
            state = next(&mut planner, &mut state, &input).end;
            planner.control.gaits.next.is_none()
        });
        assert_eq!(control.gaits.walked, rate_limited, "{mode:?}");
        assert_eq!((control.limits, control.step_height), (fit.limits_for(&rate_limited), 0.012), "{mode:?}");
    }
}

#[test]
fn when_a_stop_holds_expect_the_stick_ignored_until_it_has_been_let_go() {
    let stop = Requests { stop: true, ..Requests::default() };
    let (state, _) = planned(Mode::Standing, stop, Twist::new(0.05, 0.0, 0.0), 5);
    assert_eq!(state.mode, Mode::Standing);
    let released = Requests { released: true, ..stop };
    let (state, _) = planned(Mode::Standing, released, Twist::new(0.05, 0.0, 0.0), 5);
    assert_eq!(state.mode, Mode::Walking);
}

#[test]
fn when_no_more_may_be_planned_expect_the_pose_held_to_the_next_point_of_the_grid() {
    let robot = shipped();
    let (mut state, mut control) = (on_its_feet(&robot, Mode::Walking), Control::new(robot.1, &TUNING));
    let mut allowance = Allowance { rounds: 0, ..Allowance::FULL };
    state.ns = 3_000_000;
    let (plant, control, allowance) = (&robot.0, &mut control, &mut allowance);
    let mut planner = Planner { plant, tuning: &TUNING, control, allowance, look: &mut Look::default() };
    let segment = next(&mut planner, &mut state, &Input::default());
    assert_eq!((segment.ns, segment.by), (7_000_000, LimitedBy::Planning));
    assert_eq!(segment.end.angles, state.angles);
}

#[test]
fn when_the_body_moves_over_its_feet_expect_its_balance_looked_at_when_it_has_moved_as_far_as_was_free() {
    let robot = shipped();
    let (mut state, mut control) = (on_its_feet(&robot, Mode::Walking), Control::new(robot.1, &TUNING));
    state.margin_budget_m = 0.002;
    let translation = Vector3::new(0.0, 0.03, 0.0);
    let input = Input {
        twist: Twist::new(0.01, 0.0, 0.0),
        body_offset: BodyOffset { translation, ..Default::default() },
        ..Input::default()
    };
    // No foot is lifted meanwhile, which would look at the margin.
    state.walk.phase = robot.1.lift_off_phase(0) + 0.01;
    let mut looks = 0;
    for _ in 0..40 {
        let (free, before) = (state.margin_budget_m, state.offset.translation);
        let (plant, allowance) = (&robot.0, &mut Allowance::FULL.clone());
        let mut planner =
            Planner { plant, tuning: &TUNING, control: &mut control, allowance, look: &mut Look::default() };
        state = next(&mut planner, &mut state, &input).end;
        let moved = (state.offset.translation - before).norm() + state.twist[1].speed() * 0.01;
        looks += usize::from(free < 0.0);
        assert!(free < 0.0 || state.margin_budget_m <= free - moved + 1e-12, "{} of {free} m", state.margin_budget_m);
    }
    assert_eq!(looks, 1, "there is room to spare, as is seen then");
}
