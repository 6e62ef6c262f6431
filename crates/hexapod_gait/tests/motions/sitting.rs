//! A sit or a stop is heeded whatever the robot does, on robots of any number of legs.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, drive, engine, gait, specs, twist};
use hexapod_gait::{BodyOffset, Engine, GaitState, Input, Twist};
use hexapod_kinematics::LegAngles;
use nalgebra::Vector3;
use proptest::prelude::*;

const DT: f64 = 0.01;

/// Ticks until the robot sits, and until it first stands on all its feet.
fn ticks_to_sit(engine: &mut Engine, observer: &mut Observer, longest: usize) -> Result<(usize, usize), TestCaseError> {
    let legs = engine.legs().len();
    let (mut ticks, mut planted) = (0, None);
    engine.sit();
    while engine.last().state != GaitState::Sitting {
        drive(engine, observer, &Input::default(), 1)?;
        ticks += 1;
        if engine.last().contacts[..legs].iter().all(|&down| down) {
            planted.get_or_insert(ticks);
        }
        prop_assert!(ticks <= longest, "{:?} after {ticks} ticks", engine.last().state);
    }
    Ok((ticks, planted.unwrap()))
}

fn pose(engine: &Engine, parts: &[f64]) -> Vec<LegAngles> {
    let mut parts = parts.iter();
    let legs = engine.legs().iter();
    legs.map(|leg| {
        LegAngles::from_fn(leg.joint_count(), |joint| {
            let limits = leg.joints()[joint].limits();
            limits.lower + (limits.upper - limits.lower) * parts.next().unwrap()
        })
    })
    .collect()
}

#[test]
fn when_asked_to_sit_just_after_feet_were_lifted_at_the_edge_of_their_reach_expect_them_down_within_a_cycle() {
    let mut engine = engine(8);
    let mut observer = Observer::new(&engine, DT);
    let walks = [([0.05, 0.0, 0.0], 300), ([-3.001, -2.087, 3.734], 45), ([-4.545, -5.265, -0.518], 148)];
    for ([x, y, w], ticks) in walks {
        drive(&mut engine, &mut observer, &twist(x, y, w), ticks).unwrap();
    }
    let (_, planted) = ticks_to_sit(&mut engine, &mut observer, 3000).unwrap();
    assert!(planted as f64 * DT <= engine.gait().cycle_time(), "planted after {planted} ticks");
}

/// Feet that were put down at another height and pose may be out of the reach that they have where the body rests.
#[test]
fn when_feet_stand_beyond_their_reach_at_another_height_expect_them_put_back_and_the_body_down() {
    let (walk, lean) = (|x, y, w| Some(Twist::new(x, y, w)), |x, y, z| (None, Vector3::new(x, y, z)));
    let acts = [
        ((walk(0.070_873_998, 0.0, 0.703_582_210), Vector3::zeros()), 83),
        (lean(0.0, -0.068_009_455, 0.0), 263),
        ((walk(0.0, 0.0, 0.262_278_338), Vector3::zeros()), 97),
        ((walk(0.0, 0.0, -0.745_856_013), Vector3::zeros()), 133),
        ((walk(0.123_452_626, 0.184_821_454, 0.798_337_275), Vector3::zeros()), 204),
        (lean(0.0, 0.0, -0.040_539_868), 239),
        (lean(0.0, 0.027_334_157, 0.0), 18),
        (lean(-0.066_446_617, 0.0, 0.0), 74),
        (lean(0.0, 0.0, 0.038_380_545), 221),
        ((walk(-0.011_132_055, -0.089_464_671, 0.726_670_325), Vector3::zeros()), 204),
    ];
    let mut engine = engine(6);
    let (mut observer, mut input) = (Observer::new(&engine, DT), Input::default());
    for ((twist, translation), ticks) in acts {
        match twist {
            Some(twist) => input.twist = twist,
            None => input.body_offset = BodyOffset { translation, ..BodyOffset::default() },
        }
        drive(&mut engine, &mut observer, &input, ticks).unwrap();
    }
    ticks_to_sit(&mut engine, &mut observer, 300).unwrap();
    let height = engine.last().footprint_from_body.translation.z;
    assert!((height - engine.stance().spec().sit_height).abs() < 1e-9, "lies at {height}");
}

