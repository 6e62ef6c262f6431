//! Every state, how it is entered and left, and what it puts out.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{JOINTS, Rig, config, ms, raw_config};
use hexapod_servo::{RawServoConfig, ServoConfig, State, TargetError};

fn with(change: impl Fn(&mut RawServoConfig)) -> ServoConfig {
    let mut raw = raw_config(50.0, (900.0, 2100.0));
    change(&mut raw);
    ServoConfig::try_from(raw).expect("valid")
}

#[test]
fn when_not_enabled_expect_no_pulse_ever() {
    let mut rig = Rig::new(config());
    for _ in 0..500 {
        assert_eq!(rig.step(|_| 0.3), State::Disarmed);
        assert!(rig.all_low());
    }
    assert_eq!(rig.driver.commanded(0), None);
}

#[test]
fn when_no_command_came_expect_enable_refused_with_reason() {
    let mut rig = Rig::new(config());
    rig.tick();
    let report = rig.driver.enable(rig.now);
    let failed: Vec<_> = report.checks.iter().filter(|check| !check.passed).map(|check| check.name).collect();
    assert_eq!(failed, ["commands"]);
    let names: Vec<_> = report.checks.iter().map(|check| check.name).collect();
    assert_eq!(names, ["config", "bus", "boards", "prescale", "commands", "pose"]);
    assert_eq!(rig.driver.state(), State::Disarmed);
    rig.step(|_| 0.0);
    assert!(rig.all_low());
}

#[test]
fn when_command_is_stale_expect_enable_refused() {
    let mut rig = Rig::new(config());
    rig.step(|_| 0.0);
    rig.now += ms(251);
    assert!(!rig.driver.enable(rig.now).passed());
    rig.send(|_| 0.0);
    assert!(rig.driver.enable(rig.now).passed());
}

#[test]
fn when_board_is_silent_expect_enable_to_name_it() {
    let mut rig = Rig::new(config());
    rig.step(|_| 0.0);
    rig.bus.inject(hexapod_servo::simulated::BusFault::Dead { address: 0x41 });
    let report = rig.driver.enable(rig.now);
    let failed: Vec<_> = report.checks.iter().filter(|check| !check.passed).collect();
    assert!(failed.len() == 1 && failed[0].name == "boards" && failed[0].detail.contains("0x41"), "{report}");
    rig.step(|_| 0.0);
    assert_eq!(rig.driver.state(), State::Disarmed);
    assert!(rig.all_low());
}

#[test]
fn when_preparing_the_boards_takes_long_expect_no_stall_and_the_first_leg_at_once() {
    let mut rig = Rig::new(config());
    rig.tick();
    rig.send(|_| 0.0);
    assert!(rig.driver.enable(rig.now).passed());
    // 55 boards at 100 kHz.
    rig.now += ms(440);
    rig.send(|_| 0.0);
    assert_eq!(rig.step(|_| 0.0), State::Arming);
    assert_eq!(rig.counts(0), Some(307));
}

#[test]
fn when_arming_expect_one_leg_per_100_ms_with_the_commanded_pulse_first() {
    let mut rig = Rig::new(config());
    rig.tick();
    rig.send(|joint| 0.02 * joint as f64);
    assert!(rig.driver.enable(rig.now).passed());
    let mut switched = [None; JOINTS];
    let start = rig.now;
    while rig.driver.state() == State::Arming {
        rig.step(|joint| 0.02 * joint as f64);
        for (joint, at) in switched.iter_mut().enumerate() {
            if at.is_none() && rig.counts(joint).is_some() {
                *at = Some(rig.now - start);
                assert_eq!(rig.counts(joint), Some(rig.driver.servos()[joint].counts(0.02 * joint as f64)));
            }
        }
        assert!(rig.now - start < ms(2000));
    }
    for (joint, at) in switched.iter().enumerate() {
        assert_eq!(*at, Some(ms(10 + 100 * (joint as u64 / 3))), "joint {joint}");
    }
    assert_eq!(rig.driver.state(), State::Armed);
}

