//! Samples that no robot sends, and pauses and jumps that every robot has: never a NaN, never a jump of the pose.

use hexapod_odometry::{Estimate, Fit, Odometry, SampleError};
use nalgebra::Vector3;
use proptest::prelude::*;
use std::time::Duration;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn standing() -> Vec<Vector3<f64>> {
    [(0.2, 0.15), (0.0, 0.2), (-0.2, 0.15), (0.2, -0.15), (0.0, -0.2), (-0.2, -0.15)]
        .map(|(x, y)| Vector3::new(x, y, -0.09))
        .to_vec()
}

fn shifted(x: f64) -> Vec<Vector3<f64>> {
    standing().into_iter().map(|foot| foot - Vector3::x() * x).collect()
}

fn is_finite(estimate: &Estimate) -> bool {
    let pose = &estimate.odom_from_body;
    let numbers = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
    let numbers = numbers.chain(estimate.linear.iter()).chain(estimate.angular.iter());
    numbers.chain(&estimate.pose_variance()).all(|number| number.is_finite())
}

#[test]
fn when_a_sample_does_not_hold_expect_it_refused_and_nothing_changed() {
    let mut odometry = Odometry::new(6);
    odometry.update(ms(0), &standing(), Some(&[true; 6])).unwrap();
    let before = *odometry.last().unwrap();
    let with = |value: f64| {
        let mut feet = standing();
        feet[4].y = value;
        feet
    };
    for value in [f64::NAN, f64::INFINITY, -1e300] {
        let refused = odometry.update(ms(10), &with(value), Some(&[true; 6]));
        assert!(matches!(refused, Err(SampleError::Foot { leg: 4, .. })), "{refused:?}");
    }
    assert!(matches!(
        odometry.update(ms(10), &standing()[1..], None),
        Err(SampleError::Count { what: "feet", found: 5, .. })
    ));
    assert!(matches!(
        odometry.update(ms(10), &standing(), Some(&[true; 7])),
        Err(SampleError::Count { what: "contacts", .. })
    ));
    assert_eq!(odometry.last(), Some(&before));
}

#[test]
fn when_it_starts_anew_expect_what_a_new_one_says_and_no_allocation() {
    let walk = |odometry: &mut Odometry| {
        let steps = (0..50_u32).map(|n| (ms(u64::from(10 * n)), shifted(f64::from(n) * 1e-3)));
        let estimates = steps.map(|(time, feet)| *odometry.update(time, &feet, Some(&[true; 6])).unwrap());
        estimates.collect::<Vec<_>>()
    };
    let (mut odometry, mut other) = (Odometry::new(6), Odometry::new(6));
    walk(&mut odometry);
    let memory = allocation_counter::measure(|| odometry.forget());
    assert_eq!((memory.count_total, odometry.last()), (0, None));
    assert_eq!(walk(&mut odometry), walk(&mut other));
}

#[test]
fn when_the_first_stance_is_tilted_expect_the_body_tilted_and_the_feet_on_the_ground() {
    let tilt = nalgebra::UnitQuaternion::from_euler_angles(0.12, -0.2, 0.0);
    let feet: Vec<_> = standing().iter().map(|foot| tilt.inverse() * foot).collect();
    let mut odometry = Odometry::new(6);
    let estimate = odometry.update(ms(0), &feet, Some(&[true; 6])).unwrap();
    assert!(estimate.odom_from_body.rotation.angle_to(&tilt) < 1e-9);
    assert!((estimate.odom_from_body.translation.vector - Vector3::new(0.0, 0.0, 0.09)).norm() < 1e-9);
}

#[test]
fn when_stamps_jump_back_expect_the_pose_to_go_on() {
    let mut odometry = Odometry::new(6);
    for tick in 0..50u64 {
        odometry.update(ms(100_000 + 10 * tick), &shifted(0.001 * tick as f64), Some(&[true; 6])).unwrap();
    }
    for tick in 0..50u64 {
        let feet = shifted(0.049 + 0.001 * tick as f64);
        let estimate = *odometry.update(ms(10 * tick), &feet, Some(&[true; 6])).unwrap();
        assert!((estimate.odom_from_body.translation.x - (0.049 + 0.001 * tick as f64)).abs() < 1e-9);
        assert!(estimate.linear.norm() < 0.1 + 1e-9 && !estimate.restarted);
    }
}

#[test]
fn when_feet_are_elsewhere_after_a_pause_expect_a_new_start_from_the_same_place() {
    let mut odometry = Odometry::new(6);
    let down = [true, false, true, false, true, false];
    odometry.update(ms(0), &shifted(0.0), Some(&down)).unwrap();
    odometry.update(ms(10), &shifted(0.001), Some(&down)).unwrap();
    let up = down.map(|down| !down);
    let estimate = *odometry.update(ms(5000), &shifted(0.07), Some(&up)).unwrap();
    assert!(estimate.restarted && (estimate.odom_from_body.translation.x - 0.001).abs() < 1e-9);
    let estimate = *odometry.update(ms(5010), &shifted(0.071), Some(&up)).unwrap();
    assert!(!estimate.restarted && (estimate.odom_from_body.translation.x - 0.002).abs() < 1e-9);
}

