//! Servos: from pulse to torque.

use crate::common::{kind, pendulum, servos};
use hexapod_kinematics::JointLimits;
use hexapod_sim::{Drive, Servo, ServoKind, Shaft};
use std::f64::consts::PI;

const STEP_S: f64 = 0.002;

/// A servo that holds a rod of this torque when level; how far the rod is below its target after some seconds.
fn droop(kind: ServoKind, torque: f64, seconds: f64) -> f64 {
    let (mass, length) = (torque / 9.806_65 / 0.2, 0.2);
    let mut world = pendulum(mass, length, 0.002, STEP_S);
    world.set_rotor(0, kind.rotor);
    world.put(&nalgebra::Isometry3::identity(), &[0.5 * PI]);
    let mut servo = Servo::new(kind);
    servo.tell(Some(0.5 * PI));
    for _ in 0..(seconds / STEP_S) as usize {
        let shaft = Shaft { position: world.position(0), speed: world.speed(0) };
        servo.follow(&shaft, STEP_S);
        world.drive(0, servo.drive(&shaft, 6.0, STEP_S));
        world.step();
    }
    0.5 * PI - world.position(0)
}

#[test]
fn when_a_servo_holds_a_load_expect_its_droop_within_one_percent() {
    // Without dry friction, which would hold the rod earlier.
    let perfect = servos("perfect").of("").fitted(None, 6.0);
    for kind in [kind("mg996r"), kind("ds3218"), *perfect.kind()] {
        let kind = ServoKind { friction: 0.0, ..kind };
        for fraction in [0.1, 0.3, 0.6] {
            let torque = fraction * kind.stall_torque * 6.0 / kind.nominal_v;
            let found = droop(kind, torque, 5.0);
            let slack = kind.dead_band + 0.5 * kind.backlash;
            let expected = slack + torque * found.cos() / kind.stiffness(6.0);
            assert!((found / expected - 1.0).abs() < 0.01, "{found} rad for {expected} rad");
        }
    }
}

#[test]
fn when_a_load_is_greater_than_its_stall_torque_expect_a_servo_to_give_way() {
    let kind = kind("mg996r");
    assert!(droop(kind, 1.2 * kind.stall_torque, 3.0) > 0.3);
}

/// Torque that turns a leg past its target within one step must not throw it back and forth.
#[test]
fn when_a_servo_is_strong_and_its_leg_light_expect_it_to_come_to_rest() {
    for stall_torque in [2.0, 5.0, 15.0, 50.0] {
        for (start, step_s) in [(0.0, 0.005), (1.19, 0.005), (1.5, 0.002)] {
            let mut servo =
                Servo::new(ServoKind { stall_torque, ..*servos("perfect").of("").fitted(None, 6.0).kind() });
            let mut world = pendulum(0.01, 0.0, 1e-4, step_s);
            world.set_rotor(0, servo.kind().rotor);
            world.put(&nalgebra::Isometry3::identity(), &[start]);
            servo.tell(Some(1.2));
            for _ in 0..(1.0 / step_s) as usize {
                let shaft = Shaft { position: world.position(0), speed: world.speed(0) };
                servo.follow(&shaft, step_s);
                world.drive(0, servo.drive(&shaft, 6.0, step_s));
                world.step();
            }
            let (off, speed) = (world.position(0) - 1.2, world.speed(0));
            assert!(off.abs() < 1e-3 && speed.abs() < 0.05, "{stall_torque} N m: {off} rad, {speed} rad/s");
        }
    }
}

#[test]
fn when_a_servo_runs_free_expect_its_speed_to_follow_the_supply() {
    let kind = ServoKind { friction: 0.0, ..kind("mg996r") };
    for volts in [4.8, 6.0, 7.2] {
        let mut servo = Servo::new(kind);
        servo.tell(Some(1000.0));
        let mut world = pendulum(0.1, 0.0, 1e-4, STEP_S);
        for _ in 0..500 {
            let shaft = Shaft { position: world.position(0), speed: world.speed(0) };
            servo.follow(&shaft, STEP_S);
            world.drive(0, servo.drive(&shaft, volts, STEP_S));
            world.step();
        }
        let expected = kind.no_load_speed * volts / 6.0;
        assert!((world.speed(0) / expected - 1.0).abs() < 1e-3, "{} for {expected}", world.speed(0));
    }
}