#[test]
fn when_target_moves_while_arming_expect_half_a_radian_per_second_at_most() {
    let mut rig = Rig::new(config());
    rig.tick();
    rig.send(|_| 0.0);
    assert!(rig.driver.enable(rig.now).passed());
    rig.step(|_| 0.0);
    let begin = rig.now;
    let mut moved = 0.0;
    while moved < 0.79 {
        rig.step(|_| 0.8);
        moved = rig.driver.commanded(0).expect("first leg is on").abs();
        let bound = 0.5 * (rig.now - begin).as_secs_f64() + rig.driver.servos()[0].resolution_rad();
        assert!(moved <= bound, "{moved} > {bound}");
        rig.check_outputs();
    }
    assert_eq!(rig.driver.state(), State::Armed);
}

#[test]
fn when_armed_expect_speed_limit_always() {
    let mut rig = Rig::armed();
    let (mut last, mut changed) = (rig.driver.commanded(4).expect("on"), rig.now - ms(500));
    for tick in 0..400 {
        let target = if (tick / 20) % 2 == 0 { 0.9 } else { -0.9 };
        // Commands at every rate, the fastest with every tick.
        if tick % (1 + tick / 100) == 0 {
            rig.step(|_| target)
        } else {
            rig.tick()
        };
        let commanded = rig.driver.commanded(4).expect("on");
        if commanded != last {
            // A servo sees a pulse every 20 ms: after a rest it may be commanded what it can do in that time.
            let seconds = (rig.now - changed).min(ms(20)).as_secs_f64();
            assert!((commanded - last).abs() <= 6.0 * seconds + rig.driver.servos()[4].resolution_rad());
            (last, changed) = (commanded, rig.now);
        }
    }
}

/// Whatever falls between two commands, each costs its changes once.
#[test]
fn when_commands_are_slower_than_ticks_expect_each_followed_in_one_tick() {
    for (period, phase) in [(20, 1), (20, 3), (17, 5), (33, 9)] {
        let mut rig = Rig::armed();
        rig.period = ms(1);
        // The driver has to have seen how often they come: until then they are late by what came every 10 ms before.
        for millisecond in 0..4 * period {
            if millisecond % period == phase {
                rig.step(|_| 0.0);
            } else {
                rig.now += ms(1);
            }
        }
        let mut angle_rad = 0.0;
        for millisecond in 0..1000_u64 {
            if millisecond % period == phase {
                // 5 rad/s at 50 Hz, of the 6 rad/s a servo may turn.
                angle_rad = if angle_rad > 0.5 { angle_rad - 0.1 } else { angle_rad + 0.08 };
                rig.bus.record();
                rig.bus.take_transcript();
                rig.step(|_| angle_rad);
                assert!(rig.bus.take_transcript().iter().any(|t| !t.written.is_empty() && t.read.is_empty()));
            } else if millisecond % 10 == 0 {
                rig.tick();
                let writes = rig.bus.take_transcript().into_iter().filter(|t| t.read.is_empty()).count();
                assert_eq!(writes, 0, "at {millisecond} ms with {period} ms between commands");
            } else {
                rig.now += ms(1);
            }
        }
    }
}

#[test]
fn when_commands_stop_expect_hold_then_slow_catch_up() {
    let mut rig = Rig::armed();
    for _ in 0..100 {
        rig.step(|_| 0.4);
    }
    let last = rig.now;
    while rig.tick() == State::Armed {}
    assert_eq!(rig.driver.state(), State::Holding);
    assert!((rig.now - last) <= ms(260) && (rig.now - last) > ms(250), "{:?}", rig.now - last);
    let held: Vec<_> = (0..JOINTS).map(|joint| rig.counts(joint)).collect();
    for _ in 0..300 {
        assert_eq!(rig.tick(), State::Holding);
    }
    assert_eq!(held, (0..JOINTS).map(|joint| rig.counts(joint)).collect::<Vec<_>>());
    let begin = rig.now;
    for _ in 0..50 {
        assert_eq!(rig.step(|_| -0.4), State::Armed);
        let moved = 0.4 - rig.driver.commanded(0).expect("on");
        assert!(moved <= 0.5 * (rig.now - begin).as_secs_f64() + 0.01);
    }
    for _ in 0..200 {
        rig.step(|_| -0.4);
    }
    assert_eq!(rig.driver.counters().holds, 1);
    assert!((rig.driver.commanded(0).expect("on") + 0.4).abs() < 0.01);
}

