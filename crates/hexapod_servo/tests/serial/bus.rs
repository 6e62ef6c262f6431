//! Arming, walking, and what servos are set to.

use std::time::Duration;

use hexapod_servo::serial::{Fault, Field, Order};
use hexapod_servo::{Backend, State};

use super::{Rig, oldest, on_each, pose, walk};
use crate::common::ms;

/// Numbers from 0 to 1.
fn random() -> impl FnMut() -> f64 {
    let mut state = 7_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    }
}

/// Steps, and checks that no joint is faster than arming is, and makes up for no more than so many ticks.
fn step_slowly(rig: &mut Rig, before: &mut [f64], ticks: f64) {
    let since = rig.now;
    rig.step(pose);
    let most_rad = ticks * 0.5 * (rig.now - since).as_secs_f64() + 1.01 * rig.step_rad();
    for (joint, before) in before.iter_mut().enumerate() {
        let moved = (rig.angle(joint) - *before).abs();
        assert!(moved <= most_rad, "joint {joint}: {moved} rad");
        *before = rig.angle(joint);
    }
}

fn angles(rig: &Rig) -> Vec<f64> {
    (0..18).map(|joint| rig.angle(joint)).collect()
}

#[test]
fn when_enabled_from_any_pose_expect_each_joint_led_from_where_it_stands_and_no_jump() {
    on_each(|wire| {
        let mut next = random();
        for trial in 0..200 {
            let mut rig = Rig::new(wire);
            (1..=18).for_each(|id| rig.turn(id, 300.0 + 3500.0 * next()));
            rig.tick();
            assert_eq!(rig.enable(pose), "");
            let mut before = angles(&rig);
            // Long enough for all groups to begin; some trials to the end.
            for _ in 0..if trial < 5 { 1000 } else { 90 } {
                step_slowly(&mut rig, &mut before, 1.0);
            }
            assert!(trial >= 5 || rig.driver.state() == State::Armed);
            let is_there = |joint| (rig.angle(joint) - pose(joint)).abs() < 2.0 * rig.step_rad();
            assert!(trial >= 5 || (0..18).all(is_there));
        }
    });
}

#[test]
fn when_18_servos_walk_expect_position_and_speed_each_tick_or_in_turn_and_a_tick_of_the_bus_well_within_10_ms() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        (rig.longest, _) = (Duration::ZERO, rig.line.take_frames());
        let oldest = oldest(rig.series);
        for tick in 0..3000 {
            let target = walk(rig.now + ms(10));
            assert_eq!(rig.step(target), State::Armed);
            for joint in (0..18).filter(|_| tick > 30) {
                let measured = rig.driver.backend().measured(joint);
                let position = measured.position_rad.and_then(|sample| sample.within(oldest, rig.now));
                let most_rad = 0.03 + 1.5 * oldest.as_secs_f64();
                assert!((position.expect("measured") - rig.angle(joint)).abs() < most_rad);
                let velocity = measured.velocity_rad_s.and_then(|sample| sample.within(oldest, rig.now));
                assert!(velocity.is_some() != (rig.series.velocity == Field::NONE));
                let slow = if rig.series.sync_write { ms(200) } else { ms(1500) };
                let volts = measured.voltage_v.and_then(|sample| sample.within(slow, rig.now));
                assert!(
                    volts.is_some_and(|volts| (volts - 7.4).abs() < 1e-9) || (tick < 200 && !rig.series.sync_write)
                );
            }
        }
        println!("longest tick of the bus {:?}", rig.longest);
        // X servos have frames that are half as long again; with the 50 us that each is taken to think they need 7.2 ms.
        // LX servos are given all the time there is.
        let most = match rig.series.name {
            "x" => Duration::from_micros(7500),
            "lx16a" => ms(9),
            _ => ms(7),
        };
        assert!(rig.longest < most, "{:?}", rig.longest);
        assert_eq!(rig.driver.counters().wire.nacks, 0);
        // One frame of goals, a read of all and a read of one; or reads of some.
        assert!(rig.line.take_frames().len() <= if rig.series.sync_read { 3 } else { 6 } * 3000);
    });
}

#[test]
fn when_servos_are_limp_expect_volts_and_degrees_of_each_known_so_that_enable_can_be_refused() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.steps(250, pose);
        assert!((0..18).all(|joint| {
            let measured = rig.driver.measured(joint, rig.now);
            measured.voltage_v.is_some() && measured.temperature_c.is_some()
        }));
    });
}

