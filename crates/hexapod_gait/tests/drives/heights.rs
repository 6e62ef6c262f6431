//! The body's height while the robot walks: feet are drawn in as the body rises and go out as it sinks (S2), so that
//! they stay within reach.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, drive, gait, player, specs, twist};
use hexapod_gait::motion::{Motion, Player};
use hexapod_gait::{BodyOffset, Engine, GaitState, Input, Twist};
use nalgebra::Vector3;
use proptest::prelude::*;
use std::sync::Arc;

/// Seconds to get to any height while walking.
const TIME_S: f64 = 6.0;
/// The body's height in the stance.
const STANCE_M: f64 = 0.09;

fn at(z: f64) -> BodyOffset {
    BodyOffset { translation: Vector3::new(0.0, 0.0, z), ..BodyOffset::default() }
}

fn height(engine: &Engine) -> f64 {
    engine.last().footprint_from_body.translation.z
}

/// The mean distance of the feet from the body's centre, m.
fn spread(engine: &Engine) -> f64 {
    let feet = &engine.last().feet[..engine.legs().len()];
    feet.iter().map(|foot| foot.xy().norm()).sum::<f64>() / feet.len() as f64
}

fn walk(engine: &mut Engine, observer: &mut Observer, input: Input, seconds: f64) {
    drive(engine, observer, &input, (seconds * 100.0) as usize).unwrap();
}

#[test]
fn when_the_body_goes_up_or_down_in_a_walk_expect_it_there_and_the_feet_drawn_in_or_out() {
    for z in [-0.04, -0.03, -0.02, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06] {
        let mut engine = crate::common::engine(6);
        let mut observer = Observer::new(&engine, 0.01);
        let input = twist(0.05, 0.0, 0.1);
        walk(&mut engine, &mut observer, input, 4.0);
        let before = spread(&engine);
        walk(&mut engine, &mut observer, Input { body_offset: at(z), ..input }, TIME_S);
        assert!((height(&engine) - STANCE_M - z).abs() < 1e-9, "{} for {z}", height(&engine) - STANCE_M);
        assert_eq!(engine.last().twist, input.twist, "limited by {:?}", engine.last().limited_by);
        let drawn_in = before - spread(&engine);
        assert!(drawn_in * z > 0.0 && (0.5..1.1).contains(&(drawn_in / z)), "drawn in by {drawn_in} for {z}");
        walk(&mut engine, &mut observer, input, TIME_S);
        assert!((height(&engine) - STANCE_M).abs() < 1e-9, "{} after {z}", height(&engine) - STANCE_M);
    }
}

#[test]
fn when_asked_to_sit_at_any_height_and_phase_expect_it_to_come_down_on_its_feet_before_the_process_ends() {
    for (z, phase) in [-0.04, -0.02, 0.02, 0.04, 0.06].into_iter().flat_map(|z| (0..8).map(move |phase| (z, phase))) {
        let mut engine = crate::common::engine(6);
        let mut observer = Observer::new(&engine, 0.01);
        let input = Input { body_offset: at(z), ..twist(0.08, 0.0, 0.0) };
        walk(&mut engine, &mut observer, input, 4.0 + TIME_S + 0.1 * f64::from(phase));
        engine.sit();
        let mut ticks = 0;
        while engine.last().state != GaitState::Sitting {
            drive(&mut engine, &mut observer, &input, 1).unwrap();
            ticks += 1;
            assert!(ticks < 350, "{z}: {:?} at {}", engine.last().state, height(&engine));
        }
        assert!((height(&engine) - 0.03).abs() < 1e-9, "{z}: lies at {}", height(&engine));
    }
}

#[test]
fn when_a_motion_is_played_at_another_height_expect_the_feet_put_back_first() {
    for z in [-0.05, -0.04, 0.06] {
        let mut engine = crate::common::engine(6);
        let mut observer = Observer::new(&engine, 0.01);
        let input = Input { body_offset: at(z), ..twist(0.05, 0.0, 0.0) };
        walk(&mut engine, &mut observer, input, 4.0 + TIME_S);
        let mut player = Player::new(engine);
        let home = player.engine().home();
        let mut bow = home.pose;
        bow.offset.rotation.y = 0.1;
        player.play(Some(Arc::new(Motion::pose_transition(6, &home.pose, &bow, 1.0).unwrap())));
        let resting = spread(&crate::common::engine(6));
        let mut started = false;
        for _ in 0..2000 {
            let before = spread(player.engine());
            player::run(&mut player, &mut observer, &Input { body_offset: at(z), ..Input::default() }, 1).unwrap();
            if player.is_playing() && !started {
                assert!((before - resting).abs() < 0.006, "feet are {before} m out when the motion takes over at {z}");
            }
            started |= player.is_playing();
        }
        assert!(started && !player.is_playing() && player.take_dropped().is_none(), "at {z}");
    }
}

