//! On the ground, not walking.

use crate::common::{G, Walker, settings};
use crate::rig::other::{Body, LIGHT, QUAD, Stack};
use hexapod_gait::Twist;
use hexapod_sim::Ground;

#[test]
fn when_the_robot_stands_expect_its_weight_on_its_feet_with_any_servo_and_step() {
    for servos in ["perfect", "ds3218", "mg996r"] {
        for step_s in [0.002, 0.005] {
            let walker = Walker::new(&Ground::flat(), servos, settings(step_s)).stand();
            let force = walker.foot_forces();
            assert!((force.z / walker.weight() - 1.0).abs() < 1e-3, "{force} N of {} N", walker.weight());
            assert!(force.xy().norm() < 0.01, "{force} N");
            let lean = walker.base().rotation.angle();
            assert!(lean < 0.02, "{lean} rad");
        }
    }
}

/// A floor that gives way bears feet otherwise than their servos press them down: more evenly, the shorter the steps.
#[test]
fn when_feet_take_turns_to_bear_the_robot_expect_none_to_sink_into_the_ground_with_any_step() {
    for step_s in [0.001, 0.0025, 0.005] {
        let mut walker = Walker::new(&Ground::flat(), "perfect", settings(step_s)).stand();
        let depth = |walker: &Walker| -walker.simulator.world().lowest();
        let stands = depth(&walker);
        assert!(stands < 2e-6, "stands {stands} m deep with steps of {step_s} s");
        for _ in 0..(2.0 / step_s) as usize {
            walker.step(Twist::new(0.0, 0.0, 0.3));
            let walks = depth(&walker);
            assert!(walks < 3e-5, "walks {walks} m deep with steps of {step_s} s");
        }
    }
}

/// A robot that stands on a slope to which the ground has just been tilted.
fn on_slope(friction: f64, slope: f64) -> Walker {
    let flat = Ground::flat().with_friction(friction);
    let mut walker = Walker::new(&flat, "perfect", settings(0.005)).stand();
    walker.simulator.world_mut().tilt(slope);
    walker
}

/// How far a robot comes down in a second, m.
fn slid(walker: &mut Walker) -> f64 {
    let start = walker.base().translation.x;
    walker.go(Twist::ZERO, 1.0);
    start - walker.base().translation.x
}

#[test]
fn when_the_slope_is_below_the_angle_of_friction_expect_the_robot_to_stay_and_not_to_creep() {
    for friction in [0.2, 0.4, 0.8] {
        let mut walker = on_slope(friction, (0.95 * friction).atan());
        let sags = slid(&mut walker);
        assert!(sags < 0.006, "{sags} m while its servos take up the load");
        let creeps = slid(&mut walker);
        assert!(creeps.abs() < 1e-6, "{creeps} m");
    }
}

#[test]
fn when_the_slope_is_above_the_angle_of_friction_expect_the_robot_to_slide_as_fast_as_it_must() {
    let friction: f64 = 0.4;
    let slope = (1.2 * friction).atan();
    let mut walker = on_slope(friction, slope);
    walker.go(Twist::ZERO, 0.5);
    let momentum = |walker: &Walker| walker.simulator.world().momentum().linear.x;
    let start = momentum(&walker);
    walker.go(Twist::ZERO, 0.5);
    let acceleration = (start - momentum(&walker)) / 0.5 * G / walker.weight();
    let expected = G * (slope.sin() - friction * slope.cos());
    assert!((acceleration / expected - 1.0).abs() < 1e-3, "{acceleration} m/s2 for {expected} m/s2");
    let force = walker.foot_forces();
    assert!((force.x / force.z / friction - 1.0).abs() < 1e-6, "{force} N");
}

#[test]
fn when_the_robot_slides_down_a_slope_expect_all_feet_to_slide_as_fast_as_its_body() {
    let mut walker = on_slope(0.4, (1.2f64 * 0.4).atan());
    walker.go(Twist::ZERO, 1.0);
    let world = walker.simulator.world();
    let speed = world.twist().linear.norm();
    assert!(speed > 0.3, "{speed} m/s");
    for leg in 0..6 {
        let slide = world.foot_slide(leg);
        assert!((slide / speed - 1.0).abs() < 0.02, "leg {leg}: {slide} m/s of {speed} m/s");
    }
}

fn rest(stack: &mut Stack, ticks: usize) {
    for _ in 0..ticks {
        stack.tick(Twist::ZERO);
    }
}

/// A robot of a fifth of the size in each direction, whose legs are 4 cm long.
#[test]
fn when_a_robot_is_small_expect_it_to_stand_still() {
    for body in [LIGHT, QUAD] {
        for effort in [0.01, 0.05, 0.5, 3.0] {
            let masses = body.masses.map(|mass| 0.008 * mass);
            let mut stack = Stack::new(&Body { masses, ball: 0.002, size: 0.2, effort, ..body }, settings(0.005));
            stack.enable();
            rest(&mut stack, 100);
            stack.engine.stand();
            rest(&mut stack, 500);
            let (start, mut moved, mut speed) = (stack.base(), 0.0_f64, 0.0_f64);
            for _ in 0..100 {
                stack.tick(Twist::ZERO);
                moved = moved.max((stack.base().translation.vector - start.translation.vector).norm());
                let world = stack.simulator.world();
                let hinges = 0..world.assembly().hinges.len();
                speed = hinges.map(|hinge| world.speed(hinge).abs()).fold(speed, f64::max);
            }
            assert!(moved < 1e-6 && speed < 1e-3, "{body:?}, {effort} N m: {moved} m, {speed} rad/s");
        }
    }
}