#[test]
fn when_commands_stop_while_arming_expect_hold_and_arming_to_go_on_later() {
    let mut rig = Rig::new(config());
    rig.tick();
    rig.send(|_| 0.0);
    assert!(rig.driver.enable(rig.now).passed());
    for _ in 0..40 {
        rig.tick();
    }
    assert_eq!(rig.driver.state(), State::Holding);
    assert!((0..JOINTS).any(|joint| rig.counts(joint).is_none()), "not all legs are on");
    assert_eq!(rig.step(|_| 0.0), State::Arming);
    for _ in 0..100 {
        rig.step(|_| 0.0);
    }
    assert_eq!(rig.driver.state(), State::Armed);
}

#[test]
fn when_holding_for_long_expect_off_if_configured() {
    let mut rig = Rig::armed_with(with(|raw| raw.timing.relax_after_s = 2.0));
    let last = rig.now;
    while rig.tick() != State::Disarmed {
        assert!(rig.now - last < ms(3000));
    }
    assert!(rig.now - last >= ms(2250));
    assert!(rig.all_low());
    rig.arm(|_| 0.0);
}

#[test]
fn when_disabled_expect_all_off_with_the_next_tick_and_rearm_from_last_commanded() {
    let mut rig = Rig::armed();
    for _ in 0..100 {
        rig.step(|_| 0.6);
    }
    rig.driver.disable();
    assert_eq!(rig.step(|_| 0.6), State::Disarmed);
    assert!(rig.all_low());
    rig.send(|_| -0.6);
    assert!(rig.driver.enable(rig.now).passed());
    rig.step(|_| -0.6);
    let first = rig.driver.commanded(0).expect("first leg is on");
    assert!((first - 0.6).abs() < 0.01, "{first}");
    let begin = rig.now;
    while rig.driver.state() == State::Arming {
        rig.step(|_| -0.6);
        let moved = 0.6 - rig.driver.commanded(0).expect("on");
        assert!(moved <= 0.5 * (rig.now - begin).as_secs_f64() + 0.012);
    }
    assert_eq!(rig.driver.state(), State::Armed);
}

#[test]
fn when_pose_is_assumed_expect_arming_from_there() {
    let mut rig = Rig::new(config());
    rig.tick();
    for joint in 0..JOINTS {
        assert!(rig.driver.assume_position(joint, Some(-0.3)));
    }
    assert!(!rig.driver.assume_position(0, Some(f64::NAN)));
    rig.send(|_| 0.0);
    assert!(rig.driver.enable(rig.now).passed());
    rig.step(|_| 0.0);
    assert!((rig.driver.commanded(0).expect("on") + 0.3).abs() < 0.01);
    assert!(!rig.driver.assume_position(0, None), "a joint with a pulse is where it was commanded to be");
}

#[test]
fn when_stopped_expect_latch_until_enable() {
    let mut rig = Rig::armed();
    rig.driver.emergency_stop().expect("boards answer");
    for _ in 0..100 {
        assert_eq!(rig.step(|_| 0.0), State::EmergencyStop);
        assert!(rig.all_low());
    }
    rig.driver.disable();
    assert_eq!(rig.driver.state(), State::EmergencyStop);
    rig.now += ms(300);
    assert!(!rig.driver.enable(rig.now).passed(), "stale commands");
    assert_eq!(rig.driver.state(), State::EmergencyStop);
    rig.arm(|_| 0.0);
    assert_eq!(rig.driver.counters().emergency_stops, 1);
}

