//! Faults on the bus and what comes of them, with the figures they must keep.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{BOARDS, JOINTS, Rig, config, ms, raw_config};
use hexapod_servo::simulated::{BusFault, When};
use hexapod_servo::{Fault, ServoConfig, State};

/// A slow walk: every joint on its own sine.
fn walk(now: std::time::Duration) -> impl Fn(usize) -> f64 {
    let phase = now.as_secs_f64() * 5.0;
    move |joint| 0.5 * (phase + joint as f64).sin()
}

#[test]
fn when_one_percent_nack_for_ten_minutes_expect_no_stop_and_no_jump() {
    let mut rig = Rig::armed();
    let mut clean = Rig::armed();
    rig.bus.seed(7);
    rig.bus.inject(BusFault::NackProbability(0.01));
    for _ in 0..60_000 {
        let target = walk(rig.now + rig.period);
        assert_eq!(rig.step(&target), State::Armed);
        clean.step(&target);
        for joint in 0..JOINTS {
            let (commanded, wish) = (rig.counts(joint).expect("on"), clean.counts(joint).expect("on"));
            assert!(commanded.abs_diff(wish) <= 5, "joint {joint}: {commanded} instead of {wish}");
        }
        rig.check_outputs();
    }
    let wire = rig.driver.counters().wire;
    assert!(wire.nacks > 500 && wire.retries > 500, "{wire:?}");
    assert_eq!(rig.driver.counters().faults, 0);
}

