//! Legs of any geometry: all solutions of the closed form, checked against a dense search.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{Random, RandomLegs, random_angles};
use hexapod_kinematics::{Leg, LegAngles, Robot};
use nalgebra::Vector3;

/// Solutions found by Newton's method on the foot from a grid of starts, written here again.
fn dense_search(leg: &Leg, target: &Vector3<f64>) -> Vec<[f64; 3]> {
    let mut found: Vec<[f64; 3]> = Vec::new();
    let steps = 12;
    for start in 0..steps * steps * steps {
        let at = |k: usize| -3.0 + 6.0 * (k as f64) / (steps as f64);
        let mut q = LegAngles::from([at(start % steps), at(start / steps % steps), at(start / steps / steps)]);
        for _ in 0..30 {
            let error = target - leg.foot_in_body(&q);
            if error.norm() < 1e-11 {
                break;
            }
            let j = leg.jacobian(&q).fixed_columns::<3>(0).into_owned();
            let Some(step) = (j.transpose() * j + nalgebra::Matrix3::identity() * 1e-9).cholesky() else { break };
            let step = step.solve(&(j.transpose() * error));
            for k in 0..3 {
                q[k] += step[k].clamp(-0.3, 0.3);
            }
        }
        if (target - leg.foot_in_body(&q)).norm() < 1e-10 {
            let wrapped = [q[0], q[1], q[2]].map(|a| a - std::f64::consts::TAU * (a / std::f64::consts::TAU).round());
            let near = |a: f64, b: f64| ((a - b).sin().abs() < 1e-3) && (a - b).cos() > 0.0;
            if !found.iter().any(|f| f.iter().zip(wrapped).all(|(a, b)| near(*a, b))) {
                found.push(wrapped);
            }
        }
    }
    found
}

fn check_all_found(kind: RandomLegs, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..25 {
        let robot = Robot::from_urdf(&crate::common::random_robot(kind, &mut random)).unwrap();
        let leg = &robot.legs()[0];
        for _ in 0..2 {
            let target = leg.foot_in_body(&random_angles(leg, &mut random));
            let ours = leg.solutions(&target);
            for (i, solution) in ours.iter().enumerate() {
                assert!((leg.foot_in_body(&solution.angles) - target).norm() < 1e-9);
                assert!(ours.iter().skip(i + 1).all(|other| other.angles != solution.angles));
            }
            let dense = dense_search(leg, &target);
            assert!(ours.len() >= dense.len(), "{kind:?} {}: {ours:#?} {dense:?}", leg.inverse_method());
        }
    }
}

#[test]
fn when_the_outer_axes_are_parallel_expect_every_solution() {
    check_all_found(RandomLegs::Parallel, 11);
}

#[test]
fn when_the_outer_axes_are_parallel_but_for_rounding_expect_every_solution_of_the_leg_as_it_is() {
    for (seed, off) in [(21, 1e-8), (22, 2.65e-6), (23, 8e-4)] {
        let kind = RandomLegs::NearlyParallel(off);
        let robot = Robot::from_urdf(&crate::common::random_robot(kind, &mut Random(seed))).unwrap();
        assert_eq!(robot.legs()[0].inverse_method(), "closed form (nearly parallel)", "{off}");
        check_all_found(kind, seed);
    }
}

#[test]
fn when_the_axes_are_in_general_position_expect_every_solution() {
    check_all_found(RandomLegs::General, 12);
}

#[test]
fn when_the_inner_axes_are_parallel_expect_every_solution() {
    check_all_found(RandomLegs::InnerParallel, 13);
}

#[test]
fn when_the_inner_axes_meet_expect_every_solution() {
    check_all_found(RandomLegs::Meeting, 14);
}

/// A hundred thousand random targets, on a hundred random legs of a kind.
fn check_round_trip(kind: RandomLegs) {
    let mut random = Random(99);
    for _ in 0..100 {
        let robot = Robot::from_urdf(&crate::common::random_robot(kind, &mut random)).unwrap();
        let leg = &robot.legs()[0];
        for _ in 0..1000 {
            let target = leg.foot_in_body(&random_angles(leg, &mut random));
            let seed = random_angles(leg, &mut random);
            let found = leg.inverse(&target, &seed).unwrap_or_else(|e| panic!("{kind:?} {e}"));
            assert!((leg.foot_in_body(&found) - target).norm() < 1e-9);
        }
    }
}

#[test]
fn when_going_forward_and_back_on_parallel_axes_expect_the_same_foot() {
    check_round_trip(RandomLegs::Parallel);
}

#[test]
fn when_going_forward_and_back_on_nearly_parallel_axes_expect_the_same_foot() {
    check_round_trip(RandomLegs::NearlyParallel(1e-4));
}

#[test]
fn when_going_forward_and_back_on_any_axes_expect_the_same_foot() {
    check_round_trip(RandomLegs::General);
}

#[test]
fn when_going_forward_and_back_on_inner_parallel_axes_expect_the_same_foot() {
    check_round_trip(RandomLegs::InnerParallel);
}

#[test]
fn when_going_forward_and_back_on_meeting_axes_expect_the_same_foot() {
    check_round_trip(RandomLegs::Meeting);
}