#[test]
fn when_shut_down_expect_all_off_without_a_tick() {
    let mut rig = Rig::armed();
    assert!(rig.driver.shutdown());
    assert!(rig.all_low());
    assert_eq!(rig.driver.state(), State::Disarmed);
}

#[test]
fn when_group_is_relaxed_expect_its_leg_off_and_the_rest_on() {
    let mut rig = Rig::armed();
    assert!(rig.driver.relax(2, true));
    rig.step(|_| 0.0);
    for joint in 0..JOINTS {
        assert_eq!(rig.counts(joint).is_none(), joint / 3 == 2);
    }
    assert!(rig.driver.relax(2, false));
    rig.step(|_| 0.0);
    assert!((0..JOINTS).all(|joint| rig.counts(joint).is_some()));
    assert!(!rig.driver.relax(6, true));
}

#[test]
fn when_target_is_bad_expect_refusal_counted_and_stream_not_refreshed() {
    let mut rig = Rig::armed();
    assert_eq!(rig.driver.set_target(rig.now, 18, 0.0), Err(TargetError::UnknownJoint { joint: 18, count: 18 }));
    assert!(matches!(rig.driver.set_target(rig.now, 0, f64::NAN), Err(TargetError::NotFinite { joint: 0, .. })));
    assert!(rig.driver.command(rig.now + ms(1), &[(0, 0.5), (1, f64::INFINITY)]).is_err());
    assert_eq!(rig.driver.counters().refused, 3);
    assert_eq!(rig.driver.command_age(rig.now), Some(ms(0)));
    for _ in 0..20 {
        rig.tick();
    }
    assert!(rig.driver.commanded(0).expect("on").abs() < 0.01, "no target of a refused message is taken");
    let accepted = rig.driver.set_target(rig.now, 0, 1e300).expect("finite");
    assert!(accepted.clamped && accepted.angle_rad < 1.0);
    assert_eq!(rig.driver.counters().clamped, 1);
}

#[test]
fn when_joint_is_first_commanded_late_expect_it_to_start_at_its_command() {
    let mut rig = Rig::new(config());
    rig.tick();
    let most: Vec<_> = (0..17).map(|joint| (joint, 0.0)).collect();
    rig.driver.command(rig.now, &most).expect("finite");
    assert!(rig.driver.enable(rig.now).passed());
    for _ in 0..100 {
        rig.now += rig.period;
        rig.driver.command(rig.now, &most).expect("finite");
        rig.driver.tick(rig.now);
    }
    assert_eq!(rig.driver.state(), State::Armed);
    assert_eq!(rig.driver.commanded(17), None);
    rig.step(|_| 0.5);
    assert!((rig.driver.commanded(17).expect("on") - 0.5).abs() < 0.01);
}

#[test]
fn when_counters_are_watched_expect_them_never_to_fall() {
    let mut rig = Rig::armed();
    let mut last = *rig.driver.counters();
    for tick in 0..3000u32 {
        match tick % 700 {
            300 => rig.driver.emergency_stop().expect("boards answer"),
            350 => drop(rig.driver.enable(rig.now)),
            600 => rig.driver.disable(),
            650 => drop(rig.driver.enable(rig.now)),
            _ => {}
        }
        rig.step(|joint| f64::from(tick + joint as u32).sin());
        let counters = *rig.driver.counters();
        assert!(counters.wire.bytes >= last.wire.bytes && counters.wire.transactions >= last.wire.transactions);
        assert!(counters.ticks == last.ticks + 1 && counters.clamped >= last.clamped);
        last = counters;
    }
}

#[test]
fn when_driver_is_moved_to_a_thread_expect_it_to_work_there() {
    let mut rig = Rig::armed();
    let state = std::thread::spawn(move || rig.step(|_| 0.1)).join().expect("no panic");
    assert_eq!(state, State::Armed);
}

