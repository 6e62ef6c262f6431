//! Motions whose formulas are known.

use crate::common::{G, free, pendulum, settings, shipped};
use hexapod_sim::{Drive, Ground, World};
use std::f64::consts::{PI, TAU};

#[test]
fn when_nothing_is_below_expect_the_centre_of_mass_in_free_fall_whatever_the_servos_do() {
    let step_s = 0.001;
    let mut world = World::new(&shipped(), &Ground::nothing(), &free(), settings(step_s)).unwrap();
    let start = world.centre_of_mass();
    for step in 0..500 {
        for hinge in 0..world.assembly().hinges.len() {
            let rest = 0.4 * (1e-3 * f64::from(step) * (hinge as f64 - 8.0)).sin();
            world.drive(hinge, Drive { stiffness: 20.0, damping: 0.3, rest, friction: 0.03, torque: 0.0 });
        }
        world.step();
    }
    let fallen = world.centre_of_mass() - start;
    // Semi-implicit steps: the n-th falls n times as far as the first.
    let expected = -G * step_s * step_s * 500.0 * 501.0 / 2.0;
    assert!((fallen.z / expected - 1.0).abs() < 2e-4, "{fallen} for {expected}");
    assert!(fallen.xy().norm() < 1e-3, "{fallen}");
}

/// Period of a pendulum of `small` period for small swings, let go at an angle: by the arithmetic-geometric mean.
fn period(small: f64, angle: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * angle).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    small / a
}

/// Mean period of a world's only hinge over ten swings.
fn measured(world: &mut World) -> f64 {
    let (mut crossings, mut before) = (Vec::new(), world.position(0));
    while crossings.len() < 11 {
        let then = world.time_s();
        world.step();
        let now = world.position(0);
        if before < 0.0 && now >= 0.0 {
            crossings.push(then - before / (now - before) * (world.time_s() - then));
        }
        before = now;
    }
    (crossings[10] - crossings[0]) / 10.0
}

#[test]
fn when_a_pendulum_swings_wide_expect_its_period() {
    let (mass, length, inertia) = (0.3, 0.2, 0.002);
    for angle in [0.1, 1.0, 2.5] {
        let mut world = pendulum(mass, length, inertia, 0.0005);
        world.put(&nalgebra::Isometry3::identity(), &[angle]);
        let small = TAU * ((inertia + mass * length * length) / (mass * G * length)).sqrt();
        let (found, expected) = (measured(&mut world), period(small, angle));
        assert!((found / expected - 1.0).abs() < 1e-3, "{angle}: {found} s for {expected} s");
    }
}

#[test]
fn when_a_rotor_is_felt_through_its_gears_expect_a_pendulum_slower_by_it() {
    let (mass, length, inertia, rotor) = (0.3, 0.2, 0.002, 0.01);
    let mut world = pendulum(mass, length, inertia, 0.0005);
    world.set_rotor(0, rotor);
    world.put(&nalgebra::Isometry3::identity(), &[0.05]);
    let expected = TAU * ((inertia + mass * length * length + rotor) / (mass * G * length)).sqrt();
    let found = measured(&mut world);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} s for {expected} s");
}

#[test]
fn when_a_spring_holds_a_rod_expect_its_droop() {
    let (mass, length) = (0.3, 0.2);
    let mut world = pendulum(mass, length, 0.002, 0.005);
    world.put(&nalgebra::Isometry3::identity(), &[0.5 * PI]);
    world.drive(0, Drive { stiffness: 20.0, damping: 0.4, rest: 0.5 * PI, ..Drive::default() });
    (0..2000).for_each(|_| world.step());
    let droop = 0.5 * PI - world.position(0);
    let torque = mass * G * length * droop.cos();
    assert!((20.0 * droop / torque - 1.0).abs() < 1e-6, "{droop} rad");
    assert!(world.speed(0).abs() < 1e-9);
}

#[test]
fn when_friction_is_above_the_weights_torque_expect_a_rod_to_stay_and_else_to_fall() {
    let (mass, length) = (0.3, 0.2);
    let torque = mass * G * length;
    for (friction, stays) in [(1.05 * torque, true), (0.95 * torque, false)] {
        let mut world = pendulum(mass, length, 0.002, 0.002);
        world.put(&nalgebra::Isometry3::identity(), &[0.5 * PI]);
        world.drive(0, Drive { friction, ..Drive::default() });
        (0..500).for_each(|_| world.step());
        let moved = 0.5 * PI - world.position(0);
        assert_eq!(moved < 1e-6, stays, "{moved} rad at {friction} N m");
    }
}

#[test]
fn when_a_constant_torque_turns_a_rod_without_weight_expect_its_acceleration() {
    let mut world = pendulum(0.3, 0.0, 0.02, 0.005);
    world.drive(0, Drive { torque: 0.5, ..Drive::default() });
    (0..40).for_each(|_| world.step());
    let expected = 0.5 / 0.02 * world.time_s();
    assert!((world.speed(0) / expected - 1.0).abs() < 1e-6, "{} rad/s for {expected}", world.speed(0));
}
