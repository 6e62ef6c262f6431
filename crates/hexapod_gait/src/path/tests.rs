//! The path alone.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use super::*;
use crate::plane::grid::GRID_NS;
use crate::plane::limits::LimitedBy;
use crate::plane::twist::Twist;
use crate::state::foot::Foot;
use crate::state::tests::{on_its_feet, shipped};
use nalgebra::Vector2;

fn go(start: &State, ns: u64) -> (Result<(), Blocked>, Segment) {
    let robot = shipped();
    let mut segment = Segment::from(start, ns);
    let path = Path { plant: &robot.0, gait: &robot.1 };
    (path.go(start, &mut segment, &mut IterationBudget::new(1000), &mut Look::default()), segment)
}

#[test]
fn when_walking_expect_planted_feet_to_move_by_the_motion_of_the_twist_alone() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.twist = [Twist::new(0.05, 0.01, 0.2); 2];
    let (went, segment) = go(&start, GRID_NS);
    let motion = start.twist[0].motion(0.01);
    assert!(went.is_ok() && segment.by == LimitedBy::Nothing);
    for (foot, before) in segment.end.walk.feet().iter().zip(start.walk.feet()) {
        assert_eq!(foot.position(), motion.apply_inverse_3d(before.position()));
    }
}

#[test]
fn when_the_body_moves_over_its_feet_expect_the_feet_where_they_are() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.rates.sway = Vector2::new(0.02, 0.0);
    let (went, segment) = go(&start, GRID_NS);
    assert!(went.is_ok() && segment.end.rates == start.rates);
    assert!((segment.end.sway - Vector2::new(2e-4, 0.0)).norm() < 1e-15);
    assert_eq!(segment.end.walk.feet(), start.walk.feet());
}

#[test]
fn when_a_joint_would_be_too_fast_expect_a_report_of_by_how_much() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.twist = [Twist::new(1.5, 0.0, 0.0); 2];
    let (fast, _) = go(&start, GRID_NS);
    start.twist = [Twist::new(3.0, 0.0, 0.0); 2];
    let (faster, _) = go(&start, GRID_NS);
    let (Err(Blocked::TooFast(fast)), Err(Blocked::TooFast(faster))) = (fast, faster) else { panic!("{fast:?}") };
    assert!(fast > 1.0 && (1.8..2.2).contains(&(faster / fast)), "{fast} {faster}");
}

#[test]
fn when_a_foot_cannot_get_where_the_path_goes_expect_it_reported() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.walk.feet[0] = Foot::Planted { at: start.walk.foot(0).position() * 3.0 };
    let (went, _) = go(&start, GRID_NS);
    assert!(matches!(went, Err(Blocked::OutOfReach)));
}

#[test]
fn when_a_foot_goes_along_the_edge_of_its_reach_expect_the_joints_where_it_is_at_every_moment() {
    let (plant, gait) = shipped();
    let path = Path { plant: &plant, gait: &gait };
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    // A little straighter than walking has a knee, and well within its limits.
    let mut angles = start.angles[0];
    angles[2] = -0.05;
    let foot = plant.legs()[0].foot_in_body(&angles);
    start.walk.feet[0] = Foot::Planted { at: start.footprint_from_body().transform_point(&foot.into()).coords };
    let mut segment = Segment::from(&start, GRID_NS);
    // Its joints are on their way: those that stay where they are all along keep their angles.
    segment.end.angles[0][0] += 1e-6;
    let within = path.within(&start, &segment, GRID_NS / 3, &mut IterationBudget::new(1000));
    let reached = plant.legs()[0].foot_in_body(&within.angles[0]);
    assert!((reached - foot).norm() < 1e-9, "{} m from its path", (reached - foot).norm());
    assert!((within.angles[1][2] - start.angles[1][2]).abs() < 1e-9);
}

#[test]
fn when_a_robot_cannot_move_from_where_its_feet_are_not_expect_its_joints_to_stay_at_every_moment() {
    let (plant, gait) = shipped();
    let path = Path { plant: &plant, gait: &gait };
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.angles[0] = plant.sitting[1];
    start.walk.feet[1] = Foot::Planted { at: start.walk.foot(1).position() * 3.0 };
    let segment = Segment::from(&start, GRID_NS);
    let within = path.within(&start, &segment, GRID_NS / 3, &mut IterationBudget::new(1000));
    assert_eq!(within.angles, start.angles);
}
