//! What the boards really put out is looked at again, on or off.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{BOARDS, JOINTS, Rig, config, ms};
use embedded_hal::i2c::I2c;
use hexapod_servo::State;

/// LED0_ON_L, OFF_H of all channels, and its bit that switches off (datasheet 7.3.3, 7.3.4).
const LED0_ON_L: u8 = 0x06;
const ALL_LED_OFF_H: u8 = 0xFD;
const FULL_OFF: u8 = 0x10;

#[test]
fn when_somebody_else_changes_any_channel_expect_a_fault_within_a_second_and_that_board_off() {
    for channel in 0..16 {
        let mut rig = Rig::armed();
        let since = rig.now;
        let other = [LED0_ON_L + 4 * channel, 0, 0, 0x2c, 0x01];
        rig.bus.clone().write(BOARDS[1], &other).expect("the board answers");
        while rig.step(|_| 0.0) != State::Fault {
            assert!(rig.now - since < ms(1000), "channel {channel}");
        }
        let words = format!("board 0x41 was changed by somebody else: channel {channel} reads");
        assert!(rig.says(&words), "channel {channel}: {:?}", rig.driver.fault());
        rig.step(|_| 0.0);
        assert!((0..JOINTS).all(|joint| rig.counts(joint).is_some() == (joint < 9)));
    }
}

#[test]
fn when_a_guard_switches_a_live_robot_off_expect_it_seen_and_not_reported_as_armed() {
    let mut rig = Rig::armed();
    rig.bus.clone().write(BOARDS[0], &[ALL_LED_OFF_H, FULL_OFF]).expect("the board answers");
    let since = rig.now;
    while rig.step(|_| 0.0) != State::Fault {
        assert!(rig.now - since < ms(200), "channel 0 has a pulse, and the next one is looked at 40 ms later");
    }
    assert_eq!(rig.driver.commanded(0), None);
}

#[test]
fn when_servos_are_off_expect_a_pulse_that_somebody_else_asks_for_to_end_within_half_a_second() {
    let stop = |rig: &mut Rig| rig.driver.emergency_stop().expect("the boards answer");
    let fault = |rig: &mut Rig| {
        rig.driver.trip("test");
        for _ in 0..600 {
            rig.step(|_| 0.0);
        }
    };
    for off in [&(|rig: &mut Rig| rig.driver.disable()) as &dyn Fn(&mut Rig), &stop, &fault] {
        let mut rig = Rig::armed();
        off(&mut rig);
        rig.tick();
        assert!(rig.all_low());
        rig.bus.clone().write(BOARDS[0], &[LED0_ON_L, 0, 0, 0x2c, 0x01]).expect("the board answers");
        assert!(!rig.all_low());
        for _ in 0..50 {
            rig.tick();
        }
        assert!(rig.all_low(), "{}", rig.driver.state());
    }
}

#[test]
fn when_outputs_are_looked_at_expect_little_of_the_bus_taken() {
    let mut rig = Rig::armed();
    let before = rig.driver.counters().wire.bytes;
    for _ in 0..100 {
        rig.step(|_| 0.0);
    }
    let bytes = rig.driver.counters().wire.bytes - before;
    assert!(bytes < 700, "{bytes} bytes a second of 44000 that pass at 400 kHz");
}

#[test]
fn when_writes_are_torn_at_random_expect_no_output_taken_for_somebody_elses() {
    let mut rig = Rig::armed_with(config());
    rig.bus.seed(5);
    rig.bus.inject(hexapod_servo::simulated::BusFault::TearProbability(0.05));
    for tick in 0..20_000 {
        let phase = f64::from(tick) * 0.05;
        rig.step(|joint| 0.4 * (phase + joint as f64).sin());
        assert!(!rig.says("was changed"), "tick {tick}");
    }
}