#[test]
fn when_all_feet_leave_the_ground_expect_it_to_coast_and_then_to_stay() {
    let mut odometry = Odometry::new(6);
    for tick in 0..=10u64 {
        odometry.update(ms(10 * tick), &shifted(0.001 * tick as f64), Some(&[true; 6])).unwrap();
    }
    let mut x = vec![];
    for tick in 11..=200u64 {
        let estimate = odometry.update(ms(10 * tick), &standing(), Some(&[false; 6])).unwrap();
        assert_eq!(estimate.fit, Fit::Coasting);
        x.push(estimate.odom_from_body.translation.x);
    }
    assert!((x[9] - 0.02).abs() < 1e-9 && (x[189] - 0.06).abs() < 1e-9, "{} {}", x[9], x[189]);
}

/// An emergency stop freezes feet in mid-swing, and all count as down from then on; switches come and go meanwhile.
#[test]
fn when_feet_in_the_air_are_said_to_be_down_without_moving_expect_no_lean() {
    for in_the_air in [vec![0], vec![0, 1], vec![0, 2, 4]] {
        let mut odometry = Odometry::new(6);
        let feet = |x: f64| {
            let mut feet = shifted(x);
            in_the_air.iter().for_each(|&leg| feet[leg].z += 0.035);
            feet
        };
        let walking: [bool; 6] = std::array::from_fn(|leg| !in_the_air.contains(&leg));
        for tick in 0..=10u64 {
            odometry.update(ms(10 * tick), &feet(0.001 * tick as f64), Some(&walking)).unwrap();
        }
        for tick in 11..=100u64 {
            let down: [bool; 6] = std::array::from_fn(|leg| tick < 30 || (tick + leg as u64) % 7 > 2);
            let estimate = odometry.update(ms(10 * tick), &feet(0.01), Some(&down)).unwrap();
            let pose = estimate.odom_from_body;
            assert!(pose.rotation.angle() < 1e-6 && !estimate.restarted, "{in_the_air:?}: {}", pose.rotation.angle());
            assert!((pose.translation.vector - Vector3::new(0.01, 0.0, 0.09)).norm() < 1e-3, "{pose}");
        }
    }
}

#[test]
fn when_two_feet_are_down_expect_place_and_yaw() {
    let mut odometry = Odometry::new(6);
    odometry.update(ms(0), &shifted(0.0), Some(&[true; 6])).unwrap();
    let trot = [true, false, false, false, false, true];
    for tick in 1..=20u64 {
        let estimate = odometry.update(ms(10 * tick), &shifted(0.001 * tick as f64), Some(&trot)).unwrap();
        assert_eq!(estimate.fit, Fit::Planar);
        assert!((estimate.odom_from_body.translation.x - 0.001 * tick as f64).abs() < 1e-9);
    }
}

proptest! {
    #[test]
    fn when_fed_anything_expect_finite_poses(
        samples in prop::collection::vec((
            0u64..100_000,
            prop::array::uniform6(prop_oneof![
                3 => prop::array::uniform3(-0.3..0.3f64),
                1 => prop::array::uniform3(prop::num::f64::ANY),
                1 => Just([0.0; 3]),
                1 => Just([0.1, 0.1, -0.1]),
            ]),
            prop::option::of(prop::array::uniform6(any::<bool>())),
        ), 1..60),
    ) {
        let mut odometry = Odometry::new(6);
        for (time, feet, contacts) in samples {
            let feet = feet.map(Vector3::from);
            let _ = odometry.update(ms(time), &feet, contacts.as_ref().map(|contacts| &contacts[..]));
            if let Some(estimate) = odometry.last() {
                prop_assert!(is_finite(estimate), "{estimate:?}");
            }
        }
    }
}

#[test]
fn when_a_foot_slides_that_is_hardly_on_the_ground_expect_it_to_count_by_its_certainty() {
    // Four feet stand, so that the slide of one is distinguished from the walk of the others by weight alone.
    let way = |certainty: f64| {
        let mut odometry = Odometry::new(6);
        let down = [true, true, false, true, true, false];
        odometry.update(ms(0), &shifted(0.0), Some(&down)).unwrap();
        let mut feet = shifted(0.0);
        // Two slide, too many to be distinguished by their distances.
        feet[0].x -= 0.004;
        feet[3].x -= 0.004;
        odometry.set_foot_confidence([certainty, 1.0, 1.0, certainty, 1.0, 1.0]);
        let estimate = *odometry.update(ms(10), &feet, Some(&down)).unwrap();
        (estimate.odom_from_body.translation.x, estimate)
    };
    let (even, certain) = way(1.0);
    let (little, doubted) = way(0.05);
    assert!((even - 0.002).abs() < 1e-5 && (little - 0.004 * 0.1 / 2.1).abs() < 1e-5, "{even} {little}");
    assert!((certain.support, doubted.support) == (4.0, 2.1), "{doubted:?}");
    let as_fast = Estimate { linear: certain.linear, angular: certain.angular, ..doubted };
    assert!(as_fast.twist_variance()[0] > 1.4 * certain.twist_variance()[0]);
}

#[test]
fn when_certainties_are_nonsense_expect_a_finite_pose() {
    let mut odometry = Odometry::new(6);
    odometry.set_foot_confidence([f64::NAN, -3.0, f64::INFINITY, 0.0, f64::NEG_INFINITY, 1e300, 4.0, 5.0, 6.0]);
    for tick in 0..20 {
        let estimate = *odometry.update(ms(10 * tick), &shifted(0.001 * tick as f64), Some(&[true; 6])).unwrap();
        assert!(estimate.odom_from_body.translation.vector.iter().all(|x| x.is_finite()));
    }
    assert!((odometry.last().unwrap().odom_from_body.translation.x - 0.019).abs() < 1e-9);
}
