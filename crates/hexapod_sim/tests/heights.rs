//! The height that odometry has, beside the true one: both are that of the body above the ground.

use crate::common::settings;
use crate::rig::course::{Course, FLOORS, Floor, ROUGH_FLOORS};
use crate::rig::drift::{STANDS_S, Sensed, drive};
use crate::rig::other::{Body, LIGHT, QUAD, Stack, walk};
use crate::rig::random::drawn;
use crate::rig::shipped::GAITS;
use crate::rig::{Rig, TICK_S};
use hexapod_gait::{Input, Twist};
use hexapod_odometry::{Estimate, Odometry};
use nalgebra::Isometry3;

/// How much too high odometry has the body, m, and how much it leans otherwise than it does, rad.
fn height_and_lean(estimate: &Estimate, base: &Isometry3<f64>) -> (f64, f64) {
    let (pose, up) = (&estimate.odom_from_body, nalgebra::Vector3::z());
    let lean = (pose.rotation.inverse() * up).angle(&(base.rotation.inverse() * up));
    (pose.translation.z - base.translation.z, lean)
}

#[test]
fn when_a_robot_stands_and_walks_on_balls_of_any_size_expect_odometry_to_have_its_height_above_the_ground() {
    for body in [LIGHT, QUAD] {
        for ball in [0.0, 0.004, 0.01, 0.03] {
            for twist in [Twist::ZERO, Twist::new(0.02, 0.0, 0.0)] {
                let walk = walk(&Body { ball, ..body }, twist, 2.0, settings(0.005));
                let (height, lean) = height_and_lean(&walk.estimate, &walk.base);
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
        let start = drive(&course, 0.5)[0].without;
        println!("{kind}: {:.4} m", start.pose[2]);
        assert!(start.pose[2].abs() < most, "{kind}: {} m", start.pose[2]);
        assert!(start.pose[2].powi(2) < 4.0 * start.estimate.pose_variance()[2], "{kind}: {} m", start.pose[2]);
    }
}

#[test]
fn when_servos_are_off_expect_the_height_within_two_deviations_and_those_of_a_standing_robot_once_it_stands() {
    for body in [LIGHT, QUAD] {
        for (kind, ball) in [("perfect", 0.007), ("mg996r", 0.007), ("perfect", 0.03), ("ds3218", 0.03)] {
            let mut stack = Stack::new(&Body { ball, kind, ..body }, settings(0.005));
            for tick in 0..800 {
                match tick {
                    200 => stack.enable(),
                    300 => stack.engine.stand(),
                    _ => {}
                }
                stack.odometry.set_body_uncertainty(if tick < 200 { stack.reach() } else { 0.0 });
                stack.tick(Twist::ZERO);
                let (estimate, base) = (stack.estimate(), stack.base());
                let (height, lean) = height_and_lean(&estimate, &base);
                let variance = estimate.pose_variance();
                let within = height.powi(2) < 4.0 * variance[2] && lean.powi(2) < 8.0 * variance[3];
                assert!(within, "{kind}, balls of {ball} m, tick {tick}: {height} m, {lean} rad");
                assert!(tick < 400 || variance[2] < 1e-4);
            }
        }
    }
}

/// What comes of a walk straight ahead.
#[derive(Debug)]
struct Straight {
    /// The greatest errors of height, and of roll or pitch, on the way, in standard deviations.
    height: f64,
    tilt: f64,
    /// Those of height, and of place along x and y, at its end, in parts of the way.
    height_lost: f64,
    place_lost: f64,
}

/// Walks straight ahead for some seconds, with an IMU or without, after it has stood for some.
fn straight_ahead(floor: Floor, gait: &'static str, seconds: f64, with_imu: bool) -> Straight {
    let mut rig = Rig::standing(&Course { floor, kind: "perfect", gait, seed: 1, restless: false }.setting());
    let (mut odometry, mut imu) = (Odometry::new(rig.engine.legs().len()), with_imu.then(|| Sensed::new(&rig, 1)));
    let (start, mut straight) =
        (rig.base().translation, Straight { height: 0.0, tilt: 0.0, height_lost: 0.0, place_lost: 0.0 });
    for tick in 0..((STANDS_S + seconds) / TICK_S) as usize {
        let vx = if tick as f64 * TICK_S < STANDS_S { 0.0 } else { 0.08 };
        let now = rig.now();
        rig.tick(&Input { twist: Twist::new(vx, 0.0, 0.0), ..Input::default() });
        let (feet, contacts) = (rig.feet(), rig.contacts());
        odometry.set_foot_heights(rig.feet_above_ground(&odometry.up_in_body()));
        imu.iter_mut().for_each(|imu| imu.tell(&rig, &mut odometry));
        let estimate = *odometry.update(now, &feet, Some(&contacts[..feet.len()])).unwrap();
        let (pose, base, variance) = (estimate.odom_from_body, rig.base(), estimate.pose_variance());
        let off = pose.translation.vector - base.translation.vector;
        let tilt = (pose.rotation * base.rotation.inverse()).scaled_axis().xy().amax();
        straight.height = straight.height.max(off.z.abs() / variance[2].sqrt());
        straight.tilt = straight.tilt.max(tilt / variance[4].sqrt());
        let way = (base.translation.vector - start.vector).norm();
        (straight.height_lost, straight.place_lost) = (off.z.abs() / way, off.xy().norm() / way);
    }
    straight
}

/// Nothing that odometry sees tells it of the slope, and each metre adds as much to the height as the one before: drives
/// that wander stay near their start and do not show it.
#[test]
fn when_the_robot_walks_straight_up_a_ramp_expect_height_and_tilt_within_two_deviations_all_the_way() {
    for gait in GAITS {
        let walk = straight_ahead(FLOORS[3], gait, 40.0, false);
        println!("{gait}: {walk:?}");
        assert!(walk.height < 2.0 && walk.tilt < 2.0, "{gait}: {walk:?}");
        // Deviations four times as great would say as little as ones that are too small.
        assert!(walk.height > 0.5 && walk.tilt > 0.5, "{gait}: {walk:?}");
    }
}

#[test]
fn when_the_robot_walks_straight_up_ramps_with_an_imu_expect_its_height_to_3_percent_of_the_way() {
    for floor in [FLOORS[0], FLOORS[3], ROUGH_FLOORS[4]] {
        for gait in drawn(&GAITS, 2) {
            let walk = straight_ahead(floor, gait, 25.0, true);
            println!("{} {gait}: {walk:?}", floor.words());
            assert!(walk.height_lost < 0.03, "{} {gait}: {walk:?}", floor.words());
            // On ramps feet slide down.
            assert!(walk.place_lost < 0.03 || floor != FLOORS[0], "{} {gait}: {walk:?}", floor.words());
            assert!(walk.height < 2.0 && walk.tilt < 2.0, "{} {gait}: {walk:?}", floor.words());
        }
    }
}