#[test]
fn when_there_is_no_pulse_expect_friction_alone() {
    let servo = Servo::new(kind("mg996r"));
    let drive = servo.drive(&Shaft { position: 0.3, speed: 1.0 }, 6.0, STEP_S);
    assert_eq!(drive, Drive { friction: kind("mg996r").friction, ..Drive::default() });
    assert_eq!(servo.current(&Shaft { position: 0.3, speed: 1.0 }, 6.0), 0.0);
}

#[test]
fn when_a_shaft_is_held_expect_the_stall_current() {
    let kind = kind("mg996r");
    let mut servo = Servo::new(kind);
    servo.tell(Some(1.0));
    let shaft = Shaft { position: 0.0, speed: 0.0 };
    servo.follow(&shaft, STEP_S);
    assert!((servo.current(&shaft, 6.0) - kind.stall_current - kind.idle_current).abs() < 1e-12);
}

#[test]
fn when_an_unpowered_servo_gets_its_first_pulse_expect_it_to_jump_there_as_fast_as_its_motor_can() {
    let kind = kind("mg996r");
    let mut world = pendulum(0.01, 0.0, 1e-5, STEP_S);
    let mut servo = Servo::new(kind);
    let mut fastest = 0.0_f64;
    for step in 0..500 {
        let shaft = Shaft { position: world.position(0), speed: world.speed(0) };
        servo.tell((step >= 100).then_some(1.2));
        servo.follow(&shaft, STEP_S);
        let drive = servo.drive(&shaft, 6.0, STEP_S);
        match step {
            0..100 => assert_eq!((servo.target(), shaft.position), (None, 0.0)),
            100 => {
                let torque = drive.torque + drive.stiffness * (drive.rest - shaft.position);
                assert!((torque - kind.stall_torque).abs() < 1e-9 && servo.target() == Some(1.2), "{drive:?}");
            }
            _ => fastest = fastest.max(shaft.speed),
        }
        world.drive(0, drive);
        world.step();
    }
    // Dry friction keeps it below its speed without load.
    let expected = kind.no_load_speed * (1.0 - kind.friction / kind.stall_torque);
    assert!((fastest / expected - 1.0).abs() < 0.05, "{fastest} rad/s for {expected} rad/s");
    assert!((world.position(0) - 1.2).abs() < 0.05, "{} rad", world.position(0));
}

#[test]
fn when_a_slewed_servo_gets_its_first_pulse_expect_it_to_start_from_where_it_is() {
    let mut servo = Servo::new(kind("perfect")).slewed(5.0);
    servo.tell(Some(1.2));
    servo.follow(&Shaft { position: 0.3, speed: 0.0 }, 0.01);
    assert!((servo.target().unwrap() - 0.35).abs() < 1e-12);
}

/// As weak a servo as its joint has as light a rotor: one that its controller cannot damp would swing for ever.
#[test]
fn when_joints_are_weak_expect_servos_as_strong_as_they_are_to_come_to_rest_without_swinging() {
    for effort in [0.002, 0.01, 0.05, 0.2, 1.0, 1.8, 5.0] {
        let limits = JointLimits::try_new(-2.0, 2.0, 5.0, effort, None).unwrap();
        let mut servo = servos("perfect").of("").fitted(Some(&limits), 6.0);
        let mut world = pendulum(1e-6, 0.0, 1e-9, STEP_S);
        world.set_rotor(0, servo.kind().rotor);
        let (mut farthest, mut last) = (0.0_f64, 0.0_f64);
        for step in 0..1000 {
            servo.tell(Some(0.3));
            let shaft = Shaft { position: world.position(0), speed: world.speed(0) };
            servo.follow(&shaft, STEP_S);
            world.drive(0, servo.drive(&shaft, 6.0, STEP_S));
            world.step();
            farthest = farthest.max(world.position(0));
            last = if step < 300 { 0.0 } else { last.max((world.position(0) - 0.3).abs()) };
        }
        assert!(farthest < 0.31 && last < 1e-4, "{effort} N m: up to {farthest} rad, in the end off by {last} rad");
    }
}
