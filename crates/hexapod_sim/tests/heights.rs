//! The height that odometry has, beside the true one: both are that of the body above the ground.

use crate::common::settings;
use crate::rig::course::{Course, FLOORS};
use crate::rig::drift::drive;
use crate::rig::other::{Body, LIGHT, QUAD, Walk, walk};
use hexapod_gait::Twist;

fn height_and_lean(walk: &Walk) -> (f64, f64) {
    let pose = &walk.estimate.odom_from_body;
    let lean = (pose.rotation.inverse() * nalgebra::Vector3::z())
        .angle(&(walk.base.rotation.inverse() * nalgebra::Vector3::z()));
    (pose.translation.z - walk.base.translation.z, lean)
}

#[test]
fn when_a_robot_stands_and_walks_on_balls_of_any_size_expect_odometry_to_have_its_height_above_the_ground() {
    for body in [LIGHT, QUAD] {
        for ball in [0.004, 0.01, 0.03] {
            for twist in [Twist::ZERO, Twist::new(0.02, 0.0, 0.0)] {
                let walk = walk(&Body { ball, ..body }, twist, 2.0, settings(0.005));
                let (height, lean) = height_and_lean(&walk);
                println!("balls of {ball} m: {height:.4} m, {lean:.4} rad");
                assert!(height.abs() < 3e-3, "balls of {ball} m: {height} m too high");
                assert!(height.powi(2) < 4.0 * walk.estimate.pose_variance()[2]);
                assert!(lean < 0.01, "balls of {ball} m: {lean} rad");
            }
        }
    }
}

#[test]
fn when_the_shipped_robot_stands_expect_the_height_of_odometry_within_two_deviations_with_any_servo() {
    for (kind, most) in [("perfect", 1.5e-3), ("ds3218", 6e-3), ("mg996r", 9e-3)] {
        let course = Course { floor: FLOORS[0], kind, gait: "tripod", seed: 1, restless: false };
        let start = drive(&course, 0.5)[0];
        println!("{kind}: {:.4} m", start.pose[2]);
        assert!(start.pose[2].abs() < most, "{kind}: {} m", start.pose[2]);
        assert!(start.pose[2].powi(2) < 4.0 * start.estimate.pose_variance()[2], "{kind}: {} m", start.pose[2]);
    }
}
