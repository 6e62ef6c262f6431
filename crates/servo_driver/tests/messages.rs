//! Which messages are taken, and what becomes of them.

use crate::common::{PLANNER, Rig, names, servos};
use hexapod_ros::monotonic_now;
use servo_driver::bus::on_boards;
use servo_driver::io::{Ends, Io};
use servo_driver::{Action, Refusal};
use std::time::Duration;

fn check(joints: &[&str], positions_rad: &[f64], expected: Result<(), &str>) {
    let (_io, mut ends) = Io::new(servos().joints());
    let count = ends.intake.count();
    let joints: Vec<String> = joints.iter().map(|&joint| joint.to_owned()).collect();
    let taken = ends.intake.take(PLANNER, &joints, positions_rad, Duration::ZERO);
    match expected {
        Ok(()) => assert_eq!(taken, Ok(())),
        Err(words) => {
            assert!(taken.as_ref().is_err_and(|refusal| refusal.to_string().contains(words)), "{taken:?}");
        }
    }
    assert_eq!(count.refused(), u64::from(expected.is_err()));
    assert_eq!(count.last_reason(), taken.err().map_or(String::new(), |refusal| refusal.to_string()));
    assert_eq!(count.empty(), u64::from(joints.is_empty() && positions_rad.is_empty()));
}

#[test]
fn when_a_message_does_not_hold_expect_all_of_it_refused_and_counted() {
    check(&["a0", "b8"], &[0.1, -0.1], Ok(()));
    check(&[], &[], Ok(()));
    check(&["a0"], &[f64::MAX], Ok(()));
    check(&["a0", "a1"], &[0.1], Err("2 names but 1 positions"));
    check(&["a0"], &[], Err("1 names but 0 positions"));
    check(&[], &[0.1], Err("0 names but 1 positions"));
    check(&["a0", "left_knee"], &[0.1, 0.1], Err("no joint \"left_knee\""));
    check(&["a0", "a1", "a0"], &[0.1, 0.2, 0.1], Err("`a0` is named twice"));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        check(&["a1", "a0"], &[0.1, bad], Err("joint `a0` is"));
    }
    check(&[&"x".repeat(10_000)], &[0.1], Err("no joint"));
}

#[test]
fn when_ros2_control_sends_expect_each_position_taken_where_it_is_clear_whose_it_is() {
    type Case<'a> = (&'a [&'a str], &'a [f64], Result<&'a [(&'a str, f64)], &'a str>);
    const NAN: f64 = f64::NAN;
    let cases: [Case; 12] = [
        (&["b1", "a0"], &[0.1, 0.2], Ok(&[("a0", 0.2), ("b1", 0.1)])),
        (&["foot", "b1", "tail", "a0"], &[0.1, 0.2], Ok(&[("a0", 0.2), ("b1", 0.1)])),
        (&["a0", "a1"], &[NAN, 0.1], Ok(&[("a1", 0.1)])),
        (&["a0", "foot", "a1"], &[NAN, -0.1], Ok(&[("a1", -0.1)])),
        (&["a0", "a1"], &[NAN, NAN], Ok(&[])),
        (&[], &[], Ok(&[])),
        (&["a0", "a1"], &[0.1], Err("2 names, 2 of them of joints with a servo, but 1 positions")),
        (&["foot", "a0", "a1"], &[0.1], Err("3 names, 2 of them of joints with a servo, but 1 positions")),
        (&["a0"], &[], Err("but 0 positions")),
        (&["a0", "foot"], &[0.1, 0.1], Err("no servo drives joint `foot`")),
        (&["a0", "gripper"], &[0.1], Err("no joint \"gripper\"")),
        (&["a0", "a1"], &[f64::INFINITY, 0.1], Err("joint `a0` is inf")),
    ];
    for (names, positions_rad, expected) in cases {
        let mut rig = Rig::new();
        let robot = ["foot", "tail", "a0"].map(String::from);
        let Ends { intake, call_queue, front, snapshots } = rig.ends;
        rig.ends = Ends { intake: intake.of_ros2_control(robot), call_queue, front, snapshots };
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let taken = rig.ends.intake.take(PLANNER, &names, positions_rad, monotonic_now());
        let expected = match expected {
            Ok(expected) => expected,
            Err(words) => {
                assert!(
                    taken.as_ref().is_err_and(|refusal| refusal.to_string().contains(words)),
                    "{names:?}: {taken:?}"
                );
                continue;
            }
        };
        assert_eq!(taken, Ok(()), "{names:?}");
        assert_eq!(rig.ask(Action::Enable).success, !expected.is_empty());
        crate::common::wait(|| rig.pulses() == expected.len());
        for (joint, angle_rad) in expected {
            let (board, channel) = (0x40 + u8::from(joint.starts_with('b')), joint[1..].parse().unwrap());
            crate::common::wait(|| {
                rig.bus.pulse_us(board, channel).is_some_and(|us| (us - 1500.0 - 500.0 * angle_rad).abs() < 3.0)
            });
        }
    }
}

