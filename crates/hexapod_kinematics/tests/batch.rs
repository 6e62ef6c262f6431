//! The batch path against the leg by leg path.
#![allow(clippy::unwrap_used)]

use crate::common::{Random, RandomLegs, random_angles};
use hexapod_kinematics::{Batch, Lanes3, Leg, LegAngles, Robot};
use nalgebra::Vector3;

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
            assert!((Vector3::from(forward.get(i)) - foot).norm() < 1e-12);
            let q = LegAngles::from(found.get(i));
            let miss = (leg.foot_in_body(&q) - foot).norm();
            assert!(reached[i] == 1.0 && miss < 1e-9, "{i} {miss:e} {reached:?} {q:?} {:?}", angles[i]);
            assert!(leg.within_limits(&q));
        }
    }
}

#[test]
fn when_solving_all_legs_at_once_expect_the_same_feet() {
    let robot = Robot::from_urdf(&crate::common::shipped()).unwrap();
    check(&robot, &mut Random(2), 100_000);
}

#[test]
fn when_the_legs_have_offsets_and_skew_hips_expect_the_same_feet() {
    let mut random = Random(8);
    for _ in 0..50 {
        let robot = Robot::from_urdf(&crate::common::random_robot(RandomLegs::Parallel, &mut random)).unwrap();
        check(&robot, &mut random, 200);
    }
}

#[test]
fn when_a_joint_may_turn_more_than_once_expect_the_turn_of_the_posture() {
    // As published for a robot whose lower limit was meant to be in degrees.
    let robot = crate::common::hexapod([0.052, 0.066, 0.133], [[-7.0, 9.0], [-94.0, 4.7], [-2.6, -0.3]]);
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

/// Feet anywhere about each leg, ranges of any part of the joints' limits: what `reaches` says against the inverse.
fn check_reach(robot: &Robot, random: &mut Random, rounds: usize) -> [usize; 2] {
    let (mut batch, mut count) = (Batch::new(robot).unwrap(), [0; 2]);
    for _ in 0..rounds {
        let [mut lower, mut upper, mut feet, mut found] = [Lanes3::default(); 4];
        for (i, leg) in robot.legs().iter().enumerate() {
            let ends = [0, 1, 2].map(|k: usize| {
                let limits = leg.joints()[k].limits();
                let width = limits.upper - limits.lower;
                let wide = random.range(0.0, 1.0) < 0.5;
                let cut = |random: &mut Random| if wide { 0.0 } else { random.range(0.0, 0.45) * width };
                (limits.lower + cut(random), limits.upper - cut(random))
            });
            lower.set(i, ends.map(|(lower, _)| lower));
            upper.set(i, ends.map(|(_, upper)| upper));
            let near = leg.foot_in_body(&random_angles(leg, random));
            feet.set(i, [0, 1, 2].map(|k: usize| near[k] + random.range(-0.3, 0.3) * leg.length()));
            batch.bend_as(robot, i, &leg.posture());
        }
        let reached = batch.inverse(&feet, &mut found);
        let quick = batch.reaches(&feet, &Vector3::zeros(), &batch.sectors(&lower, &upper));
        for i in 0..robot.legs().len() {
            let margins = [0, 1, 2].map(|k| (found.0[k][i] - lower.0[k][i]).min(upper.0[k][i] - found.0[k][i]));
            let margin = margins.into_iter().fold(f64::INFINITY, f64::min);
            assert!(quick[i] == 0.0 || (reached[i] == 1.0 && margin >= 0.0), "{i} {margins:?} {:?}", feet.get(i));
            assert!(quick[i] == 1.0 || reached[i] == 0.0 || margin < 1e-5, "{i} {margins:?} {:?}", feet.get(i));
            count[usize::from(quick[i] == 1.0)] += 1;
        }
    }
    count
}

#[test]
fn when_asked_only_whether_feet_are_reached_expect_what_the_inverse_and_the_ranges_tell() {
    let mut random = Random(5);
    let [out, inside] = check_reach(&Robot::from_urdf(&crate::common::shipped()).unwrap(), &mut random, 20_000);
    assert!(out > 10_000 && inside > 10_000, "{out} {inside}");
    for _ in 0..50 {
        check_reach(
            &Robot::from_urdf(&crate::common::random_robot(RandomLegs::Parallel, &mut random)).unwrap(),
            &mut random,
            200,
        );
    }
    let wide = crate::common::hexapod([0.052, 0.066, 0.133], [[-7.0, 9.0], [-94.0, 4.7], [-2.6, -0.3]]);
    check_reach(&Robot::from_urdf(&wide).unwrap(), &mut random, 2000);
}

#[test]
fn when_feet_are_not_finite_expect_none_reached() {
    let robot = Robot::from_urdf(&crate::common::shipped()).unwrap();
    let batch = Batch::new(&robot).unwrap();
    let all = batch.sectors(&Lanes3([[-9.0; 8]; 3]), &Lanes3([[9.0; 8]; 3]));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        for k in 0..3 {
            let mut feet = Lanes3::default();
            for (i, leg) in robot.legs().iter().enumerate() {
                feet.set(i, leg.foot_in_body(&leg.posture()).into());
            }
            assert_eq!(batch.reaches(&feet, &Vector3::zeros(), &all)[..6], [1.0; 6]);
            feet.0[k] = [bad; 8];
            assert_eq!(batch.reaches(&feet, &Vector3::zeros(), &all)[..6], [0.0; 6], "{bad} {k}");
        }
    }
}

#[test]
fn when_a_leg_has_another_geometry_expect_no_batch() {
    let robot = Robot::from_urdf(&crate::common::random_robot(RandomLegs::General, &mut Random(1))).unwrap();
    assert!(Batch::new(&robot).is_none());
}
