//! What a robot sits down for before its servos go off.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{JOINTS, Rig, ms};
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{Fault, State};

const LOW: Fault = Fault::External("the battery is low");

fn retiring() -> Rig {
    let mut rig = Rig::armed();
    rig.driver.retire(rig.now, "the battery is low");
    assert_eq!(rig.step(|_| 0.1), State::Retiring);
    assert_eq!((rig.driver.fault(), rig.driver.counters().sit_requests), (Some(LOW), 1));
    rig
}

#[test]
fn when_the_battery_is_low_expect_the_robot_to_move_on_until_it_sits_and_then_everything_off() {
    let mut rig = retiring();
    for step in 0..200 {
        let target = 0.3 * f64::from(step) / 200.0;
        assert_eq!(rig.step(|_| target), State::Retiring);
    }
    assert!((rig.driver.commanded(4).expect("on") - 0.3).abs() < 0.02);
    rig.driver.sat_down(rig.now);
    assert_eq!(rig.step(|_| 0.3), State::Fault);
    assert!(rig.all_low());
    assert_eq!((rig.driver.fault(), rig.driver.counters().faults), (Some(LOW), 1));
}

#[test]
fn when_the_robot_does_not_sit_in_time_or_nobody_commands_it_expect_it_held_and_let_go_later() {
    for commanded in [true, false] {
        let mut rig = retiring();
        let since = rig.now;
        while (if commanded { rig.step(|_| 0.1) } else { rig.tick() }) != State::Fault {
            assert!(rig.now - since <= if commanded { ms(8010) } else { ms(2270) });
        }
        assert!((0..JOINTS).all(|joint| rig.counts(joint).is_some()), "held");
        for _ in 0..520 {
            rig.step(|_| 0.1);
        }
        assert!(rig.all_low());
    }
}

#[test]
fn when_commands_pause_while_it_sits_down_or_before_expect_it_held_and_to_sit_down_once_they_go_on() {
    for holds_first in [true, false] {
        let mut rig = Rig::armed();
        let pause = |rig: &mut Rig, state: State| {
            (0..150).for_each(|tick| {
                let now = rig.tick();
                assert!(now == state || tick < 30, "{tick}: {now}");
            })
        };
        if holds_first {
            (0..30).for_each(|_| {
                rig.tick();
            });
            assert_eq!(rig.driver.state(), State::Holding);
        }
        rig.driver.retire(rig.now, "the battery is low");
        let before = rig.driver.commanded(4);
        pause(&mut rig, State::Retiring);
        assert_eq!(rig.driver.commanded(4), before, "held");
        for _ in 0..200 {
            assert_eq!(rig.step(|_| 0.2), State::Retiring);
        }
        assert!((rig.driver.commanded(4).expect("on") - 0.2).abs() < 0.02, "it goes on");
        rig.driver.sat_down(rig.now);
        assert_eq!((rig.step(|_| 0.2), rig.all_low()), (State::Fault, true));
    }
}

#[test]
fn when_a_robot_takes_longer_to_sit_expect_it_waited_for_as_long_and_what_was_said_last_not_to_shorten_that() {
    let mut rig = Rig::armed();
    rig.driver.set_retiring(ms(24_000));
    rig.driver.retire(rig.now, "the battery is low");
    let since = rig.now;
    while rig.step(|_| 0.1) == State::Retiring {
        // As of a motion that it has left by now.
        rig.driver.set_retiring(if rig.now - since < ms(5000) { ms(24_000) } else { ms(3000) });
    }
    assert!((ms(24_000)..=ms(24_020)).contains(&(rig.now - since)), "{:?}", rig.now - since);
}

#[test]
fn when_it_sits_down_expect_every_stop_to_win() {
    let mut rig = retiring();
    rig.driver.disable();
    assert_eq!((rig.step(|_| 0.1), rig.all_low(), rig.driver.fault()), (State::Disarmed, true, None));
    let mut rig = retiring();
    rig.driver.emergency_stop().expect("the boards answer");
    assert_eq!((rig.step(|_| 0.1), rig.all_low()), (State::EmergencyStop, true));
}

#[test]
fn when_a_board_is_lost_that_the_robot_stands_without_expect_it_to_sit_on_the_others() {
    let mut rig = Rig::armed();
    rig.driver.set_spare_parts(0b01);
    rig.bus.inject(BusFault::Dead { address: 0x40 });
    while rig.step(|_| 0.2) != State::Retiring {}
    for _ in 0..60 {
        rig.step(|_| 0.5);
    }
    assert!((rig.driver.commanded(9).expect("on") - 0.5).abs() < 0.02 && rig.driver.commanded(0).is_none());
    rig.bus.inject(BusFault::Alive { address: 0x40 });
    for _ in 0..60 {
        assert_eq!(rig.step(|_| 0.5), State::Retiring);
    }
    assert!((0..9).all(|joint| rig.counts(joint).is_none()), "a board that comes back stays off");
    rig.driver.sat_down(rig.now);
    rig.step(|_| 0.5);
    assert!(rig.all_low());
}

#[test]
fn when_the_other_board_is_lost_too_expect_a_fault_at_once() {
    let mut rig = Rig::armed();
    rig.driver.set_spare_parts(0b11);
    rig.bus.inject(BusFault::Dead { address: 0x40 });
    while rig.step(|_| 0.2) != State::Retiring {}
    rig.bus.inject(BusFault::Dead { address: 0x41 });
    let since = rig.now;
    while rig.step(|_| 0.2) != State::Fault {
        assert!(rig.now - since <= ms(100));
    }
}

#[test]
fn when_the_battery_is_low_while_servos_are_switched_on_expect_no_more_of_them_on_and_the_others_to_sit_down() {
    let mut rig = Rig::armed();
    rig.driver.disable();
    rig.tick();
    rig.send(|_| 0.0);
    assert!(rig.driver.enable(rig.now).passed());
    while rig.driver.commanded(0).is_none() {
        assert_eq!(rig.step(|_| 0.0), State::Arming);
    }
    rig.driver.retire(rig.now, "the battery is low");
    let on = |rig: &Rig| (0..JOINTS).filter(|&joint| rig.driver.commanded(joint).is_some()).count();
    let before = on(&rig);
    assert!(before < JOINTS, "{before} joints are on");
    for _ in 0..300 {
        assert_eq!(rig.step(|_| 0.2), State::Retiring);
        assert_eq!(on(&rig), before);
    }
    rig.driver.sat_down(rig.now);
    assert_eq!((rig.step(|_| 0.2), rig.all_low()), (State::Fault, true));
}
