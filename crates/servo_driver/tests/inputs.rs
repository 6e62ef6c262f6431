//! What stops the servos besides the service: the topic, a button, a battery; and what lets them start.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{Rig, Wires, from, wait};
use hexapod_ros::{Sender, monotonic_now};
use hexapod_servo::{Fault, State};
use servo_driver::Action;
use servo_driver::device::Device;
use servo_driver::lease::{GuardWatch, OnGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn wired() -> (Rig, Wires) {
    let wires = Wires::default();
    (Rig::with_pins(wires.clone()), wires)
}

/// One message on the topic `emergency_stop`.
fn say(rig: &Rig, source: u64, stop: bool) {
    rig.ends.front.hear_stop(stop, &from(source, monotonic_now()));
}

#[test]
fn when_the_topic_says_true_expect_a_stop_whatever_follows_and_an_enable_that_was_sent_after_it() {
    let mut rig = Rig::new();
    for _ in 0..6 {
        rig.arm();
        say(&rig, 7, false);
        say(&rig, 7, true);
        say(&rig, 7, false);
        say(&rig, 8, false);
        let took = wait(|| rig.pulses() == 0);
        assert!(took < Duration::from_millis(20), "{took:?}");
        rig.drive(0.0, |snapshot| snapshot.state == State::EmergencyStop);
        rig.drive(0.1, |snapshot| snapshot.counters.ticks % 7 == 0);
        assert_eq!(rig.pulses(), 0, "false switches nothing on");
    }
}

#[test]
fn when_a_source_goes_on_saying_true_expect_no_enable_until_it_lets_go() {
    let mut rig = Rig::new();
    rig.arm();
    for _ in 0..3 {
        say(&rig, 7, true);
    }
    rig.drive(0.0, |snapshot| snapshot.state == State::EmergencyStop);
    say(&rig, 7, true);
    let answer = rig.ask(Action::Enable);
    assert!(!answer.success && answer.message.contains("FAILED emergency_stop"), "{}", answer.message);
    say(&rig, 7, false);
    rig.arm();
}

#[test]
fn when_a_heartbeat_ends_with_the_servos_off_expect_the_stop_latched_all_the_same() {
    let mut rig = Rig::new();
    rig.ends.front.heartbeats().want(Duration::from_millis(100));
    rig.drive(0.0, |snapshot| snapshot.counters.ticks > 20);
    let now = monotonic_now();
    rig.ends.front.hear_stop(false, &from(7, now));
    rig.drive(0.0, |snapshot| snapshot.state == State::EmergencyStop);
    assert!(monotonic_now() >= now + Duration::from_millis(100), "not before it is late");
}

#[test]
fn when_one_of_two_heartbeats_ends_expect_a_stop_in_time() {
    let mut rig = Rig::new();
    rig.ends.front.heartbeats().want(Duration::from_millis(100));
    rig.command(0.0);
    assert!(rig.ask(Action::Enable).message.contains("no heartbeat"));
    let (front, beating) = (rig.ends.front.clone(), Arc::new(AtomicBool::new(true)));
    let (both, until) = (Arc::clone(&beating), Arc::new(AtomicBool::new(true)));
    let end = Arc::clone(&until);
    let thread = std::thread::spawn(move || {
        while end.load(Ordering::SeqCst) {
            let now = monotonic_now();
            front.hear_stop(false, &from(8, now));
            if both.load(Ordering::SeqCst) {
                front.hear_stop(false, &from(7, now));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    std::thread::sleep(Duration::from_millis(50));
    rig.arm();
    rig.drive(0.1, |snapshot| snapshot.counters.ticks % 50 == 0);
    assert_eq!(rig.pulses(), 18);
    beating.store(false, Ordering::SeqCst);
    let took = wait(|| rig.pulses() == 0);
    assert!(took > Duration::from_millis(60) && took < Duration::from_millis(150), "{took:?}");
    until.store(false, Ordering::SeqCst);
    thread.join().unwrap();
}

#[test]
fn when_the_button_is_pressed_expect_a_stop_and_outputs_cut_first() {
    let (mut rig, wires) = wired();
    rig.drive(0.0, |snapshot| snapshot.counters.ticks > 3);
    assert!(!wires.outputs.load(Ordering::SeqCst), "cut while disarmed");
    rig.arm();
    assert!(wires.outputs.load(Ordering::SeqCst));
    wires.stop.store(true, Ordering::SeqCst);
    let took = wait(|| rig.pulses() == 0);
    assert!(took < Duration::from_millis(40) && !wires.outputs.load(Ordering::SeqCst), "{took:?}");
    rig.command(0.0);
    assert!(rig.ask(Action::Enable).message.contains("stop button"));
    assert!(!wires.outputs.load(Ordering::SeqCst));
    wires.stop.store(false, Ordering::SeqCst);
    rig.drive(0.0, |snapshot| snapshot.state == State::EmergencyStop);
    rig.arm();
}

#[test]
fn when_the_battery_sags_for_a_moment_expect_nothing_and_when_it_stays_low_a_fault() {
    let (mut rig, wires) = wired();
    rig.arm();
    wires.battery.store(true, Ordering::SeqCst);
    let since = monotonic_now();
    rig.drive(0.1, |_| monotonic_now() - since > Duration::from_millis(200));
    wires.battery.store(false, Ordering::SeqCst);
    rig.drive(0.0, |snapshot| snapshot.state == State::Armed);
    wires.battery.store(true, Ordering::SeqCst);
    rig.drive(0.0, |snapshot| snapshot.fault == Some(Fault::External("the battery is low")));
    assert_eq!(rig.pulses(), 18, "without a planner nobody can make it sit: it stands for a while");
    assert!(rig.ask(Action::Enable).message.contains("battery"));
}

#[test]
fn when_the_battery_is_low_expect_the_robot_to_sit_before_its_servos_go_off() {
    let (mut rig, wires) = wired();
    rig.ends.front.planner().hear(Sender::Local(1), "standing");
    rig.arm();
    rig.ends.front.planner().hear(Sender::Local(1), "walking");
    wires.battery.store(true, Ordering::SeqCst);
    rig.drive(0.1, |snapshot| snapshot.state == State::Retiring && snapshot.counters.sit_requests == 1);
    rig.drive(0.3, |snapshot| snapshot.commanded(0).is_some_and(|commanded| (commanded - 0.3).abs() < 0.01));
    rig.ends.front.planner().hear(Sender::Local(1), "sitting");
    rig.drive(0.3, |snapshot| snapshot.fault == Some(Fault::External("the battery is low")));
    assert_eq!(rig.pulses(), 0);
}

#[test]
fn when_the_planner_says_how_long_its_robot_takes_to_sit_expect_the_servos_on_for_as_long() {
    for (said, later) in [(0.4, 1.6), (1.6, 0.4)] {
        let (mut rig, wires) = wired();
        let planner = rig.ends.front.planner().clone();
        planner.hear(Sender::Local(1), "standing");
        planner.hear_time_to_sit(said);
        rig.arm();
        wires.battery.store(true, Ordering::SeqCst);
        rig.drive(0.1, |snapshot| snapshot.state == State::Retiring);
        let since = monotonic_now();
        planner.hear_time_to_sit(later);
        rig.drive(0.1, |snapshot| snapshot.state == State::Fault);
        let took = (monotonic_now() - since).as_secs_f64();
        assert!((1.5..2.5).contains(&took), "{took} s; what was said last does not shorten it");
    }
}

#[test]
fn when_the_planner_is_on_its_way_or_at_fault_expect_enable_refused_with_the_way_out() {
    let mut rig = Rig::new();
    for state in ["walking", "stopping", "playing", "fault"] {
        rig.ends.front.planner().hear(Sender::Local(1), state);
        rig.drive(0.0, |_| true);
        let answer = rig.ask(Action::Enable);
        assert!(!answer.success && answer.message.contains("FAILED planner"), "{state}: {}", answer.message);
    }
    rig.ends.front.planner().hear(Sender::Local(1), "walking");
    std::thread::sleep(Duration::from_millis(400));
    let answer = rig.ask(Action::Enable);
    let says_what_it_lacks = answer.message.contains("FAILED commands") && !answer.message.contains("FAILED planner");
    assert!(!answer.success && says_what_it_lacks, "it has fallen silent in stride: {}", answer.message);
    rig.ends.front.planner().hear(Sender::Local(1), "sitting");
    rig.arm();
}

#[test]
fn when_no_guard_is_there_expect_enable_refused_until_one_is() {
    const BUS: u8 = 249;
    let mut rig = Rig::built(|io| io.with_guard(GuardWatch::new(&Device::i2c(BUS))));
    rig.command(0.0);
    let answer = rig.ask(Action::Enable);
    assert!(!answer.success && answer.message.contains("FAILED guard"), "{}", answer.message);
    let mut guard = OnGuard::default();
    guard.stand(&Device::i2c(BUS));
    rig.arm();
}

#[test]
fn when_the_servos_are_disabled_twice_expect_no_pulse_far_from_where_they_were_commanded_to_be() {
    let mut rig = Rig::new();
    rig.arm();
    rig.drive(1.1, |snapshot| snapshot.commanded(0).is_some_and(|commanded| (commanded - 1.1).abs() < 0.01));
    assert!(rig.ask(Action::Disable).success && rig.ask(Action::Disable).success);
    rig.command(-1.1);
    let answer = rig.ask(Action::Enable);
    assert!(!answer.success && answer.message.contains("FAILED pose"), "{}", answer.message);
    assert!(rig.ask(Action::Disable).success, "whoever reads that says that somebody has moved them");
    rig.command(-1.1);
    assert!(rig.ask(Action::Enable).success);
}

#[test]
fn when_the_process_ends_expect_outputs_cut() {
    let (mut rig, wires) = wired();
    rig.arm();
    rig.thread.end(Duration::from_secs(1)).unwrap();
    assert!(!wires.outputs.load(Ordering::SeqCst));
}

#[test]
fn when_a_leg_is_relaxed_expect_its_pulses_gone_and_back() {
    let mut rig = Rig::new();
    let answer = rig.ask(Action::Relax { group: 0, relaxed: true });
    assert!(!answer.success && answer.message.contains("disarmed"), "{}", answer.message);
    rig.arm();
    assert!(!rig.ask(Action::Relax { group: 5, relaxed: true }).success);
    assert!(rig.ask(Action::Relax { group: 0, relaxed: true }).success);
    wait(|| rig.pulses() == 0);
    rig.drive(0.1, |snapshot| snapshot.counters.ticks % 20 == 0);
    assert_eq!(rig.pulses(), 0);
    assert!(rig.ask(Action::Relax { group: 0, relaxed: false }).success);
    rig.drive(0.1, |snapshot| snapshot.commanded(3).is_some_and(|commanded| (commanded - 0.1).abs() < 0.01));
    assert_eq!(rig.pulses(), 18);
}
