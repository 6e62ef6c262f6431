//! A million targets of every kind: no panic, nothing that is not finite, nothing outside the limits.
#![allow(clippy::unwrap_used)]

use crate::common::{Random, RandomLegs, any_number};
use hexapod_kinematics::{Batch, Lanes3, Leg, LegAngles, Robot};
use nalgebra::Vector3;
use proptest::prelude::*;

/// A target of any kind: numbers of any kind, near singular poses, poses at limits, points of the first axis.
fn any_target(leg: &Leg, random: &mut Random) -> Vector3<f64> {
    let n = leg.joint_count();
    let at_limit = |random: &mut Random, i: usize| {
        let limits = leg.joints()[i].limits();
        if random.unit() < 0.5 { limits.lower } else { limits.upper }
    };
    match (random.unit() * 4.0) as u32 {
        0 => Vector3::from_fn(|_, _| any_number(random)),
        1 => leg.foot_in_body(&LegAngles::from_fn(n, |i| at_limit(random, i))),
        2 => {
            let stretched = leg.foot_in_body(&LegAngles::zeros(n));
            leg.hip_in_body() + (stretched - leg.hip_in_body()) * (1.0 + 1e-9 * (random.unit() - 0.5))
        }
        _ => leg.hip_in_body() + Vector3::new(0.0, 0.0, random.range(-0.3, 0.3)),
    }
}

fn check(leg: &Leg, random: &mut Random) {
    let target = any_target(leg, random);
    let seed = LegAngles::from_fn(leg.joint_count(), |_| any_number(random));
    if let Ok(angles) = leg.inverse(&target, &seed) {
        assert!(leg.within_limits(&angles), "{target:?} {angles:?}");
        assert!((leg.foot_in_body(&angles) - target).norm() < 1e-9, "{target:?} {angles:?}");
    }
    for solution in leg.solutions(&target).iter() {
        assert!(solution.angles.is_finite() && (leg.foot_in_body(&solution.angles) - target).norm() < 1e-9);
    }
}

fn check_nearest(leg: &Leg, random: &mut Random) {
    let target = any_target(leg, random);
    let seed = LegAngles::from_fn(leg.joint_count(), |_| any_number(random));
    let pose = leg.closest_reachable(&target, &seed);
    assert!(leg.within_limits(&pose.angles), "{target:?} {pose:?}");
    assert_eq!(pose.foot_in_body, leg.foot_in_body(&pose.angles));
    assert!(!pose.reached || (pose.foot_in_body - target).norm() < 2e-9, "{target:?} {pose:?}");
}

#[test]
fn when_targets_are_anything_expect_finite_angles_inside_the_limits() {
    let mut random = Random(31);
    let shipped = Robot::from_urdf(&crate::common::shipped()).unwrap();
    for k in 0..1_000_000 {
        check(&shipped.legs()[k % 6], &mut random);
    }
    // NEAREST_ROUNDS=1000000 where someone has a minute or two.
    let given = std::env::var("NEAREST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    for k in 0..given.unwrap_or(50_000) {
        check_nearest(&shipped.legs()[k % 6], &mut random);
    }
}

#[test]
fn when_a_batch_is_given_anything_expect_finite_angles_inside_the_limits() {
    let mut random = Random(33);
    let shipped = Robot::from_urdf(&crate::common::shipped()).unwrap();
    let batch = Batch::new(&shipped).unwrap();
    let (mut feet, mut angles) = (Lanes3::default(), Lanes3::default());
    for _ in 0..200_000 {
        for (i, leg) in shipped.legs().iter().enumerate() {
            feet.set(i, any_target(leg, &mut random).into());
        }
        let reached = batch.inverse(&feet, &mut angles);
        for (i, leg) in shipped.legs().iter().enumerate() {
            let (found, target) = (LegAngles::from(angles.get(i)), Vector3::from(feet.get(i)));
            assert!(
                found.is_finite() && leg.joints().iter().zip(found.iter()).all(|(j, a)| j.limits().margin(*a) > -1e-12)
            );
            assert!(reached[i] == 0.0 || (leg.foot_in_body(&found) - target).norm() < 1e-8, "{target:?} {found:?}");
        }
    }
}

#[test]
fn when_a_pose_is_at_a_limit_or_singular_expect_finite_derivatives_and_margins() {
    let mut random = Random(34);
    let mut robots = vec![
        Robot::from_urdf(&crate::common::shipped()).unwrap(),
        Robot::from_urdf(&crate::common::many_jointed(6)).unwrap(),
    ];
    robots.push(Robot::from_urdf(&crate::common::quadruped([[-9.4, 9.4]; 3])).unwrap());
    for k in 0..1_000_000 {
        let robot = &robots[if k % 8 == 0 { 1 + (k / 8) % 2 } else { 0 }];
        let leg = &robot.legs()[k % robot.legs().len()];
        let pose = LegAngles::from_fn(leg.joint_count(), |i| {
            let limits = leg.joints()[i].limits();
            match (random.unit() * 5.0) as u32 {
                0 => limits.lower,
                1 => limits.upper,
                2 => 0.0,
                3 => limits.middle(),
                _ => random.range(-1e3, 1e3),
            }
        });
        assert!(leg.jacobian(&pose).iter().all(|x| x.is_finite()), "{pose:?}");
        if k % 16 == 0 {
            let margins = leg.margins(&pose);
            assert!(margins.singularity_m.is_finite() && margins.manipulability.is_finite(), "{pose:?}");
            assert!(leg.greatest_foot_speed(&pose, &Vector3::x()).is_finite(), "{pose:?}");
            assert!(leg.geometric_jacobian_rate(&pose, &pose).iter().all(|x| x.is_finite()), "{pose:?}");
        }
    }
}

#[test]
fn when_legs_and_targets_are_anything_expect_finite_angles_inside_the_limits() {
    let mut random = Random(32);
    for kind in [RandomLegs::Parallel, RandomLegs::General, RandomLegs::InnerParallel, RandomLegs::Meeting] {
        for _ in 0..8 {
            let robot = Robot::from_urdf(&crate::common::random_robot(kind, &mut random)).unwrap();
            for _ in 0..150 {
                check(&robot.legs()[0], &mut random);
                check_nearest(&robot.legs()[0], &mut random);
            }
        }
    }
    for n in 4..=6 {
        let robot = Robot::from_urdf(&crate::common::many_jointed(n)).unwrap();
        for _ in 0..30 {
            check_nearest(&robot.legs()[0], &mut random);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn when_lengths_and_limits_are_anything_expect_forward_and_back_to_agree(
        lengths in prop::array::uniform3(0.01f64..0.4),
        middle in prop::array::uniform3(-2.0f64..2.0),
        half in prop::array::uniform3(0.05f64..4.0),
        part in prop::array::uniform3(0.0f64..=1.0),
        seed in prop::array::uniform3(-7.0f64..7.0),
    ) {
        let limits = std::array::from_fn(|i| [middle[i] - half[i], middle[i] + half[i]]);
        let robot = Robot::from_urdf(&crate::common::hexapod(lengths, limits)).unwrap();
        let leg = &robot.legs()[2];
        let angles = LegAngles::from_fn(3, |i| limits[i][0] + part[i] * 2.0 * half[i]);
        let target = leg.foot_in_body(&angles);
        let found = leg.inverse(&target, &LegAngles::from(seed));
        prop_assert!(found.is_ok(), "{:?} {:?}", angles, found);
        let found = found.unwrap();
        prop_assert!((leg.foot_in_body(&found) - target).norm() < 1e-9);
        prop_assert!(leg.within_limits(&found));
    }
}