#[test]
fn when_board_dies_expect_fault_within_100_ms_and_the_other_frozen() {
    for (period, walking) in [(ms(10), true), (ms(10), false), (ms(20), true), (ms(20), false)] {
        for offset in 0..30 {
            let mut rig = Rig::armed();
            rig.period = period;
            for _ in 0..offset {
                rig.step(walk(rig.now));
            }
            let died = rig.now;
            rig.bus.inject(BusFault::Dead { address: 0x41 });
            let still = walk(rig.now);
            loop {
                let target = walk(rig.now);
                let state = if walking { rig.step(&target) } else { rig.step(&still) };
                if state == State::Fault {
                    break;
                }
                assert!(rig.now - died < ms(100), "walking: {walking}");
            }
            assert!(rig.now - died <= ms(100));
            assert!(rig.says("board lost: I2C address 0x41"));
            let frozen: Vec<_> = (0..9).map(|joint| rig.counts(joint)).collect();
            assert!(frozen.iter().all(Option::is_some));
            for _ in 0..20 {
                assert_eq!(rig.step(walk(rig.now)), State::Fault);
            }
            assert_eq!(frozen, (0..9).map(|joint| rig.counts(joint)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn when_lost_board_comes_back_expect_it_off_and_latched_until_enable() {
    let mut rig = Rig::armed();
    rig.bus.inject(BusFault::Dead { address: 0x40 });
    while rig.step(walk(rig.now)) != State::Fault {}
    assert!(!rig.driver.enable(rig.now).passed());
    assert_eq!(rig.driver.state(), State::Fault);
    rig.bus.inject(BusFault::Alive { address: 0x40 });
    for _ in 0..10 {
        assert_eq!(rig.step(|_| 0.0), State::Fault);
    }
    assert!((0..9).all(|joint| rig.counts(joint).is_none()));
    rig.arm(|_| 0.0);
    assert_eq!(rig.driver.fault(), None);
}

#[test]
fn when_enable_is_refused_in_fault_expect_frozen_board_to_keep_its_pulses() {
    let mut rig = Rig::armed();
    rig.bus.inject(BusFault::BrownOut { address: 0x40 });
    while rig.step(|_| 0.2) != State::Fault {}
    rig.now += ms(300);
    let report = rig.driver.enable(rig.now);
    let failed: Vec<_> = report.checks.iter().filter(|check| !check.passed).map(|check| check.name).collect();
    assert_eq!(failed, ["commands"]);
    for _ in 0..10 {
        assert_eq!(rig.tick(), State::Fault);
        assert!((0..JOINTS).all(|joint| rig.counts(joint).is_some() == (joint >= 9)));
    }
    rig.arm(|_| 0.2);
}

#[test]
fn when_fault_lasts_expect_the_rest_off_too() {
    let mut rig = Rig::armed();
    rig.bus.inject(BusFault::Dead { address: 0x40 });
    while rig.step(|_| 0.3) != State::Fault {}
    let begin = rig.now;
    while rig.now - begin < ms(4900) {
        rig.step(|_| 0.3);
        assert!((9..JOINTS).all(|joint| rig.counts(joint).is_some()));
    }
    for _ in 0..20 {
        rig.step(|_| 0.3);
    }
    assert!((9..JOINTS).all(|joint| rig.counts(joint).is_none()));
}

#[test]
fn when_brown_out_expect_fault_within_500_ms_and_slow_rearm() {
    for offset in 0..40 {
        let mut rig = Rig::armed();
        for _ in 0..offset {
            rig.step(walk(rig.now));
        }
        rig.bus.inject(BusFault::BrownOut { address: 0x41 });
        let begin = rig.now;
        while rig.step(walk(rig.now)) != State::Fault {
            assert!(rig.now - begin < ms(500));
            assert!((9..JOINTS).all(|joint| rig.counts(joint).is_none()), "a board asleep gives no pulse");
        }
        assert!(rig.says("board 0x41 was reset"));
        for _ in 0..30 {
            rig.step(walk(rig.now));
            assert!((9..JOINTS).all(|joint| rig.counts(joint).is_none()));
        }
        let kept: Vec<_> = (0..9).map(|joint| rig.driver.commanded(joint).expect("frozen")).collect();
        rig.send(|_| 0.0);
        assert!(rig.driver.enable(rig.now).passed());
        assert_eq!(kept, (0..9).map(|joint| rig.driver.commanded(joint).expect("kept")).collect::<Vec<_>>());
        let mut last: Vec<Option<(std::time::Duration, f64)>> = vec![None; JOINTS];
        while rig.driver.state() == State::Arming {
            rig.step(|_| 0.0);
            for (joint, first) in last.iter_mut().enumerate() {
                let Some(commanded) = rig.driver.commanded(joint) else { continue };
                let (since, from) = *first.get_or_insert((rig.now, commanded));
                assert!((commanded - from).abs() <= 0.5 * (rig.now - since).as_secs_f64() + 0.016);
            }
        }
        assert_eq!(rig.driver.state(), State::Armed);
    }
}

#[test]
fn when_bus_hangs_shortly_expect_no_stop_and_when_long_a_fault() {
    for (hang, expected) in [(ms(10), State::Armed), (ms(100), State::Armed), (ms(1000), State::Fault)] {
        let mut rig = Rig::armed();
        rig.bus.inject(BusFault::Hang { time: hang });
        let target = walk(rig.now);
        rig.step(&target);
        rig.now = rig.now.max(rig.bus.time());
        for _ in 0..5 {
            rig.step(&target);
            rig.check_outputs();
        }
        assert_eq!(rig.driver.state(), expected, "{hang:?}");
        if expected == State::Fault {
            assert!(matches!(rig.driver.fault(), Some(Fault::Stalled(_))));
        }
    }
}

#[test]
fn when_all_call_is_lost_expect_each_board_off_with_the_next_tick() {
    let mut rig = Rig::armed();
    rig.bus.inject(BusFault::Nack { transactions: 3 });
    assert!(rig.driver.emergency_stop().is_err());
    assert_eq!(rig.tick(), State::EmergencyStop);
    assert!(rig.all_low());
}

#[test]
fn when_a_write_fails_for_a_few_ticks_expect_the_same_bytes_again_and_then_the_target() {
    let mut rig = Rig::armed();
    rig.bus.schedule(When::Transaction(rig.bus.tally().attempts), BusFault::Nack { transactions: 7 });
    rig.step(|_| 0.05);
    assert_eq!(rig.driver.commanded(0), None, "what a failed write left is not known");
    for _ in 0..20 {
        rig.step(|_| 0.1);
    }
    assert!((0..JOINTS).all(|joint| (rig.driver.commanded(joint).expect("on") - 0.1).abs() < 0.01));
    assert_eq!(rig.driver.counters().faults, 0);
}

#[test]
fn when_tripped_from_outside_expect_fault_in_live_states_only() {
    let mut rig = Rig::new(config());
    rig.driver.trip("battery below 6.6 V");
    assert_eq!(rig.tick(), State::Disarmed);
    rig.arm(|_| 0.0);
    rig.driver.trip("battery below 6.6 V");
    assert_eq!(rig.step(|_| 0.0), State::Fault);
    assert_eq!(rig.driver.counters().last_fault.expect("a fault").to_string(), "battery below 6.6 V");
}

/// One hour of everything at random; the driver must always come back to `Armed`, and see every state on the way.
#[test]
fn when_everything_fails_at_random_for_an_hour_expect_no_stuck_state() {
    let mut raw = raw_config(50.0, (500.0, 2500.0));
    raw.timing.stall_after_s = 2.0;
    raw.timing.relax_after_s = 2.5;
    let mut rig = Rig::armed_with(ServoConfig::try_from(raw).expect("valid"));
    rig.bus.seed(11);
    let mut random = 1u64;
    let mut seen = std::collections::HashSet::new();
    let mut armed_again = 0;
    let mut strained = 0;
    let (mut silent_until, mut strained_until) = (rig.now, rig.now);
    for tick in 0..360_000u32 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let dice = (random >> 33) as u32;
        let address = BOARDS[(dice >> 20) as usize % 2];
        match dice % 4000 {
            0 => rig.bus.inject(BusFault::Dead { address }),
            1 => rig.bus.inject(BusFault::BrownOut { address }),
            2 => rig.bus.inject(BusFault::Hang { time: ms(u64::from(dice >> 16) % 400) }),
            3 => {
                let _ = rig.driver.emergency_stop();
            }
            4 => rig.driver.disable(),
            5 => silent_until = rig.now + ms(600 + u64::from(dice >> 16) % 3000),
            32 => strained_until = rig.now + ms(5000),
            33 => assert!(rig.driver.command(rig.now, &[(3, 0.1), (4, f64::NAN)]).is_err()),
            34 | 35 => {
                rig.driver.relax((dice >> 16) as usize % 7, dice % 4000 == 34);
            }
            6 => rig.bus.inject(BusFault::NackProbability(0.05)),
            7 => rig.bus.inject(BusFault::TearProbability(0.05)),
            8 => rig.driver.trip("test"),
            9..=29 => BOARDS.iter().for_each(|&address| rig.bus.inject(BusFault::Alive { address })),
            30 => rig.bus.inject(BusFault::NackProbability(0.0)),
            31 => rig.bus.inject(BusFault::TearProbability(0.0)),
            _ => {}
        }
        rig.now = rig.now.max(rig.bus.time());
        let before = rig.driver.state();
        let beyond_rad = if rig.now < strained_until { 2.0 } else { 0.0 };
        let target = walk(rig.now);
        let state = if rig.now < silent_until { rig.tick() } else { rig.step(|joint| target(joint) + beyond_rad) };
        strained += u32::from(state != before && matches!(rig.driver.fault(), Some(Fault::Strained { .. })));
        rig.check_outputs();
        seen.insert(state);
        armed_again += u32::from(state == State::Armed && before == State::Arming);
        if tick % 50 == 0 && !state.is_live() {
            rig.driver.enable(rig.now);
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert!(armed_again > 100, "{armed_again}");
    assert!(strained > 5 && rig.driver.counters().sit_requests > 5, "{strained} {:?}", rig.driver.counters());
}
