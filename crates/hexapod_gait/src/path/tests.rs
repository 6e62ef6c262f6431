//! The path alone.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use super::*;
use crate::state::tests::{on_its_feet, shipped};

fn go(start: &mut State, ns: u64) -> (Result<(), Blocked>, Segment) {
    let robot = shipped();
    let mut segment = Segment::from(start, ns);
    let path = Path { plant: &robot.0, gait: &robot.1 };
    (path.go(start, &mut segment, &mut Effort::new(1000)), segment)
}

#[test]
fn when_nothing_moves_expect_nothing_but_time_to_pass() {
    let mut start = on_its_feet(&shipped(), Mode::Standing);
    let (went, segment) = go(&mut start, GRID_NS);
    assert!(went.is_ok() && segment.end.ns == GRID_NS && segment.end.angles == start.angles);
}

#[test]
fn when_walking_expect_planted_feet_to_move_by_the_motion_of_the_twist_alone() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.twist = [Twist::new(0.05, 0.01, 0.2); 2];
    let (went, segment) = go(&mut start, GRID_NS);
    let motion = start.twist[0].motion(0.01);
    assert!(went.is_ok() && segment.by == LimitedBy::Nothing);
    for (foot, before) in segment.end.walk.feet().iter().zip(start.walk.feet()) {
        assert_eq!(foot.position(), motion.apply_inverse_3d(before.position()));
    }
}

#[test]
fn when_a_joint_would_be_too_fast_expect_a_slower_pace_on_the_same_path() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.twist = [Twist::new(1.5, 0.0, 0.0); 2];
    let (went, segment) = go(&mut start, GRID_NS);
    assert!(went.is_ok() && segment.by == LimitedBy::JointVelocity && segment.pace.body < 0.9);
    let back = 1.5 * 0.01 * segment.pace.body;
    let moved = start.walk.foot(0).position() - segment.end.walk.foot(0).position();
    assert!((moved.x - back).abs() < 1e-12 && moved.yz().norm() < 1e-12, "{moved} of {back}");
}

#[test]
fn when_a_foot_cannot_get_where_the_path_goes_expect_to_be_told_and_a_sway_given_up_first() {
    let mut start = on_its_feet(&shipped(), Mode::Walking);
    start.walk.feet[0] = Foot::Planted { at: start.walk.foot(0).position() * 3.0 };
    start.sway_rate = Vector2::new(0.1, 0.0);
    let (went, _) = go(&mut start, GRID_NS);
    assert!(matches!(went, Err(Blocked::OutOfReach)) && start.sway_rate == Vector2::zeros());
}
