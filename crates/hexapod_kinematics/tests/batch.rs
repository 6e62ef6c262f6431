//! The batch path against the leg by leg path.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, RandomLegs, random_angles};
use hexapod_kinematics::{Batch, Lanes3, Leg, LegAngles, Robot};

fn check(robot: &Robot, random: &mut Random, rounds: usize) {
    let mut batch = Batch::new(robot).unwrap();
    for _ in 0..rounds {
        let angles: Vec<LegAngles> = robot.legs().iter().map(|leg| random_angles(leg, random)).collect();
        let (mut lanes, mut feet) = (Lanes3::default(), Lanes3::default());
        for (i, (leg, q)) in robot.legs().iter().zip(&angles).enumerate() {
            lanes.set(i, [q[0], q[1], q[2]]);
            feet.set(i, leg.foot_in_body(q).into());
            batch.bend_as(robot, i, q);
        }
        let mut forward = Lanes3::default();
        batch.forward(&lanes, &mut forward);
        let mut found = Lanes3::default();
        let reached = batch.inverse(&feet, &mut found);
        for (i, leg) in robot.legs().iter().enumerate() {
            let foot = leg.foot_in_body(&angles[i]);
            assert!((nalgebra::Vector3::from(forward.get(i)) - foot).norm() < 1e-12);
            let q = LegAngles::from(found.get(i));
            let miss = (leg.foot_in_body(&q) - foot).norm();
            assert!(reached[i] == 1.0 && miss < 1e-9, "{i} {miss:e} {reached:?} {q:?} {:?}", angles[i]);
            assert!(leg.within_limits(&q));
        }
    }
}

#[test]
fn when_solving_all_legs_at_once_expect_the_same_feet() {
    let robot = Robot::from_urdf(&common::shipped()).unwrap();
    check(&robot, &mut Random(2), 100_000);
}

#[test]
fn when_the_legs_have_offsets_and_skew_hips_expect_the_same_feet() {
    let mut random = Random(8);
    for _ in 0..50 {
        let robot = Robot::from_urdf(&common::random_robot(RandomLegs::Parallel, &mut random)).unwrap();
        check(&robot, &mut random, 200);
    }
}

#[test]
fn when_a_joint_may_turn_more_than_once_expect_the_turn_of_the_posture() {
    // As published for a robot whose lower limit was meant to be in degrees.
    let robot = common::hexapod([0.052, 0.066, 0.133], [[-7.0, 9.0], [-94.0, 4.7], [-2.6, -0.3]]);
    let robot = Robot::from_urdf(&robot).unwrap();
    let (mut batch, mut random) = (Batch::new(&robot).unwrap(), Random(3));
    for _ in 0..1000 {
        let (mut feet, mut found) = (Lanes3::default(), Lanes3::default());
        let near = |leg: &Leg, random: &mut Random| {
            leg.clamp(&LegAngles::from_fn(3, |i| leg.posture()[i] + random.range(-1.0, 1.0)))
        };
        let angles: Vec<LegAngles> = robot.legs().iter().map(|leg| near(leg, &mut random)).collect();
        for (i, (leg, q)) in robot.legs().iter().zip(&angles).enumerate() {
            feet.set(i, leg.foot_in_body(q).into());
            batch.bend_as(&robot, i, q);
        }
        let reached = batch.inverse(&feet, &mut found);
        for (i, q) in angles.iter().enumerate() {
            let off = LegAngles::from(found.get(i)).distance_squared(q).sqrt();
            assert!(reached[i] == 1.0 && off < 1e-6, "{i} {off} {q:?} {:?}", found.get(i));
        }
    }
}

#[test]
fn when_a_leg_has_another_geometry_expect_no_batch() {
    let robot = Robot::from_urdf(&common::random_robot(RandomLegs::General, &mut Random(1))).unwrap();
    assert!(Batch::new(&robot).is_none());
}
