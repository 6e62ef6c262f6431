//! Inverse kinematics through the public API.

#![allow(clippy::unwrap_used)]

use crate::common::{Random, hexapod, random_angles, shipped};
use hexapod_kinematics::{IkError, LegAngles, Robot};
use nalgebra::Vector3;

#[test]
fn when_solving_the_golden_table_expect_its_angles() {
    // The table's leg: yaw, pitch, pitch with links 50, 50, 70 mm; x forward, y outward, z up, zero straight.
    let wide = [[-3.1, 3.1], [-3.1, 3.1], [-3.1, 0.0]];
    let robot = Robot::from_urdf(&hexapod([0.05, 0.05, 0.07], wide)).unwrap();
    let leg = robot.legs().iter().find(|l| l.name() == "left_middle").unwrap();
    // This leg's frame is turned so that its x points outward; undo that and go to metres.
    let hip = leg.hip_in_body();
    let outward = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), 1.571);
    let table = include_str!("golden/leg_ik.csv");
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|n| n.parse().unwrap()).collect();
        let (forward, out, up) = (row[7] / 1000.0, row[8] / 1000.0, row[9] / 1000.0);
        let target = hip + outward * Vector3::new(out, -forward, up);
        let pose = leg.closest_reachable(&target, &LegAngles::from([0.0, 0.0, -1.5]));
        // The table's yaw is positive towards x forward, ours about z up.
        let expect = [-row[10], row[11], row[12]];
        for (ours, theirs) in pose.angles.iter().zip(expect) {
            assert!((ours - theirs).abs() <= 1e-6 * theirs.abs().max(1.0), "{line}: {ours} {theirs}");
        }
        rows += 1;
    }
    assert_eq!(rows, 432);
}

#[test]
fn when_going_forward_and_back_expect_the_same_foot() {
    let robot = Robot::from_urdf(&shipped()).unwrap();
    let mut random = Random(1);
    for leg in robot.legs() {
        for _ in 0..170_000 {
            let angles = random_angles(leg, &mut random);
            let target = leg.foot_in_body(&angles);
            let seed = random_angles(leg, &mut random);
            let found = leg.inverse(&target, &seed).unwrap();
            let miss = (leg.foot_in_body(&found) - target).norm();
            assert!(miss < 1e-9, "{miss} {angles:?}");
            assert!(leg.within_limits(&found));
            assert!(found.distance_squared(&seed) <= angles.distance_squared(&seed) + 1e-9);
        }
    }
}

#[test]
fn when_the_target_is_nonsense_expect_a_typed_error_and_the_seed() {
    let robot = Robot::from_urdf(&shipped()).unwrap();
    let leg = &robot.legs()[0];
    let seed = LegAngles::from([0.1, 0.2, -0.3]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let target = Vector3::new(0.1, bad, 0.0);
        assert_eq!(leg.inverse(&target, &seed), Err(IkError::NotFinite));
        assert_eq!(leg.closest_reachable(&target, &seed).angles, seed);
    }
    let far = leg.inverse(&Vector3::new(9.0, 0.0, 0.0), &seed);
    assert!(matches!(far, Err(IkError::Unreachable { shortfall_m }) if shortfall_m > 8.0), "{far:?}");
}

#[test]
fn when_out_of_reach_expect_the_nearest_point_inside_the_limits() {
    let robot = Robot::from_urdf(&shipped()).unwrap();
    let mut random = Random(7);
    for leg in robot.legs().iter().take(2) {
        for _ in 0..300 {
            let target = Vector3::from_fn(|_, _| random.range(-0.5, 0.5));
            let pose = leg.closest_reachable(&target, &leg.home());
            assert!(leg.within_limits(&pose.angles));
            let ours = (pose.foot_in_body - target).norm();
            let mut dense = f64::INFINITY;
            for _ in 0..3000 {
                dense = dense.min((leg.foot_in_body(&random_angles(leg, &mut random)) - target).norm());
            }
            assert!(ours <= dense + 1e-9, "{target:?}: {ours} {dense}");
        }
    }
}

#[test]
fn when_following_the_worked_example_expect_its_figures() {
    let robot = Robot::from_urdf(&shipped()).unwrap();
    let leg = &robot.legs()[0];
    let target = leg.body_from_limb() * nalgebra::Point3::new(0.15, 0.05, -0.08);
    let found = leg.inverse(&target.coords, &leg.posture()).unwrap();
    for (ours, written) in found.iter().zip([0.321751, 0.675548, -1.823232]) {
        assert!((ours - written).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn when_solutions_are_a_tree_expect_its_paths_to_be_the_list() {
    let robot = Robot::from_urdf(&hexapod([0.05, 0.07, 0.12], [[-3.1, 3.1]; 3])).unwrap();
    let leg = &robot.legs()[1];
    let seed = LegAngles::from([0.1, 1.2, -2.4]);
    let solutions = leg.solutions_near(&leg.foot_in_body(&seed), &seed);
    let tree = solutions.tree();
    assert_eq!(tree.len(), 2, "two turns of the hip");
    let mut paths = Vec::new();
    for one in &tree {
        for two in &one.then {
            for three in &two.then {
                assert!((one.joint, two.joint, three.joint) == (0, 1, 2) && three.then.is_empty());
                paths.push([one.angle, two.angle, three.angle]);
            }
        }
    }
    assert_eq!(paths.len(), solutions.len());
    for solution in solutions.iter() {
        let near = |path: &&[f64; 3]| path.iter().zip(solution.angles.iter()).all(|(a, b)| (a - b).abs() < 1e-5);
        assert_eq!(paths.iter().filter(near).count(), 1, "{solution:?}");
    }
    assert!((tree[0].angle - 0.1).abs() < 1e-9 && tree[0].within_limits, "nearest first");
    assert!(leg.solutions(&Vector3::new(9.0, 0.0, 0.0)).tree().is_empty());
}
