//! Feet that stand on balls: the ground is below the feet's points, by the radius, however body and legs are tilted.

use hexapod_odometry::Odometry;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use std::time::Duration;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Where six balls of these radii are that stand on the ground.
fn centres(radii: &[f64; 6]) -> [Vector3<f64>; 6] {
    let places = [(0.2, 0.15), (0.0, 0.2), (-0.2, 0.15), (0.2, -0.15), (0.0, -0.2), (-0.2, -0.15)];
    std::array::from_fn(|foot| Vector3::new(places[foot].0, places[foot].1, radii[foot]))
}

fn seen_from(odom_from_body: &Isometry3<f64>, centres: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    centres.iter().map(|centre| odom_from_body.inverse_transform_point(&Point3::from(*centre)).coords).collect()
}

fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    (-0.4..0.4f64, -0.4..0.4f64, 0.05..0.2f64).prop_map(|(roll, pitch, z)| {
        Isometry3::from_parts(Vector3::new(0.0, 0.0, z).into(), UnitQuaternion::from_euler_angles(roll, pitch, 0.0))
    })
}

proptest! {
    #[test]
    fn when_feet_stand_on_balls_of_any_size_expect_height_and_tilt_above_the_ground_that_they_touch(
        pose in pose(), radii in prop::array::uniform6(0.0..0.04f64),
    ) {
        let feet = seen_from(&pose, &centres(&radii));
        let mut odometry = Odometry::new(6);
        odometry.set_foot_heights(radii);
        let found = odometry.update(ms(0), &feet, Some(&[true; 6])).unwrap().odom_from_body;
        prop_assert!((found.translation.z - pose.translation.z).abs() < 1e-8, "{found}");
        let tilt = |pose: &Isometry3<f64>| pose.rotation.inverse() * Vector3::z();
        prop_assert!((tilt(&found) - tilt(&pose)).norm() < 1e-8, "{found}");
        prop_assert!((odometry.up_in_body() - tilt(&pose)).norm() < 1e-8);
    }

    #[test]
    fn when_feet_on_balls_step_and_the_body_moves_expect_its_pose(
        poses in prop::collection::vec(pose(), 2..12), radii in prop::array::uniform6(0.0..0.04f64), reported: bool,
    ) {
        let mut ground = centres(&radii);
        let mut odometry = Odometry::new(6);
        odometry.set_foot_heights(radii);
        // It stands level first: which way it looks does not follow from the feet.
        let start = Isometry3::translation(0.0, 0.0, 0.1);
        odometry.update(ms(0), &seen_from(&start, &ground), Some(&[true; 6])).unwrap();
        for (step, pose) in poses.iter().enumerate() {
            let mut down = [true; 6];
            down[step % 6] = false;
            let mut at = seen_from(pose, &ground);
            at[step % 6].z += 0.02;
            odometry.update(ms(20 * step as u64 + 10), &at, Some(&down)).unwrap();
            ground[step % 6] += Vector3::new(0.01, 0.004, 0.0);
            // Without contacts the lowest feet are those that are nearest to the ground with their balls, not their points.
            let contacts = reported.then_some(&[true; 6][..]);
            let found = odometry.update(ms(20 * step as u64 + 20), &seen_from(pose, &ground), contacts).unwrap();
            let error = pose.inverse() * found.odom_from_body;
            prop_assert!(error.translation.vector.norm() < 1e-9 && error.rotation.angle() < 1e-9, "{error}");
            prop_assert_eq!(found.feet_down, 6);
        }
    }

    #[test]
    fn when_a_foot_is_lifted_by_the_ball_that_it_rolls_on_expect_the_body_lifted_with_it(
        radii in prop::array::uniform6(0.0..0.04f64), lift in prop::collection::vec(-0.01..0.01f64, 1..8),
    ) {
        let mut odometry = Odometry::new(6);
        let feet = seen_from(&Isometry3::translation(0.0, 0.0, 0.1), &centres(&radii));
        for (tick, lift) in lift.into_iter().enumerate() {
            odometry.set_foot_heights(radii.map(|radius| radius + lift));
            let found = odometry.update(ms(10 * tick as u64), &feet, Some(&[true; 6])).unwrap().odom_from_body;
            prop_assert!((found.translation.z - 0.1 - lift).abs() < 1e-8, "{found}");
            prop_assert!(found.rotation.angle() < 1e-8, "{found}");
        }
    }
}

#[test]
fn when_heights_of_feet_are_nonsense_or_missing_expect_points_on_the_ground() {
    let mut odometry = Odometry::new(6);
    odometry.set_foot_heights([f64::NAN, 0.0, f64::NAN]);
    let feet = seen_from(&Isometry3::translation(0.0, 0.0, 0.1), &centres(&[0.0; 6]));
    let found = odometry.update(ms(0), &feet, Some(&[true; 6])).unwrap();
    assert!((found.odom_from_body.translation.z - 0.1).abs() < 1e-12, "{found:?}");
    for endless in [f64::INFINITY, f64::NEG_INFINITY] {
        odometry.set_foot_heights([endless; 6]);
        let found = odometry.update(ms(10), &feet, Some(&[true; 6])).unwrap();
        assert!(found.odom_from_body.translation.z.is_finite());
    }
}
