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
    (path.go(start, &mut segment, &mut Effort::new(1000)), segment)
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
fn when_a_joint_would_be_too_fast_expect_to_be_told_by_how_much() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.twist = [Twist::new(1.5, 0.0, 0.0); 2];
    let (fast, _) = go(&start, GRID_NS);
    start.twist = [Twist::new(3.0, 0.0, 0.0); 2];
    let (faster, _) = go(&start, GRID_NS);
    let (Err(Blocked::TooFast(fast)), Err(Blocked::TooFast(faster))) = (fast, faster) else { panic!("{fast:?}") };
    assert!(fast > 1.0 && (1.8..2.2).contains(&(faster / fast)), "{fast} {faster}");
}

#[test]
fn when_a_foot_cannot_get_where_the_path_goes_expect_to_be_told() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.walk.feet[0] = Foot::Planted { at: start.walk.foot(0).position() * 3.0 };
    let (went, _) = go(&start, GRID_NS);
    assert!(matches!(went, Err(Blocked::OutOfReach)));
}