#[test]
fn when_a_servo_is_set_up_otherwise_than_it_is_used_expect_enable_refused_with_what_to_do() {
    let sts: &[(u16, &[u8], &str)] = &[
        (9, &[232, 3], "servo 4 (left_middle_coxa) keeps itself to the steps 1000 to 4095, and 700 to 3400 are used"),
        (33, &[1], "is in mode 1: set its register 33 to 0"),
        (30, &[2], "has the angular resolution 2: set its register 30 to 1"),
        (3, &[5, 4], "servo 4 (left_middle_coxa) is one of series scs (SCS0009), and not sts: set `series: scs`"),
        (2, &[1, 0, 0], "says the high byte of a number first, as none of series sts: set another `series`"),
    ];
    let x: &[(u16, &[u8], &str)] = &[
        (52, &[232, 3, 0, 0], "keeps itself to the steps 1000 to 4095, and 700 to 3400 are used: widen its limits"),
        (48, &[232, 3, 0, 0], "keeps itself to the steps 0 to 1000"),
        (11, &[1], "servo 4 (left_middle_coxa) is in mode 1: set its register 11 to 3, position"),
        (10, &[5], "goes by time, its drive mode having the bit 4: set its register 10 to 0"),
        (9, &[250], "answers late, by its return delay 250: set its register 9 to 0"),
        (0, &[94, 1], "servo 4 (left_middle_coxa) is a servo XL-320, whose registers are not those of series x"),
        (70, &[0x20], "has shut down and complains of overload: take away its supply for a moment"),
    ];
    let one: &[(u16, &[u8], &str)] = &[
        (6, &[232, 3], "keeps itself to the steps 1000 to"),
        (8, &[0, 0], "keeps itself to the steps 0 to 0"),
        (5, &[250], "answers late, by its return delay 250: set its register 5 to 0"),
        (34, &[0, 0], "has shut down: take away its supply for a moment"),
    ];
    let scs: &[(u16, &[u8], &str)] = &[
        (9, &[0, 200], "servo 4 (left_middle_coxa) keeps itself to the steps 200 to 1023, and 175 to 850 are used"),
        (11, &[2, 0], "keeps itself to the steps 0 to 512"),
        (3, &[9, 3], "is one of series sts (STS3215), and not scs: set `series: sts`"),
        (2, &[0, 0, 0], "says the low byte of a number first, as none of series scs"),
    ];
    let other: &[(u16, &[u8], &str)] = &[(0, &[29, 0], "is one of series mx (MX-28), and not ax: set `series: mx`")];
    let lx: &[(u16, &[u8], &str)] = &[
        (84, &[200, 0], "servo 4 (left_middle_coxa) keeps itself to the steps 200 to 1000, and 171 to 830 are used"),
        (86, &[88, 2], "keeps itself to the steps 0 to 600"),
        (120, &[1], "servo 4 (left_middle_coxa) is in mode 1: set it to 0, servo"),
    ];
    on_each(|wire| {
        let cases = match wire.1.name {
            "sts" => sts,
            "x" => x,
            "lx16a" => lx,
            "scs" => scs,
            _ => one,
        };
        let other = if wire.1.name == "ax" { other } else { &[] };
        for (register, values, words) in cases.iter().chain(other) {
            let mut rig = Rig::new(wire);
            rig.line.put(4, *register, values);
            let report = rig.enable(pose);
            assert!(report.contains(words), "{report}");
            rig.steps(100, pose);
            assert_eq!(rig.limp(), 18);
        }
        let mut rig = Rig::new(wire);
        rig.line.inject(Fault::Twin(9));
        let report = rig.enable(pose);
        assert!(
            report.contains("servo 9 (left_rear_tibia) answers with bytes that make no reply: two servos"),
            "{report}"
        );
    });
}

#[test]
fn when_an_alarm_comes_with_a_reply_expect_the_reply_to_count_and_the_alarm_known() {
    on_each(|wire| {
        if wire.1.alarms.is_empty() {
            return;
        }
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        rig.line.inject(Fault::Alarm(3, 1));
        (0..50).for_each(|_| assert_eq!(rig.step(pose), State::Armed));
        assert_eq!(rig.driver.backend().measured(2).alarm, Some("voltage"));
        assert_eq!(rig.driver.backend().measured(1).alarm, None);
    });
}