#[test]
fn when_commands_are_for_another_robot_expect_enable_refused_with_its_joint_until_the_right_ones_come() {
    let mut rig = Rig::new();
    let strange = |rig: &mut Rig| rig.ends.intake.take(PLANNER, &["hip_1".into()], &[0.0], monotonic_now());
    assert!(strange(&mut rig).is_err());
    let answer = rig.ask(Action::Enable);
    assert!(!answer.success && answer.message.contains("\"hip_1\"") && answer.message.contains("`urdf`"), "{answer:?}");
    rig.command(0.0);
    assert!(strange(&mut rig).is_err());
    assert!(rig.ask(Action::Enable).success, "somebody commands the robot's own joints");
}

#[test]
fn when_a_refused_message_names_good_joints_too_expect_none_of_them_moved() {
    let mut rig = Rig::new();
    rig.arm();
    let bad = rig.ends.intake.take(PLANNER, &["a0".into(), "a1".into()], &[0.5, f64::NAN], monotonic_now());
    assert!(matches!(bad, Err(Refusal::NotFinite { .. })));
    rig.drive(0.0, |snapshot| snapshot.counters.ticks > 0);
    assert!((rig.bus.pulse_us(0x40, 0).unwrap() - 1500.0).abs() < 3.0);
}

#[test]
fn when_some_joints_are_named_expect_the_others_to_keep_their_targets() {
    let mut rig = Rig::new();
    rig.arm();
    for _ in 0..30 {
        for (joint, angle_rad) in [("a1", 0.4), ("b2", -0.4)] {
            rig.ends.intake.take(PLANNER, &[joint.into()], &[angle_rad], monotonic_now()).unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let near = |address, channel, us: f64| (rig.bus.pulse_us(address, channel).unwrap() - us).abs() < 3.0;
    assert!(near(0x40, 1, 1700.0) && near(0x41, 2, 1300.0) && near(0x40, 0, 1500.0));
}

#[test]
fn when_many_messages_wait_expect_the_newest_of_each_joint() {
    let (io, mut ends) = Io::new(servos().joints());
    let bus = hexapod_servo::SimulatedBus::for_config(&servos());
    let names = names();
    // Far more than the queue holds: none is lost, for later ones are merged with what did not fit.
    for message in 0..1000_u32 {
        let angle_rad = f64::from(message) / 2000.0;
        ends.intake.take(PLANNER, &names, &vec![angle_rad; names.len()], monotonic_now()).unwrap();
    }
    let mut thread = io.spawn(on_boards(&servos(), bus.clone()), 100.0).unwrap();
    // The 65th to the last arrive with the message that finds room again.
    crate::common::wait(|| ends.snapshots.pop().is_ok());
    ends.intake.take(PLANNER, &["a0".into()], &[0.25], monotonic_now()).unwrap();
    assert!(crate::common::ask(&mut ends, Action::Enable).success);
    let expected = 1500.0 + 500.0 * 0.4995;
    crate::common::wait(|| bus.pulse_us(0x41, 8).is_some_and(|us| (us - expected).abs() < 3.0));
    assert!((bus.pulse_us(0x40, 0).unwrap() - 1625.0).abs() < 3.0);
    thread.end(Duration::from_secs(1)).unwrap();
}
