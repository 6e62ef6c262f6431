//! What stops the servos besides the service: the topic, a button, a battery; and what lets them start.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Rig, wait};
use hexapod_ros::monotonic_now;
use hexapod_servo::{Fault, State};
use servo_driver::Action;
use servo_driver::pins::Pins;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Pins a test can press and look at.
#[derive(Clone, Default)]
struct Wires {
    outputs: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    battery: Arc<AtomicBool>,
}

impl Pins for Wires {
    fn enable_outputs(&mut self, on: bool) {
        self.outputs.store(on, Ordering::SeqCst);
    }

    fn stop_pressed(&mut self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn battery_low(&mut self) -> bool {
        self.battery.load(Ordering::SeqCst)
    }
}

fn wired() -> (Rig, Wires) {
    let wires = Wires::default();
    (Rig::with_pins(wires.clone()), wires)
}

#[test]
fn when_the_topic_says_true_expect_a_stop_and_no_enable_until_it_says_false() {
    let mut rig = Rig::new();
    rig.arm();
    let said = monotonic_now();
    rig.ends.stop_topic.hear(true, said);
    let took = wait(|| rig.pulses() == 0);
    assert!(took < Duration::from_millis(20), "{took:?}");
    rig.drive(0.0, |snapshot| snapshot.state == State::EmergencyStop);
    let answer = rig.ends.control.ask(Action::Enable);
    assert!(!answer.success && answer.message.contains("FAILED emergency_stop"), "{}", answer.message);
    rig.ends.stop_topic.hear(false, monotonic_now());
    rig.drive(0.1, |snapshot| snapshot.counters.ticks % 7 == 0);
    assert_eq!(rig.pulses(), 0, "false switches nothing on");
    rig.arm();
}

#[test]
fn when_a_wanted_heartbeat_ends_expect_a_stop_in_time() {
    let mut rig = Rig::new();
    rig.ends.stop_topic.want_heartbeat(Duration::from_millis(100));
    rig.command(0.0);
    assert!(rig.ends.control.ask(Action::Enable).message.contains("no heartbeat"));
    let beat = rig.ends.stop_topic.clone();
    let beating = Arc::new(AtomicBool::new(true));
    let until = Arc::clone(&beating);
    let thread = std::thread::spawn(move || {
        while until.load(Ordering::SeqCst) {
            beat.hear(false, monotonic_now());
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    std::thread::sleep(Duration::from_millis(50));
    rig.arm();
    rig.drive(0.1, |snapshot| snapshot.counters.ticks % 50 == 0);
    assert_eq!(rig.pulses(), 18);
    beating.store(false, Ordering::SeqCst);
    thread.join().unwrap();
    let took = wait(|| rig.pulses() == 0);
    assert!(took > Duration::from_millis(60) && took < Duration::from_millis(150), "{took:?}");
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
    assert!(rig.ends.control.ask(Action::Enable).message.contains("stop button"));
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
    assert_eq!(rig.pulses(), 18, "it stands for a while");
    assert!(rig.ends.control.ask(Action::Enable).message.contains("battery"));
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
    let answer = rig.ends.control.ask(Action::Relax { group: 0, relaxed: true });
    assert!(!answer.success && answer.message.contains("disarmed"), "{}", answer.message);
    rig.arm();
    assert!(!rig.ends.control.ask(Action::Relax { group: 5, relaxed: true }).success);
    assert!(rig.ends.control.ask(Action::Relax { group: 0, relaxed: true }).success);
    wait(|| rig.pulses() == 0);
    rig.drive(0.1, |snapshot| snapshot.counters.ticks % 20 == 0);
    assert_eq!(rig.pulses(), 0);
    assert!(rig.ends.control.ask(Action::Relax { group: 0, relaxed: false }).success);
    rig.drive(0.1, |snapshot| snapshot.told(3).is_some_and(|told| (told - 0.1).abs() < 0.01));
    assert_eq!(rig.pulses(), 18);
}
