//! Legs of four to six joints.
#![allow(clippy::unwrap_used)]

use crate::common::Random;
use hexapod_kinematics::{IkError, IterationBudget, LegAngles, Robot};
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

/// One that hurried to its posture, however short the way of its foot, was too fast at any pace: the robot stood still.
#[test]
fn when_a_leg_on_its_way_is_far_from_its_posture_expect_no_joint_faster_than_its_foot_and_its_time_allow() {
    let (step_m, spare_s) = (1e-3, 0.01);
    for n in 4..=6 {
        let robot = Robot::from_urdf(&crate::common::many_jointed(n)).unwrap();
        let leg = &robot.legs()[0];
        let (mut random, mut steps, mut nearer) = (Random(40 + n as u64), 0, 0);
        for _ in 0..2000 {
            let from = crate::common::random_angles(leg, &mut random);
            if leg.margins(&from).singularity_m < 0.05 || leg.margins(&from).limit_rad < 0.1 {
                continue;
            }
            let way = Vector3::from_fn(|_, _| random.range(-1.0, 1.0)).normalize() * step_m;
            let target = leg.foot_in_body(&from) + way;
            // Ten steps, two looks and a drift.
            let mut budget = IterationBudget::new(13);
            let found = leg.inverse_tracking(&target, &from, spare_s, &mut budget).unwrap();
            assert!((leg.foot_in_body(&found) - target).norm() < 1e-9 && leg.within_limits(&found));
            for (joint, (now, then)) in leg.joints().iter().zip(found.iter().zip(from.iter())) {
                let most = 1.1 * step_m / 0.05 + 0.25 * joint.limits().velocity * spare_s;
                assert!((now - then).abs() < most, "{n} {from:?} {found:?}");
            }
            let still = leg.inverse_tracking(&target, &from, 0.0, &mut budget).unwrap();
            let posture = leg.posture();
            nearer += usize::from(found.distance_squared(&posture) < still.distance_squared(&posture));
            steps += 1;
        }
        assert!(steps > 100 && 10 * nearer > 8 * steps, "{n}: {nearer} of {steps} came nearer to the posture");
    }
}

/// Four legs that hang from hips that roll or pitch, the right ones mirror images of the left, some of their axes turned round.
fn mirrored(random: &mut Random, joints: usize) -> String {
    let mut text = String::from("<robot name='m'><link name='base_link'/>");
    let parts: Vec<[f64; 3]> = (0..joints)
        .map(|_| [random.range(-0.1, 0.1), random.range(0.5, 1.0), random.range(-0.4, 0.4)].map(|part| 0.15 * part))
        .collect();
    let pitches = random.unit() < 0.5;
    for (leg, (x, side)) in [(0.2, 1.0), (0.2, -1.0), (-0.2, 1.0), (-0.2, -1.0)].into_iter().enumerate() {
        let (mut parent, mut origin) = ("base_link".to_owned(), [x, 0.1 * side, 0.0]);
        for (index, part) in parts.iter().enumerate() {
            let name = format!("l{leg}_{index}");
            // An axis is turned round by the mirror, and by whoever built the leg.
            let sense = side * if random.unit() < 0.3 { -1.0 } else { 1.0 };
            let [a, b, c] = match index {
                0 if pitches => [0.0, sense, 0.0],
                0 => [sense, 0.0, 0.0],
                _ => [0.0, 0.0, sense],
            };
            text += &format!(
                "<link name='{name}_link'/><joint name='{name}' type='revolute'><parent link='{parent}'/>\
                 <child link='{name}_link'/><origin xyz='{} {} {}'/><axis xyz='{a} {b} {c}'/>\
                 <limit lower='-2.4' upper='2.4' velocity='2' effort='3'/></joint>",
                origin[0], origin[1], origin[2]
            );
            (parent, origin) = (format!("{name}_link"), [part[0], side * part[1], part[2]]);
        }
        text += &format!(
            "<link name='l{leg}_foot'/><joint name='l{leg}_tip' type='fixed'><parent link='{parent}'/>\
             <child link='l{leg}_foot'/><origin xyz='{} {} {}'/></joint>",
            origin[0], origin[1], origin[2]
        );
    }
    text + "</robot>"
}

#[test]
fn when_legs_are_mirror_images_expect_them_to_stand_as_mirror_images() {
    let mut random = Random(5);
    for joints in (3..=6).cycle().take(40) {
        let text = mirrored(&mut random, joints);
        let robot = Robot::from_urdf(&text).unwrap();
        let foot = |x: f64, y: f64| {
            let leg =
                robot.legs().iter().find(|leg| (leg.hip_in_body() - Vector3::new(x, y, 0.0)).norm() < 1e-9).unwrap();
            leg.foot_in_body(&leg.posture())
        };
        for x in [0.2, -0.2] {
            let [left, right] = [0.1, -0.1].map(|y| foot(x, y));
            let apart = left - Vector3::new(right.x, -right.y, right.z);
            assert!(apart.norm() < 1e-6, "{joints} joints, {x}: {left:?} {right:?}\n{text}");
        }
    }
}
