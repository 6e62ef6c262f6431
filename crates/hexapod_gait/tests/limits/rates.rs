//! The path does not depend on how often it is looked at, and is the same each time.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{engine, gait, specs};
use hexapod_gait::{BodyOffset, Engine, Input, Twist};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Something the driver does every 20 ms or less often.
#[derive(Clone, Debug)]
enum Act {
    Drive(Twist),
    Pose(BodyOffset),
    Gait(usize),
    Stand,
    Sit,
    Stop,
}

fn act() -> impl Strategy<Value = Act> {
    let fraction = prop_oneof![4 => -0.15..0.15f64, 1 => -10.0..10.0f64, 1 => Just(0.0)];
    let twist = prop::array::uniform3(fraction).prop_map(|[x, y, w]| Act::Drive(Twist::new(x, y, 5.0 * w)));
    let pose = prop::array::uniform6(-0.03..0.03f64).prop_map(|p| {
        Act::Pose(BodyOffset {
            translation: Vector3::new(p[0], p[1], p[2]),
            rotation: 5.0 * Vector3::new(p[3], p[4], p[5]),
        })
    });
    prop_oneof![
        12 => twist, 3 => pose, 2 => (0usize..4).prop_map(Act::Gait),
        1 => Just(Act::Stand), 1 => Just(Act::Sit), 1 => Just(Act::Stop),
    ]
}

fn acts() -> impl Strategy<Value = Vec<(Act, usize)>> {
    prop::collection::vec((act(), 1usize..60), 1..30)
}

fn take(engine: &mut Engine, input: &mut Input, act: &Act) {
    match *act {
        Act::Drive(twist) => input.twist = twist,
        Act::Pose(offset) => input.body_offset = offset,
        Act::Gait(index) => engine.set_gait(gait(engine.robot(), &specs(6)[index])),
        Act::Stand => engine.stand(),
        Act::Sit => engine.sit(),
        Act::Stop => engine.stop(),
    }
}

/// The joint angles every 20 ms, with `ticks` ticks in between.
fn angles(acts: &[(Act, usize)], ticks: usize) -> Vec<Vec<f64>> {
    let (mut engine, mut input) = (engine(6), Input::default());
    let mut all = Vec::new();
    for (act, times) in acts {
        take(&mut engine, &mut input, act);
        for _ in 0..*times {
            for _ in 0..ticks {
                engine.step(&input, 0.02 / ticks as f64);
            }
            all.push(engine.last().angles.iter().flat_map(|leg| leg.to_vec()).collect());
        }
    }
    all
}

/// 1e-6 m at the end of the longest leg is more than this angle, rad.
const SAME_RAD: f64 = 1e-6;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_ticking_at_50_100_and_1000_hz_expect_the_same_path(acts in acts()) {
        let at_50 = angles(&acts, 1);
        for ticks in [2, 20, 5] {
            for (a, b) in at_50.iter().zip(angles(&acts, ticks)) {
                let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                prop_assert!(worst < SAME_RAD, "{worst} rad apart with {ticks} ticks");
            }
        }
    }

    #[test]
    fn when_commands_are_replayed_from_a_saved_state_expect_the_same_bits(acts in acts(), cut in 0usize..200, dt in 0.001..0.02f64) {
        let mut engine = engine(6);
        let mut input = Input::default();
        let (mut log, mut saved, mut tick) = (Vec::new(), None, 0);
        for (act, times) in &acts {
            take(&mut engine, &mut input, act);
            for _ in 0..*times {
                if tick == cut {
                    saved = Some((engine.save(), log.len()));
                }
                engine.step(&input, dt);
                log.push((input, engine.last().angles));
                tick += 1;
            }
        }
        // Requests are part of the state, so only inputs are replayed; acts after the cut are left out of the check.
        if let Some((snapshot, from)) = saved {
            let mut other = crate::common::engine(6);
            other.restore(&snapshot);
            let until = first_request_after(&acts, from);
            for (input, angles) in &log[from..until.max(from)] {
                other.step(input, dt);
                prop_assert!(other.last().angles == *angles);
            }
        }
    }
}

/// The tick of the first act after `from` that is not part of the input.
fn first_request_after(acts: &[(Act, usize)], from: usize) -> usize {
    let mut tick = 0;
    for (act, times) in acts {
        if tick > from && !matches!(act, Act::Drive(_) | Act::Pose(_)) {
            return tick;
        }
        tick += times;
    }
    tick
}

#[test]
fn when_the_robot_is_built_twice_expect_the_same_engine() {
    let acts = [(Act::Drive(Twist::new(0.1, 0.02, 0.3)), 200), (Act::Stop, 60)];
    let walked = angles(&acts, 2);
    assert!(walked == angles(&acts, 2) && walked.first() != walked.last());
}

#[test]
fn when_a_tick_is_to_take_longer_than_a_tenth_of_a_second_expect_it_to_say_how_long_it_took() {
    let mut engine = engine(6);
    for (dt, taken) in [(0.01, 0.01), (0.1, 0.1), (0.5, 0.1), (f64::NAN, 0.0), (-1.0, 0.0)] {
        assert_eq!(engine.step(&Input::default(), dt).taken_s, taken, "{dt}");
    }
    let mut player = hexapod_gait::motion::Player::new(engine);
    assert_eq!(player.step(&Input::default(), 0.5).taken_s, 0.1);
}