#[test]
fn when_a_motion_is_played_after_a_walk_with_any_pose_expect_it_played() {
    // Slow steps leave the feet near their places, where none is to be put back.
    let heights = [-0.04, -0.008, -0.005, 0.003, 0.005, 0.008, 0.02];
    let poses = heights.into_iter().flat_map(|z| [(z, 0.0, true), (z, 0.0, false), (z, 0.1, true), (z, 0.1, false)]);
    for ((z, roll, kept), (speed, stood_s)) in
        poses.flat_map(|pose| [(0.05, 0.0), (0.05, 1.2), (0.004, 0.0), (0.004, 1.2)].map(|way| (pose, way)))
    {
        let mut engine = crate::common::engine(6);
        let mut observer = Observer::new(&engine, 0.01);
        let mut body_offset = at(z);
        body_offset.rotation.x = roll;
        walk(&mut engine, &mut observer, Input { body_offset, ..twist(speed, 0.0, 0.0) }, 4.0 + TIME_S);
        let asked = if kept { body_offset } else { BodyOffset::default() };
        let input = Input { body_offset: asked, ..Input::default() };
        walk(&mut engine, &mut observer, input, stood_s);
        let mut player = Player::new(engine);
        let home = player.engine().home();
        let mut bow = home.pose;
        bow.offset.rotation.y = 0.1;
        player.play(Some(Arc::new(Motion::pose_transition(6, &home.pose, &bow, 1.0).unwrap())));
        let mut played = false;
        for _ in 0..1500 {
            player::run(&mut player, &mut observer, &input, 1).unwrap();
            played |= player.is_playing();
        }
        let dropped = player.take_dropped();
        assert!(
            played && !player.is_playing() && dropped.is_none(),
            "at {z}, {roll}, kept {kept}, at {speed} m/s, {stood_s} s: {dropped:?}"
        );
    }
}

#[derive(Clone, Debug)]
enum Act {
    Drive(Twist),
    Pose(BodyOffset),
    Gait(usize),
    Stop,
    Sit,
}

fn act() -> impl Strategy<Value = Act> {
    let drive = prop::array::uniform3(-0.2..0.2f64).prop_map(|[x, y, w]| Act::Drive(Twist::new(x, y, 5.0 * w)));
    let height = (-0.07..0.07f64).prop_map(|z| Act::Pose(at(z)));
    let pose = (prop::array::uniform6(-0.07..0.07f64), 0.0..4.0f64).prop_map(|(p, tilt)| {
        let rotation = tilt * Vector3::new(p[3], p[4], p[5]);
        Act::Pose(BodyOffset { translation: Vector3::new(p[0], p[1], p[2]), rotation })
    });
    let gait = (0usize..4).prop_map(Act::Gait);
    prop_oneof![6 => drive, 4 => height, 2 => pose, 1 => gait, 1 => Just(Act::Stop), 1 => Just(Act::Sit)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_heights_and_twists_change_at_random_expect_no_slip_no_jump_no_fall(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)],
        acts in prop::collection::vec((act(), 1usize..300), 1..30),
    ) {
        let mut engine = crate::common::engine(legs);
        let mut observer = Observer::new(&engine, 0.01);
        let mut input = Input::default();
        for (act, ticks) in acts {
            match act {
                Act::Drive(twist) => input.twist = twist,
                Act::Pose(offset) => input.body_offset = offset,
                Act::Gait(index) => {
                    let gaits = specs(legs);
                    engine.set_gait(gait(engine.robot(), &gaits[index % gaits.len()]));
                }
                Act::Stop => engine.stop(),
                Act::Sit => engine.sit(),
            }
            drive(&mut engine, &mut observer, &input, ticks)?;
        }
        engine.sit();
        drive(&mut engine, &mut observer, &Input::default(), 2500)?;
        prop_assert_eq!(engine.last().state, GaitState::Sitting);
        prop_assert!((height(&engine) - 0.03).abs() < 1e-6, "lies at {}", height(&engine));
    }
}