#[test]
fn when_servos_measure_current_expect_amperes_and_those_that_measure_load_a_part_of_full_drive() {
    on_each(|wire| {
        if wire.1.load == Field::NONE {
            return;
        }
        let mut rig = Rig::new(wire);
        rig.line.put(2, wire.1.load.at, if wire.1.order == Order::LowFirst { &[100, 0] } else { &[0, 100] });
        if wire.1.name == "x" {
            rig.line.put(3, 0, &1020_u16.to_le_bytes());
            rig.line.put(3, wire.1.load.at, &(-100_i16).to_le_bytes());
        }
        rig.arm(pose);
        let measured = |joint: usize| rig.driver.backend().measured(joint);
        assert!(measured(1).load.is_some_and(|load| (load.value + 0.1).abs() < 1e-9), "mounted the other way round");
        let amperes = measured(2).current_a.map(|current| current.value);
        let torque = measured(2).torque_nm.map(|torque| torque.value);
        assert_eq!(torque.map(|torque| (1e6 * torque).round()), (wire.1.name == "x").then_some(-134_500.0).or(amperes));
        assert_eq!(measured(1).torque_nm, None, "nobody said what its current makes");
        let expected = if wire.1.name == "x" { Some(0.269) } else { wire.1.current.map(|_| 0.0) };
        assert_eq!(amperes.map(|amperes| (1e6 * amperes).round()), expected.map(|amperes| (1e6_f64 * amperes).round()));
    });
}

#[test]
fn when_a_load_turns_a_servo_of_known_stiffness_expect_the_torque_that_it_takes() {
    on_each(|wire| {
        // Servos that are asked one by one have gone back to their goals meanwhile.
        if !wire.1.sync_read {
            return;
        }
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        let measured = |rig: &Rig| rig.driver.backend().measured(4);
        let rests = measured(&rig).torque_nm.expect("it holds its goal").value;
        assert!(rests.abs() < 8.0 * 0.01, "{rests}");
        let before = measured(&rig).position_rad.expect("it was asked").value;
        rig.line.turn(5, rig.line.position(5).expect("it is there") + 0.2 / rig.step_rad());
        rig.step(pose);
        let (turned, torque) = (measured(&rig).position_rad.expect("it was asked").value, measured(&rig).torque_nm);
        assert!((turned - before).abs() > 0.01, "{turned}");
        let torque = torque.expect("it holds its goal").value;
        assert!((torque + 8.0 * (turned - before)).abs() < 8.0 * 0.01, "{torque} {turned} {before}");
        assert!(measured(&rig).torque_is_of_error);
    });
}

/// A servo that has torque and not its first goal goes to whatever goal it had before.
#[test]
fn when_a_servo_misses_any_frames_as_it_is_enabled_expect_no_jump() {
    on_each(|wire| {
        for (skipped, missed) in (0..6).flat_map(|skipped| (1..7).map(move |missed| (skipped, missed))) {
            let mut rig = Rig::new(wire);
            rig.arm(pose);
            rig.driver.emergency_stop().expect("the line works");
            (1..=18).for_each(|id| rig.turn(id, 3000.0));
            rig.steps(20, pose);
            assert_eq!(rig.enable(pose), "");
            rig.line.inject(Fault::Deaf { id: 1, after: skipped, frames: missed });
            let mut before = angles(&rig);
            (0..120).for_each(|_| step_slowly(&mut rig, &mut before, 3.0));
            // One that missed being given torque is limp, and that is a fault.
            let is_limp = rig.says().contains("servo 1 let go by itself") && !rig.line.holds(1);
            assert!(
                is_limp || (rig.limp() == 0 && rig.says().is_empty()),
                "{missed} frames after {skipped}: {}",
                rig.says()
            );
        }
    });
}

#[test]
fn when_a_servo_stands_beyond_its_own_limits_expect_enable_refused_since_it_may_refuse_to_stay_there() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        let low = super::scaled(wire.1, 700) as u16;
        let mut bytes = [0; 4];
        let field = wire.1.limits.0;
        wire.1.put(u32::from(low), field, field.block(), &mut bytes);
        rig.line.put(4, field.at, &bytes[..usize::from(field.bytes)]);
        rig.turn(4, 400.0);
        rig.steps(20, pose);
        let report = rig.enable(pose);
        let words = "servo 4 (left_middle_coxa) stands at step";
        assert!(report.contains(words) && report.contains("turn it by hand"), "{report}");
        rig.turn(4, 800.0);
        rig.steps(20, pose);
        assert_eq!(rig.enable(pose), "");
    });
}
