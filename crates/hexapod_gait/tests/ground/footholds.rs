//! Feet that are put down where a planner of footholds, which sees the ground, wants them.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::random::Random;
use crate::common::{Observer, engine_with, felt_above, specs, twist};
use hexapod_gait::{Engine, Foothold, Input};
use nalgebra::Vector2;
use proptest::prelude::*;

const DT: f64 = 0.001;
/// Ticks of a drive with random footholds, and its tick, s.
const TICKS: usize = 600;
const TICK_S: f64 = 0.01;

fn walking(gait: usize) -> Engine {
    let mut engine = engine_with(6, &specs(6)[gait]);
    (0..4000).for_each(|_| {
        engine.step(&twist(0.04, 0.0, 0.0), DT);
    });
    engine
}

/// Steps until foot 0 is down, or in the air.
fn until(engine: &mut Engine, input: &Input, down: bool) {
    (0..10_000).find(|_| engine.step(input, DT).contacts[0] == down).unwrap();
}

#[test]
fn when_a_foothold_is_given_expect_the_foot_put_down_there_or_as_near_as_it_reaches() {
    let mut engine = walking(2);
    let rest = engine.rest_feet()[0];
    let axes = engine.stance().reach().axes();
    for (wanted, is_within) in [(Vector2::new(0.01, -0.008), true), (Vector2::new(0.3, 0.2), false)] {
        let mut input = twist(0.0, 0.0, 0.1);
        (0..10_000).find(|_| engine.step(&input, DT).contacts[0]).unwrap();
        (0..10_000).find(|_| !engine.step(&input, DT).contacts[0]).unwrap();
        // A place on the ground, which goes by under the body.
        let swing_s = engine.gait().swing_time();
        let mut place = input.twist.motion(swing_s).apply(rest + wanted);
        while !engine.last().contacts[0] {
            input.footholds[0] = Some(Foothold { at: place.push(0.0), highest: 0.0 });
            let tick = engine.step(&input, DT);
            place = tick.twist.motion(DT).apply_inverse(place);
        }
        let off = engine.last().feet[0].xy() - rest;
        let fraction = off.component_div(&axes).norm();
        assert!(fraction <= 0.91, "{fraction} of its reach");
        assert!(!is_within || (off - wanted).norm() < 2e-3, "{off} for {wanted}");
        assert!(is_within || fraction > 0.85, "{fraction} of its reach");
    }
}

#[test]
fn when_a_foothold_is_on_a_step_expect_the_foot_over_its_edge_and_put_down_at_its_height() {
    for (height, highest) in [(0.025, 0.025), (-0.02, 0.0), (0.0, 0.02), (0.02, 0.03)] {
        let mut engine = walking(2);
        let mut input = twist(0.04, 0.0, 0.0);
        until(&mut engine, &input, true);
        let give = |engine: &Engine, input: &mut Input| {
            let Some(step) = engine.next_steps()[0] else { return };
            input.footholds[0] = Some(Foothold { at: step.to.push(height), highest });
        };
        while engine.last().contacts[0] {
            give(&engine, &mut input);
            engine.step(&input, DT);
        }
        let (mut passed, mut last) = (0.0_f64, engine.last().feet[0]);
        while !engine.last().contacts[0] {
            give(&engine, &mut input);
            let foot = engine.step(&input, DT).feet[0];
            assert!((foot - last).norm() < 1e-3, "{foot} after {last}");
            (passed, last) = (passed.max(foot.z), foot);
        }
        assert!((engine.last().feet[0].z - height).abs() < 2e-3, "{} for {height}", engine.last().feet[0].z);
        assert!(passed > highest + 0.015, "{passed} over {highest}");
    }
}

#[test]
fn when_a_robot_walks_expect_its_next_steps_reported_as_it_takes_them() {
    let (mut engine, input) = (walking(0), twist(0.05, 0.01, 0.2));
    (0..3000).for_each(|_| {
        engine.step(&input, DT);
    });
    for leg in 0..6 {
        let about_to_lift =
            |engine: &Engine| engine.next_steps()[leg].filter(|step| step.swung.is_none() && step.until_lift_s < 0.05);
        while about_to_lift(&engine).is_none() {
            engine.step(&input, DT);
        }
        let (mut to, mut lifted) = (about_to_lift(&engine).unwrap().to, false);
        while !(lifted && engine.last().contacts[leg]) {
            to = engine.step(&input, DT).twist.motion(DT).apply_inverse(to);
            lifted |= !engine.last().contacts[leg];
        }
        let foot = engine.last().feet[leg];
        assert!((foot.xy() - to).norm() < 2e-3, "leg {leg}: {foot} for {to}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever a planner of footholds asks, at any height and in any tick, NaN among it.
    #[test]
    fn when_footholds_are_given_at_random_expect_no_foot_slide_and_no_joint_jump(seed in any::<u64>(), gait in 0..3_usize) {
        let mut engine = engine_with(6, &specs(6)[gait]);
        let mut observer = Observer::new(&engine, TICK_S);
        engine.stand();
        let (mut random, mut stood) = (Random(seed), [None; 6]);
        let mut input = twist(0.0, 0.0, 0.0);
        for tick in 0..TICKS {
            if tick % 150 == 100 {
                input = twist(random.range(-0.06, 0.08), random.range(-0.03, 0.03), random.range(-0.3, 0.3));
            }
            let steps = engine.next_steps();
            for (wanted, step) in input.footholds.iter_mut().zip(steps) {
                if random.range(0.0, 1.0) < 0.9 {
                    continue;
                }
                let off = Vector2::new(random.range(-0.08, 0.08), random.range(-0.08, 0.08));
                let (height, above) = (random.range(-0.05, 0.05), random.range(-0.02, 0.06));
                let height = if random.range(0.0, 1.0) < 0.02 { f64::NAN } else { height };
                *wanted = step.map(|step| Foothold { at: (step.to + off).push(height), highest: height + above });
            }
            let felt = if seed % 2 == 0 { felt_above(&engine, &input) } else { input };
            let tick = *engine.step(&felt, TICK_S);
            observer.check_joints(engine.legs(), &tick)?;
            observer.resume(&tick);
            for (leg, stood) in stood.iter_mut().enumerate() {
                let at = observer.odom_from_body.apply(tick.feet[leg].xy());
                let slid = stood.filter(|_| tick.contacts[leg]).map_or(0.0, |stood: Vector2<f64>| (at - stood).norm());
                prop_assert!(slid < 1e-3, "foot {leg} slides {slid} m");
                *stood = tick.contacts[leg].then_some(at);
            }
        }
    }
}