#[test]
fn when_commanded_far_from_the_last_pose_expect_enable_to_name_the_joint() {
    let mut rig = Rig::armed();
    rig.driver.disable();
    rig.step(|joint| if joint == 7 { 0.9 } else { 0.0 });
    let narrow = with(|raw| raw.timing.pose_tolerance_rad = 0.8);
    assert!(rig.driver.enable(rig.now).passed(), "the default is wide");
    let mut rig = Rig::armed_with(narrow);
    rig.driver.disable();
    rig.step(|joint| if joint == 7 { 0.9 } else { 0.0 });
    let report = rig.driver.enable(rig.now);
    let failed: Vec<_> = report.checks.iter().filter(|check| !check.passed).collect();
    assert!(failed.len() == 1 && failed[0].name == "pose", "{report}");
    assert!(failed[0].detail.contains("left_rear_femur"), "{report}");
    assert!(rig.all_low());
    rig.step(|_| 0.7);
    assert!(rig.driver.enable(rig.now).passed());
    rig.driver.disable();
    rig.step(|_| -0.85);
    assert!(!rig.driver.enable(rig.now).passed());
    rig.driver.disable();
    assert!(rig.driver.enable(rig.now).passed(), "nothing is known of where the joints are");
}

#[test]
fn when_disabled_as_often_as_one_likes_expect_the_pose_checked_all_the_same() {
    for times in 1..4 {
        let mut rig = Rig::armed_with(with(|raw| raw.timing.pose_tolerance_rad = 0.8));
        for _ in 0..times {
            rig.driver.disable();
            rig.step(|joint| if joint == 7 { 0.9 } else { 0.0 });
        }
        let report = rig.driver.enable(rig.now);
        assert!(!report.passed() && report.to_string().contains("FAILED pose"), "{times} times: {report}");
        assert!(rig.all_low());
    }
}

#[test]
fn when_holding_goes_on_expect_one_request_to_sit_and_then_everything_off() {
    let mut rig = Rig::armed_with(with(|raw| {
        raw.timing.sit_after_s = 1.0;
        raw.timing.relax_after_s = 3.0;
    }));
    let last = rig.now;
    let (mut asked, mut relaxed) = (None, None);
    while rig.now < last + ms(5000) {
        let state = rig.tick();
        if rig.driver.counters().sit_requests > 0 {
            asked.get_or_insert(rig.now - last);
        }
        if state == State::Disarmed {
            relaxed.get_or_insert(rig.now - last);
        }
    }
    assert_eq!((asked, relaxed), (Some(ms(1260)), Some(ms(3260))));
    assert_eq!(rig.driver.counters().sit_requests, 1);
    assert!(rig.all_low());
}

#[test]
fn when_driven_against_a_limit_expect_a_fault_before_the_servo_burns_and_rest_to_count() {
    let strained = |driver: &hexapod_servo::ServoDriver<_>| {
        matches!(driver.fault(), Some(hexapod_servo::Fault::Strained { joint: 4, .. }))
    };
    // 1.2 rad is beyond 2100 us, 0.94 rad.
    let limit = |raw: &mut RawServoConfig| (raw.timing.stall_after_s, raw.timing.stall_error_rad) = (2.0, 0.2);
    let mut rig = Rig::armed_with(with(limit));
    let begin = rig.now;
    while rig.step(|joint| if joint == 4 { 1.2 } else { 0.5 }) != State::Fault {
        assert!(rig.now - begin < ms(2500));
    }
    assert!(strained(&rig.driver) && rig.now - begin >= ms(2000), "{:?}", rig.driver.fault());
    assert!(!rig.all_low(), "it is held for a while");
    let mut rig = Rig::armed_with(with(limit));
    for tick in 0..2000 {
        rig.step(|joint| if joint == 4 && tick % 100 < 45 { 1.2 } else { 0.8 });
    }
    assert_eq!(rig.driver.state(), State::Armed, "as much rest as strain");
    let mut rig = Rig::armed_with(with(|raw| raw.timing.stall_after_s = 0.0));
    for _ in 0..5000 {
        rig.step(|_| 2.0);
    }
    assert_eq!(rig.driver.state(), State::Armed, "switched off");
}
