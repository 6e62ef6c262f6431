//! Legs of four to six joints.
#![allow(clippy::unwrap_used)]

use crate::common::Random;
use hexapod_kinematics::{IkError, LegAngles, Robot};
use nalgebra::Vector3;

/// Round trips per kind of leg: ROUND_TRIPS=1000000 where someone has some minutes.
fn round_trips() -> u32 {
    std::env::var("ROUND_TRIPS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5000)
}

#[test]
fn when_the_target_is_reachable_expect_it_reached_inside_the_limits() {
    for n in 4..=6 {
        let robot = Robot::from_urdf(&crate::common::many_jointed(n)).unwrap();
        let leg = &robot.legs()[0];
        let mut random = Random(n as u64);
        let mut seed = leg.home();
        for _ in 0..round_trips() {
            let angles = LegAngles::from_fn(n, |i| {
                let limits = leg.joints()[i].limits();
                random.range(limits.lower, limits.upper)
            });
            let target = leg.foot_in_body(&angles);
            let found = leg.inverse(&target, &seed).unwrap_or_else(|e| panic!("{n} {angles:?} {e}"));
            assert!((leg.foot_in_body(&found) - target).norm() < 1e-9);
            assert!(leg.within_limits(&found));
            seed = angles;
        }
        let far = leg.inverse(&Vector3::new(3.0, 0.0, 0.0), &seed);
        assert!(matches!(far, Err(IkError::Unreachable { .. })), "{far:?}");
    }
}

#[test]
fn when_the_foot_goes_round_expect_the_angles_to_come_back() {
    let robot = Robot::from_urdf(&crate::common::many_jointed(4)).unwrap();
    let leg = &robot.legs()[0];
    let path = |t: f64| leg.hip_in_body() + Vector3::new(0.04 * t.cos(), 0.17, -0.1 + 0.03 * t.sin());
    let mut angles = leg.inverse(&path(0.0), &leg.home()).unwrap();
    let start = angles;
    for k in 1..=400 {
        let next = leg.inverse(&path(k as f64 / 100.0 * std::f64::consts::TAU), &angles).unwrap();
        assert!(next.distance_squared(&angles).sqrt() < 0.06, "{k} {angles:?} {next:?}");
        angles = next;
    }
    assert!(angles.distance_squared(&start).sqrt() < 1e-6, "{start:?} {angles:?}");
}

#[test]
fn when_a_posture_is_set_expect_angles_nearer_to_it() {
    let mut robot = Robot::from_urdf(&crate::common::many_jointed(5)).unwrap();
    let target = robot.legs()[0].hip_in_body() + Vector3::new(0.0, 0.2, -0.12);
    let seed = robot.legs()[0].home();
    let before = robot.legs()[0].inverse(&target, &seed).unwrap();
    let wish = LegAngles::from_slice(&[0.0, 0.6, -1.0, -0.9, 0.2]).unwrap();
    robot.legs_mut()[0].set_posture(&wish);
    let after = robot.legs()[0].inverse(&target, &seed).unwrap();
    assert!((robot.legs()[0].foot_in_body(&after) - target).norm() < 1e-9);
    assert!(after.distance_squared(&wish) < before.distance_squared(&wish));
}