/// Four legs lean away from a foot that comes down at the very end of its reach: it has to come in before it can.
#[test]
fn when_a_foot_in_the_air_is_at_the_end_of_its_reach_expect_the_robot_to_sit_in_time() {
    let mut engine = engine(4);
    engine.set_gait(gait(engine.robot(), &specs(4)[0]));
    let mut observer = Observer::new(&engine, DT);
    drive(&mut engine, &mut observer, &twist(0.05, 0.0, 0.0), 300).unwrap();
    drive(&mut engine, &mut observer, &twist(-9.363_138_691_510_457, -6.604_328_419_759_615, 0.0), 122).unwrap();
    drive(&mut engine, &mut observer, &twist(8.262_899_022_821_276, 7.460_081_273_162_006_5, 0.0), 101).unwrap();
    let (sat, _) = ticks_to_sit(&mut engine, &mut observer, 3000).unwrap();
    assert!(sat <= 270, "sat after {sat} ticks");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_asked_to_sit_after_any_walk_expect_all_feet_planted_within_a_cycle(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], index in 0usize..4,
        twists in prop::collection::vec((prop::array::uniform3(-10.0..10.0f64), 20usize..200), 1..4),
    ) {
        let mut engine = engine(legs);
        let gaits = specs(legs);
        engine.set_gait(gait(engine.robot(), &gaits[index % gaits.len()]));
        let mut observer = Observer::new(&engine, DT);
        drive(&mut engine, &mut observer, &twist(0.05, 0.0, 0.0), 300)?;
        for ([x, y, w], ticks) in twists {
            drive(&mut engine, &mut observer, &twist(x, y, w), ticks)?;
        }
        let cycle = engine.gait().cycle_time();
        let (sat, planted) = ticks_to_sit(&mut engine, &mut observer, 3000)?;
        prop_assert!(planted as f64 * DT <= cycle + 0.02, "planted after {planted} ticks");
        // On four legs, a foot at the end of its reach may have to come down slowly, beside a body that leans over the others.
        prop_assert!(sat <= if legs == 4 { 340 } else { 300 }, "sat after {sat} ticks, planted after {planted}");
    }

    #[test]
    fn when_asked_to_sit_or_stop_while_legs_are_placed_expect_it_done_and_the_way_up_open(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], parts in prop::collection::vec(0.0..1.0f64, 24),
        ticks in 1usize..400, stop: bool,
    ) {
        let mut engine = engine(legs);
        let found = pose(&engine, &parts);
        prop_assert!(engine.adopt(&found));
        engine.stand();
        for _ in 0..ticks {
            engine.step(&Input::default(), DT);
        }
        if engine.last().state == GaitState::Standing {
            return Ok(());
        }
        let rising = engine.last().contacts[..legs].iter().all(|&down| down);
        if stop && rising {
            return Ok(());
        }
        if stop { engine.stop() } else { engine.sit() }
        let mut taken = 0;
        // On its feet a robot that is stopped stays there.
        let is_done = |state| state == GaitState::Sitting || stop && state == GaitState::Standing;
        while !is_done(engine.last().state) {
            engine.step(&Input::default(), DT);
            taken += 1;
            prop_assert!(taken <= 240, "{:?} after {taken} ticks", engine.last().state);
        }
        stand_up(&mut engine)?;
    }

    #[test]
    fn when_frozen_at_any_moment_expect_no_move_before_the_stick_was_let_go_and_every_way_on_open(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], ticks in 1usize..600, turn in -0.5..0.5f64, sit: bool,
    ) {
        let mut engine = engine(legs);
        let mut observer = Observer::new(&engine, DT);
        drive(&mut engine, &mut observer, &twist(0.05, 0.01, turn), ticks)?;
        let held = engine.last().angles;
        engine.freeze(&held);
        for _ in 0..200 {
            let tick = *engine.step(&twist(0.05, 0.01, turn), DT);
            prop_assert!(tick.angles == held, "{:?}", tick.state);
            prop_assert!(matches!(tick.state, GaitState::Standing | GaitState::Sitting));
        }
        engine.step(&Input::default(), DT);
        if !sit {
            for _ in 0..2500 {
                engine.step(&twist(0.05, 0.01, turn), DT);
            }
            prop_assert_eq!(engine.last().state, GaitState::Walking);
            return Ok(());
        }
        engine.sit();
        let mut taken = 0;
        while engine.last().state != GaitState::Sitting || taken == 0 {
            engine.step(&Input::default(), DT);
            taken += 1;
            prop_assert!(taken <= 240, "{:?} after {taken} ticks", engine.last().state);
        }
        let low = engine.stance().spec().sit_height + 0.005;
        prop_assert!(engine.last().footprint_from_body.translation.z <= low, "the body is down");
        stand_up(&mut engine)?;
    }

    #[test]
    fn when_found_in_any_joint_pose_expect_the_robot_to_stand_up_leg_by_leg(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], parts in prop::collection::vec(0.0..=1.0f64, 24),
    ) {
        let mut engine = engine(legs);
        let found = pose(&engine, &parts);
        prop_assert!(engine.adopt(&found));
        let sits = engine.last().state == GaitState::Sitting;
        prop_assert_eq!(sits, engine.last().footprint_from_body.translation.z < engine.stance().spec().sit_height + 0.005);
        stand_up(&mut engine)?;
        let rest = engine.rest_feet().to_vec();
        for (foot, rest) in engine.last().feet.iter().zip(rest) {
            prop_assert!((foot.xy() - rest).norm() < 1e-3 && foot.z.abs() < 1e-8);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_asked_to_pack_at_any_moment_expect_the_legs_folded_off_the_ground_and_the_way_up_open(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], driven in 0usize..300, sit_after in 1usize..600,
        stand_after in 0usize..80,
    ) {
        let mut engine = engine(legs).with_packed_pose(None).unwrap();
        let mut observer = Observer::new(&engine, DT);
        drive(&mut engine, &mut observer, &twist(0.03, 0.01, 0.1), driven)?;
        prop_assert!(engine.pack());
        let mut other = engine.clone();
        let mut ticks = 0;
        while !engine.is_packed() {
            let before = *engine.last();
            let tick = *engine.step(&Input::default(), DT);
            for (leg, (now, then)) in engine.legs().iter().zip(tick.angles.iter().zip(&before.angles)) {
                for (joint, (now, then)) in leg.joints().iter().zip(now.iter().zip(then.iter())) {
                    prop_assert!((now - then).abs() <= joint.limits().velocity * DT + 1e-9, "{} jumps", joint.name());
                }
            }
            ticks += 1;
            prop_assert!(ticks < 3000, "{:?}", engine.last().state);
        }
        let tick = engine.last();
        prop_assert_eq!(tick.state, GaitState::Sitting);
        for leg in 0..legs {
            let rest = engine.rest_feet()[leg].norm();
            prop_assert!(!tick.contacts[leg] && tick.feet[leg].z > 0.004, "foot {leg} at {}", tick.feet[leg]);
            prop_assert!(tick.feet[leg].xy().norm() < 0.97 * rest, "foot {leg} at {} of {rest}", tick.feet[leg]);
        }
        stand_up(&mut engine)?;
        prop_assert!(engine.last().contacts[..legs].iter().all(|&down| down));
        // Asked to sit in the middle of it, the robot folds no further leg.
        for _ in 0..sit_after {
            other.step(&Input::default(), DT);
        }
        other.sit();
        // Asked to stand before it sits, it unfolds what it had folded.
        let mut torn = other.clone();
        for _ in 0..stand_after {
            torn.step(&Input::default(), DT);
        }
        if torn.last().state == GaitState::Playing {
            stand_up(&mut torn)?;
        }
        for _ in 0..300 {
            other.step(&Input::default(), DT);
        }
        prop_assert_eq!(other.last().state, GaitState::Sitting);
        stand_up(&mut other)?;
    }
}

