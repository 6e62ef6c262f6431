//! The player: whatever is asked at whatever moment, joints stay within their limits, nothing jumps, no foot on the
//! ground slips, the robot does not fall over and ends on its feet.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::engine;
use crate::common::player::{crawling, motions, observer, run, shipped, simple_motions};
use hexapod_gait::motion::{Motion, Player};
use hexapod_gait::{BodyOffset, Engine, GaitState, Input, Twist};
use nalgebra::Vector3;
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

#[derive(Clone, Debug)]
enum Act {
    Play(usize),
    Finish,
    Cancel,
    Drive(Twist),
    Pose(BodyOffset),
    Stand,
    Sit,
    Stop,
}

fn an_act() -> impl Strategy<Value = Act> {
    let speed = prop_oneof![3 => -0.2..0.2f64, 3 => Just(0.0), 1 => -1e9..1e9f64, 1 => Just(f64::NAN)];
    let drive = (speed.clone(), speed.clone(), speed).prop_map(|(x, y, w)| Act::Drive(Twist::new(x, y, 5.0 * w)));
    let part = prop_oneof![3 => -0.05..0.05f64, 1 => -10.0..10.0f64];
    let pose = prop::array::uniform6(part).prop_map(|p| {
        let rotation = 4.0 * Vector3::new(p[3], p[4], p[5]);
        Act::Pose(BodyOffset { translation: Vector3::new(p[0], p[1], p[2]), rotation })
    });
    let play = (0..64usize).prop_map(Act::Play);
    let rest = prop_oneof![
        Just(Act::Finish),
        Just(Act::Cancel),
        Just(Act::Stand),
        Just(Act::Sit),
        Just(Act::Stop),
        Just(Act::Drive(Twist::ZERO))
    ];
    prop_oneof![8 => play, 3 => drive, 1 => pose, 4 => rest]
}

/// Asks one thing after another and follows what comes of it.
fn act_out(engine: Engine, motions: &[Arc<Motion>], acts: Vec<(Act, usize)>, rate: f64) -> Result<(), TestCaseError> {
    let mut player = Player::new(engine);
    let mut observer = observer(&player, 1.0 / rate);
    let mut input = Input::default();
    for (act, ticks) in acts {
        match act {
            Act::Play(index) => {
                player.play(Some(Arc::clone(&motions[index % motions.len()])));
                input.twist = Twist::ZERO;
            }
            Act::Finish => player.play(None),
            Act::Cancel => player.cancel(),
            Act::Drive(twist) => input.twist = twist,
            Act::Pose(offset) => input.body_offset = offset,
            Act::Stand => player.stand(),
            Act::Sit => player.sit(),
            Act::Stop => player.stop(),
        }
        run(&mut player, &mut observer, &input, ticks)?;
    }
    player.cancel();
    run(&mut player, &mut observer, &Input::default(), (16.0 * rate) as usize)?;
    prop_assert!(!player.is_playing(), "all is played or broken off by then");
    let state = player.last().state;
    let at_rest = matches!(state, GaitState::Standing | GaitState::Sitting);
    prop_assert!(at_rest, "{state:?}");
    Ok(())
}

fn acts() -> impl Strategy<Value = Vec<(Act, usize)>> {
    prop::collection::vec((an_act(), 1usize..250), 1..60)
}

/// Runs of the property, of which the shipped robot gets most.
fn cases(part: u32) -> ProptestConfig {
    let cases: Option<u32> = std::env::var("HEXAPOD_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = (cases.unwrap_or(300) / part).max(1);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn when_anything_is_asked_at_any_moment_expect_no_jump_no_slip_no_fall(
        acts in acts(), rate in prop_oneof![Just(50.0), Just(100.0), Just(333.0), Just(1000.0)],
    ) {
        act_out(shipped(), motions(), acts, rate)?;
    }
}

/// An engine and what it plays, made once.
type Cast = OnceLock<(Engine, Vec<Arc<Motion>>)>;

fn cast(cast: &'static Cast, engine: impl Fn() -> Engine) -> (Engine, &'static [Arc<Motion>]) {
    let (engine, motions) = cast.get_or_init(|| {
        let engine = engine();
        let motions = simple_motions(&engine);
        (engine, motions)
    });
    (engine.clone(), motions)
}

#[test]
fn when_the_straight_way_home_leads_past_a_joints_limit_expect_another_and_no_slip() {
    let offset = |shift: [f64; 3], turn: [f64; 3]| BodyOffset { translation: shift.into(), rotation: turn.into() };
    let low = offset([-0.13318988, -0.02742497, -0.03028856], [0.0, 39.17704, 0.1567619]);
    let aside = offset([0.0, -2.79864707, 0.0], [-0.172400, 17.10605, 0.0]);
    let eight = engine(8);
    let motions = simple_motions(&eight);
    // Wherever on the way from one pose to the other the motion is asked for.
    for ticks in 1..100 {
        let acts = vec![
            (Act::Play(0), 1),
            (Act::Finish, 10),
            (Act::Pose(low), 235),
            (Act::Pose(aside), ticks),
            (Act::Play(0), 400),
        ];
        act_out(eight.clone(), &motions, acts, 100.0).unwrap();
    }
}

#[test]
fn when_a_motion_is_asked_for_while_the_body_moves_expect_no_joint_jolted() {
    const DT: f64 = 0.01;
    let dance = Arc::clone(&simple_motions(&shipped())[0]);
    for asked in (0..100).step_by(7) {
        let mut player = Player::new(shipped());
        player.stand();
        let (mut input, mut before) = (Input::default(), [player.last().angles; 2]);
        for tick in 0..900 {
            let turn = std::f64::consts::TAU * 0.01 * tick as f64;
            let (x, roll) = (0.03 * (0.5 * turn).sin(), 0.1 * (0.4 * turn).sin());
            input.body_offset =
                BodyOffset { translation: Vector3::new(x, 0.0, 0.0), rotation: Vector3::new(roll, 0.0, 0.0) };
            if tick == 400 + asked {
                player.play(Some(Arc::clone(&dance)));
            }
            let now = player.step(&input, DT).angles;
            let [older, old] = before;
            let joints = now.iter().flat_map(|leg| leg.iter()).zip(old.iter().flat_map(|leg| leg.iter()));
            let joints = joints.zip(older.iter().flat_map(|leg| leg.iter()));
            let worst =
                joints.map(|((now, old), older)| (now - 2.0 * old + older).abs() / (DT * DT)).fold(0.0, f64::max);
            assert!(tick < 300 || worst < 60.0, "{worst} rad/s^2 at tick {tick}, asked for after {asked}");
            before = [old, now];
        }
        assert!(player.is_playing(), "asked for after {asked}");
    }
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn when_anything_is_asked_of_eight_legs_expect_no_jump_no_slip_no_fall(acts in acts()) {
        static EIGHT: Cast = OnceLock::new();
        let (engine, motions) = cast(&EIGHT, || engine(8));
        act_out(engine, motions, acts, 100.0)?;
    }

    #[test]
    fn when_anything_is_asked_of_four_legs_expect_no_jump_no_slip_no_fall(acts in acts()) {
        static FOUR: Cast = OnceLock::new();
        let (engine, motions) = cast(&FOUR, || engine(4));
        act_out(engine, motions, acts, 100.0)?;
    }

    #[test]
    fn when_anything_is_asked_of_four_crawling_legs_expect_no_jump_no_slip_no_fall(acts in acts()) {
        static CRAWLING: Cast = OnceLock::new();
        let (engine, motions) = cast(&CRAWLING, crawling);
        act_out(engine, motions, acts, 100.0)?;
    }
}
