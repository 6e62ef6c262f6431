//! Properties that hold for every input.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{Rig, US_PER_RAD, ms, raw_config};
use hexapod_servo::calibration::{RawPoint, Servo};
use hexapod_servo::{ServoConfig, State};
use proptest::prelude::*;

/// Any bit pattern: NaN, infinite, subnormal, huge.
fn any_angle() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), -3.0..3.0f64, Just(f64::NAN), Just(f64::INFINITY)]
}

prop_compose! {
    /// Any valid servo on a board of any frequency that fits its pulses.
    fn any_servo()(
        frequency_hz in 24.0..330.0f64,
        limits_us in (300.0..1400.0f64, 1600.0..2700.0f64),
        inner in proptest::collection::vec(0.01..0.99f64, 2..6),
        falling in any::<bool>(),
        direction in prop_oneof![Just(1), Just(-1)],
        trim_rad in -0.5..0.5f64,
    ) -> Option<Servo> {
        let mut raw = raw_config(frequency_hz, limits_us);
        raw.servos.0.truncate(1);
        let servo = &mut raw.servos.0[0].1;
        let mut parts = inner;
        parts.sort_by(f64::total_cmp);
        parts.dedup_by(|a, b| (*a - *b).abs() < 0.01);
        let (min_us, max_us) = limits_us;
        servo.points = parts.iter().enumerate().map(|(index, fraction)| {
            let fraction = if falling { 1.0 - fraction } else { *fraction };
            RawPoint { angle_rad: index as f64 * 0.4 - 1.0, pulse_us: min_us + fraction * (max_us - min_us) }
        }).collect();
        servo.direction = direction;
        servo.trim_rad = trim_rad;
        ServoConfig::try_from(raw).ok().map(|config| config.servos()[0].clone())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn when_any_angle_expect_counts_within_limits(servo in any_servo(), angle_rad in any_angle()) {
        let Some(servo) = servo else { return Ok(()) };
        let counts = servo.counts(angle_rad);
        let range = servo.range();
        prop_assert!((range.shortest()..=range.longest()).contains(&counts));
        prop_assert_ne!(range.off(counts), range.on());
        let (min_us, max_us) = servo.pulse_limits_us();
        match servo.pulse_us(angle_rad) {
            Some(pulse) => prop_assert!((min_us..=max_us).contains(&pulse.value)),
            None => prop_assert!(!angle_rad.is_finite()),
        }
    }

    #[test]
    fn when_angle_is_within_limits_expect_round_trip_to_half_a_count(servo in any_servo(), fraction in 0.02..0.98f64) {
        let Some(servo) = servo else { return Ok(()) };
        let (lower, upper) = servo.angle_limits_rad();
        let angle_rad = lower + fraction * (upper - lower);
        let pulse_us = servo.pulse_us(angle_rad).expect("finite");
        prop_assert!(!pulse_us.clamped);
        prop_assert!((servo.angle_rad(pulse_us.value) - angle_rad).abs() < 1e-9);
        let counts = servo.counts(angle_rad);
        let range = servo.range();
        if counts > range.shortest() && counts < range.longest() {
            prop_assert_eq!(servo.counts(servo.angle_of_counts(counts)), counts);
            let neighbours = [servo.angle_of_counts(counts - 1), servo.angle_of_counts(counts + 1)];
            prop_assert!(angle_rad >= neighbours[0].min(neighbours[1]) && angle_rad <= neighbours[0].max(neighbours[1]));
        }
    }

    #[test]
    fn when_trim_or_direction_change_expect_mirrored_and_shifted_pulses(angle_rad in -0.6..0.6f64, trim_rad in -0.1..0.1f64) {
        let mut raw = raw_config(50.0, (900.0, 2100.0));
        raw.servos.0[1].1.direction = -1;
        raw.servos.0[2].1.trim_rad = trim_rad;
        let config = ServoConfig::try_from(raw).expect("valid");
        let pulse_us = |joint: usize| config.servos()[joint].pulse_us(angle_rad).expect("finite").value;
        prop_assert!((pulse_us(0) - (1500.0 + angle_rad * US_PER_RAD)).abs() < 1e-9);
        prop_assert!((pulse_us(1) - (1500.0 - angle_rad * US_PER_RAD)).abs() < 1e-9);
        prop_assert!((pulse_us(2) - (1500.0 + (angle_rad + trim_rad) * US_PER_RAD)).abs() < 1e-9);
    }
}

#[derive(Clone, Debug)]
enum Event {
    Target(usize, f64),
    Fresh,
    Enable,
    Disable,
    Stop,
    Relax(usize, bool),
    Ticks(u8),
    Pause(u64),
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..20usize, any_angle()).prop_map(|(joint, angle)| Event::Target(joint, angle)),
        4 => Just(Event::Fresh),
        2 => Just(Event::Enable),
        1 => Just(Event::Disable),
        1 => Just(Event::Stop),
        1 => (0..8usize, any::<bool>()).prop_map(|(group, relaxed)| Event::Relax(group, relaxed)),
        8 => (1..40u8).prop_map(Event::Ticks),
        1 => (0..400u64).prop_map(Event::Pause),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn when_inputs_come_in_any_order_expect_outputs_within_limits_and_none_unless_live(
        events in proptest::collection::vec(any_event(), 1..60)
    ) {
        let mut rig = Rig::new(crate::common::config());
        for event in events {
            match event {
                Event::Target(joint, angle) => {
                    let accepted = rig.driver.set_target(rig.now, joint, angle);
                    prop_assert_eq!(accepted.is_ok(), joint < crate::common::JOINTS && angle.is_finite());
                }
                Event::Fresh => rig.send(|joint| 0.02 * joint as f64),
                Event::Enable => drop(rig.driver.enable(rig.now)),
                Event::Disable => rig.driver.disable(),
                Event::Stop => rig.driver.emergency_stop().expect("boards answer"),
                Event::Relax(group, relaxed) => {
                    rig.driver.relax(group, relaxed);
                }
                Event::Ticks(count) => {
                    for _ in 0..count {
                        rig.tick();
                    }
                }
                Event::Pause(time) => rig.now += ms(time),
            }
            rig.check_outputs();
            let state = rig.tick();
            rig.check_outputs();
            if !state.is_live() && state != State::Fault {
                prop_assert!(rig.all_low());
            }
            for joint in 0..crate::common::JOINTS {
                prop_assert_eq!(rig.driver.commanded(joint).is_some(), rig.counts(joint).is_some());
            }
        }
    }
}
