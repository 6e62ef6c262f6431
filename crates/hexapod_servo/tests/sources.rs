//! Commands of several sources: each joint is as fresh as its own.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{JOINTS, Rig, config, ms};
use hexapod_servo::State;

/// One period in which only the joints that `named` picks are commanded.
fn step(rig: &mut Rig, named: impl Fn(usize) -> bool, angle_rad: f64) -> State {
    rig.now += rig.period;
    rig.bus.advance_to(rig.now);
    let targets: Vec<_> = (0..JOINTS).filter(|&joint| named(joint)).map(|joint| (joint, angle_rad)).collect();
    rig.driver.command(rig.now, &targets).expect("finite");
    rig.driver.tick(rig.now)
}

#[test]
fn when_one_joint_is_still_commanded_expect_the_others_held_and_the_robot_asked_to_sit_and_let_go() {
    let mut rig = Rig::armed();
    let since = rig.now;
    let alone = |joint: usize| joint == 17;
    while step(&mut rig, alone, 0.2) != State::Holding {
        assert!(rig.now - since <= ms(260));
    }
    while rig.driver.counters().sit_requests == 0 {
        step(&mut rig, alone, 0.2);
        assert!(rig.now - since < ms(1500));
    }
    assert!((rig.driver.commanded(17).expect("on") - 0.2).abs() < 0.01, "it goes on meanwhile");
    assert!((0..17).all(|joint| rig.driver.commanded(joint).expect("held").abs() < 0.01));
    while rig.driver.commanded(0).is_some() {
        step(&mut rig, alone, 0.1);
        assert!(rig.now - since < ms(31_000));
    }
    assert!((0..17).all(|joint| rig.counts(joint).is_none()) && rig.counts(17).is_some());
    for _ in 0..100 {
        step(&mut rig, |_| true, 0.3);
    }
    assert_eq!(rig.counts(0), None, "what was let go comes back by `relax` or `enable`, not by itself");
    assert_eq!((rig.driver.state(), rig.driver.released_count()), (State::Armed, 17));
    assert!(rig.driver.enable(rig.now).passed());
    for _ in 0..200 {
        step(&mut rig, |_| true, 0.3);
    }
    assert!(rig.driver.released_count() == 0 && (0..JOINTS).all(|joint| rig.counts(joint).is_some()));
}

#[test]
fn when_a_source_comes_back_expect_its_joints_to_catch_up_slowly_and_the_others_undisturbed() {
    let mut rig = Rig::armed();
    let legs = |joint: usize| joint < 9;
    for _ in 0..50 {
        step(&mut rig, legs, 0.0);
    }
    assert_eq!(rig.driver.state(), State::Holding);
    let since = rig.now;
    while step(&mut rig, |_| true, 0.6) != State::Armed {
        assert!(rig.now - since < ms(100));
    }
    for _ in 0..20 {
        step(&mut rig, |_| true, 0.6);
    }
    assert!((rig.driver.commanded(0).expect("on") - 0.6).abs() < 0.01, "6 rad/s");
    let held = rig.driver.commanded(12).expect("on");
    assert!(held < 0.5 * (rig.now - since).as_secs_f64() + 0.02 && held > 0.05, "{held} rad at 0.5 rad/s");
}

#[test]
fn when_a_joint_was_last_commanded_long_ago_expect_it_left_without_a_pulse() {
    let mut rig = Rig::new(config());
    step(&mut rig, |_| true, 0.1);
    rig.now += ms(400);
    for _ in 0..3 {
        step(&mut rig, |joint| joint < 3, 0.0);
    }
    let report = rig.driver.enable(rig.now);
    assert!(report.passed() && report.to_string().contains("fresh, for 3 joints"), "{report}");
    for _ in 0..200 {
        step(&mut rig, |joint| joint < 3, 0.0);
    }
    assert_eq!(rig.driver.state(), State::Armed);
    assert!((0..JOINTS).all(|joint| rig.counts(joint).is_some() == (joint < 3)));
}

/// One period without any command.
fn silence(rig: &mut Rig) -> State {
    step(rig, |_| false, 0.0)
}

fn silences(rig: &mut Rig, periods: usize) {
    for _ in 0..periods {
        silence(rig);
    }
}

#[test]
fn when_a_source_that_is_there_is_silent_for_ten_minutes_expect_all_joints_held_and_its_next_way_gone_at_once() {
    let mut rig = Rig::armed();
    rig.driver.keep(u64::MAX);
    for _ in 0..60_000 {
        assert_eq!(silence(&mut rig), State::Armed);
    }
    assert_eq!((rig.driver.silent_count(), rig.driver.counters().holds), (JOINTS, 0));
    assert!((0..JOINTS).all(|joint| rig.counts(joint).is_some()));
    let mut angle_rad = 0.0;
    for _ in 0..30 {
        angle_rad += 0.02;
        step(&mut rig, |_| true, angle_rad);
        let commanded_rad = rig.driver.commanded(0).expect("on");
        assert!(
            (commanded_rad - angle_rad).abs() < 0.01,
            "2 rad/s, from the first step on: {commanded_rad}, {angle_rad}"
        );
    }
    assert_eq!(rig.driver.silent_count(), 0);
}

#[test]
fn when_the_next_command_after_a_silence_is_far_expect_the_joint_led_there_slowly() {
    let mut rig = Rig::armed();
    rig.driver.keep(u64::MAX);
    silences(&mut rig, 100);
    let since = rig.now;
    step(&mut rig, |_| true, 0.6);
    while (rig.driver.commanded(0).expect("on") - 0.6).abs() > 0.01 {
        assert_eq!(silence(&mut rig), State::Armed, "and goes on while nothing more is said");
        let passed = (rig.now - since).as_secs_f64();
        assert!(rig.driver.commanded(0).expect("on") <= 0.5 * passed + 0.02, "0.5 rad/s");
        assert!(passed < 2.0);
    }
}

#[test]
fn when_a_silent_source_goes_expect_its_joints_held_and_let_go_and_those_of_others_followed() {
    let mut rig = Rig::armed();
    rig.driver.keep(u64::MAX);
    silences(&mut rig, 100);
    rig.driver.keep(1 << 17);
    let since = rig.now;
    assert_eq!(silence(&mut rig), State::Holding, "it has been silent for longer than a stream has gaps");
    while rig.driver.commanded(0).is_some() {
        step(&mut rig, |joint| joint == 17, 0.2);
        assert!(rig.now - since < ms(31_000));
    }
    assert!((0..17).all(|joint| rig.counts(joint).is_none()) && rig.counts(17).is_some());
    assert_eq!(rig.driver.counters().sit_requests, 1);
}

#[test]
fn when_a_silent_source_is_there_expect_enable_to_pass_on_what_it_said_last() {
    let mut rig = Rig::new(config());
    rig.driver.keep(u64::MAX);
    let report = rig.driver.enable(rig.now);
    assert!(!report.passed() && report.to_string().contains("no joint command was received yet"), "{report}");
    step(&mut rig, |_| true, 0.1);
    silences(&mut rig, 500);
    assert!(rig.driver.enable(rig.now).passed());
    silences(&mut rig, 200);
    assert_eq!(rig.driver.state(), State::Armed);
    assert!(rig.driver.emergency_stop().is_ok());
    for _ in 0..10 {
        assert_eq!(silence(&mut rig), State::EmergencyStop);
    }
    assert!((0..JOINTS).all(|joint| rig.counts(joint).is_none()), "a stop does not ask who is there");
}