/// Stands up, judged from outside: legs are placed one at a time while no other moves, no joint is too fast, and no foot
/// on the ground is dragged over it while the body rises.
fn stand_up(engine: &mut Engine) -> Result<(), TestCaseError> {
    let legs = engine.legs().len();
    engine.stand();
    for _ in 0..2500 {
        let before = *engine.last();
        let tick = *engine.step(&Input::default(), DT);
        let placed = |leg: usize| tick.angles[leg] != before.angles[leg] || tick.contacts[leg];
        let lifted = (0..legs).filter(|&leg| placed(leg) && !tick.contacts[leg]).count();
        prop_assert!(lifted <= 1, "{lifted} legs lifted at once");
        for (index, leg) in engine.legs().iter().enumerate() {
            let moves = tick.angles[index] != before.angles[index];
            prop_assert!(
                lifted == 0 || !moves || !(tick.contacts[index] && before.contacts[index]),
                "leg {index} moves"
            );
            for ((joint, now), then) in leg.joints().iter().zip(&*tick.angles[index]).zip(&*before.angles[index]) {
                let limits = joint.limits();
                prop_assert!(limits.contain(*now), "{} at {now}", joint.name());
                prop_assert!((now - then).abs() <= limits.velocity * DT + 1e-9, "{} jumps", joint.name());
            }
            if lifted == 0 && moves {
                let foot = tick.footprint_from_body.transform_point(&leg.foot_in_body(&tick.angles[index]).into());
                prop_assert!((foot.coords - tick.feet[index]).norm() < 2e-4, "foot {index} is dragged");
            }
        }
        if tick.state == GaitState::Standing {
            return Ok(());
        }
    }
    Err(TestCaseError::fail(format!("{:?} after 25 s", engine.last().state)))
}
