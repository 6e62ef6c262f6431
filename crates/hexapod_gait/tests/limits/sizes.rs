//! A robot of another size does the same in its own measure.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{bits, gait, robot, settings, specs};
use hexapod_gait::motion::{Motion, Player, Pose, check};
use hexapod_gait::{
    BodyOffset, Displacement, Engine, Input, LegClearance, Settings, StanceWish, Twist, TwistLimits, size_of,
};
use hexapod_kinematics::Robot;
use nalgebra::Vector3;
use proptest::prelude::*;
use std::sync::Arc;

/// What is the same: sizes that are powers of two leave nothing to rounding, which may decide at any other whether a step or a
/// pose just holds.
const SAME: f64 = 1e-9;

/// What is asked of a robot for some hundredths of a second.
#[derive(Clone, Debug)]
struct Act {
    twist: [f64; 3],
    offset: [f64; 6],
    /// Height at which feet feel the ground, if they do, and how late they tell.
    ground: Option<(f64, f64)>,
    calls: usize,
    ticks: usize,
}

fn act() -> impl Strategy<Value = Act> {
    let twist = prop::array::uniform3(-0.2..0.2f64);
    let offset = prop::array::uniform6(-0.05..0.05f64);
    let ground = prop::option::of((-0.008..0.012f64, 0.0..0.1f64));
    (twist, offset, ground, 0usize..12, 1usize..150).prop_map(|(twist, offset, ground, calls, ticks)| Act {
        twist,
        offset,
        ground,
        calls,
        ticks,
    })
}

/// The settings of a robot so many times as large as the shipped one.
fn settings_of(robot: &Robot, size: f64) -> (Settings, hexapod_gait::Stance) {
    let (shipped, stance) = (settings(), StanceWish::default().stance(robot).unwrap());
    let TwistLimits { linear_velocity, linear_acceleration, linear_jerk, .. } = shipped.limits;
    let limits = TwistLimits {
        linear_velocity: linear_velocity * size,
        linear_acceleration: linear_acceleration * size,
        linear_jerk: linear_jerk * size,
        ..shipped.limits
    };
    let leg_clearance = LegClearance::try_new(shipped.leg_clearance.metres() * size).unwrap();
    let settings =
        Settings { stance: stance.spec(), step_height: shipped.step_height * size, limits, leg_clearance, ..shipped };
    (settings, stance)
}

fn player(legs: usize, size: f64) -> Player {
    let robot = Arc::new(robot(legs).enlarged(size));
    let (settings, stance) = settings_of(&robot, size);
    let first = gait(&robot, &specs(legs)[0]);
    Player::new(Engine::with_stance(robot, first, settings, stance))
}

/// The joint angles, and the feet in the robot's own measure, every tick.
fn angles(legs: usize, size: f64, acts: &[Act]) -> Vec<(Vec<f64>, Vec<Vector3<f64>>, Twist)> {
    let mut player = player(legs, size);
    player.stand();
    let mut all = Vec::new();
    for Act { twist: [vx, vy, wz], offset: o, ground, calls, ticks } in acts {
        match calls {
            0 => player.sit(),
            1 => player.stop(),
            2 => player.stand(),
            3 => player.engine_mut().set_step_height(0.02 * size),
            4..=6 => {
                let next = gait(player.engine().robot(), &specs(legs)[calls % specs(legs).len()]);
                player.engine_mut().set_gait(next);
            }
            _ => {}
        }
        let rotation = 3.0 * Vector3::new(o[3], o[4], o[5]);
        let body_offset = BodyOffset { translation: size * Vector3::new(o[0], o[1], o[2]), rotation };
        for _ in 0..*ticks {
            let felt = player.last().feet.map(|foot| ground.map(|(height, _)| foot.z <= height * size));
            let late = ground.map_or(0.0, |(_, late)| late);
            let twist = Twist::new(vx * size, vy * size, 5.0 * wz);
            let input = Input { twist, body_offset, contacts: felt, contacts_late: late, ..Input::default() };
            let tick = *player.step(&input, 0.01);
            let joints = tick.angles.iter().take(legs).flat_map(|leg| leg.iter().copied()).collect();
            let feet = tick.feet.iter().take(legs).map(|foot| foot / size).collect();
            all.push((joints, feet, Twist::new(tick.twist.vx / size, tick.twist.vy / size, tick.twist.wz)));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_robot_is_of_another_size_expect_it_to_do_the_same_in_its_own_measure(
        size in prop::sample::select(vec![0.25, 0.5, 2.0, 4.0, 8.0]),
        legs in prop::sample::select(vec![4, 6, 6, 8]), acts in prop::collection::vec(act(), 1..10),
    ) {
        // Gravity does not grow with a robot: one that sways and is larger does so more slowly.
        let size = if legs == 4 && size > 1.0 { 1.0 / size } else { size };
        let (one, other) = (angles(legs, 1.0, &acts), angles(legs, size, &acts));
        for (tick, (one, other)) in one.iter().zip(&other).enumerate() {
            for (a, b) in one.0.iter().zip(&other.0) {
                prop_assert!((a - b).abs() < SAME, "{a} and {b} rad at tick {tick} of one {size} times as large");
            }
            for (a, b) in one.1.iter().zip(&other.1) {
                prop_assert!((a - b).norm() < SAME, "{a} and {b} at tick {tick} of one {size} times as large");
            }
            prop_assert!((one.2.vx - other.2.vx).hypot(one.2.vy - other.2.vy) < SAME && (one.2.wz - other.2.wz).abs() < SAME);
        }
    }
}

#[test]
fn when_a_robot_of_any_size_walks_and_turns_expect_the_same_way_in_its_own_measure() {
    let way = |legs: usize, size: f64, [vx, vy, wz]: [f64; 3]| {
        let act = Act { twist: [vx, vy, wz], offset: [0.0; 6], ground: None, calls: 11, ticks: 1200 };
        let walked = angles(legs, size, &[Act { twist: [0.0; 3], ticks: 300, ..act.clone() }, act]);
        walked.iter().fold(Displacement::identity(), |way, (_, _, twist)| way.then(&twist.motion(0.01)))
    };
    for (legs, twist) in
        [(6, [0.08, 0.02, 0.0]), (6, [0.05, 0.0, 0.04]), (4, [0.03, -0.01, 0.01]), (8, [0.0, 0.06, 0.02])]
    {
        let own = way(legs, 1.0, twist);
        for size in [0.2, 0.3, 0.7, 3.0, 10.0].into_iter().filter(|size| legs != 4 || *size < 1.0) {
            let other = way(legs, size, twist);
            let (off, turned) = ((own.shift() - other.shift()).norm(), (own.angle() - other.angle()).abs());
            assert!(off < 0.01 * own.shift().norm(), "{off} m off {:?}, {size} times as large", own.shift());
            assert!(turned <= 0.01 * own.angle().abs() + 1e-9, "{turned} rad off {}", own.angle());
        }
    }
}

#[test]
fn when_a_robot_is_of_another_size_expect_the_stance_that_suits_it_in_its_own_measure() {
    let spec = |size: f64| StanceWish::default().suiting(&robot(6).enlarged(size)).unwrap();
    let own = spec(1.0);
    for size in [0.2, 0.3, 0.77, 3.0, 10.0] {
        assert!((size_of(&robot(6).enlarged(size)) - size).abs() < 1e-9);
        let other = spec(size);
        for (own, other) in [
            (own.height, other.height),
            (own.sit_height, other.sit_height),
            (own.step_height, other.step_height),
            (own.max_stride, other.max_stride),
        ] {
            assert!((other / size - own).abs() < 1e-9, "{other} of {own} m {size} times as large");
        }
    }
}

#[test]
fn when_a_robot_is_of_another_size_expect_motions_in_its_own_measure_played_alike() {
    let played = |size: f64| {
        let mut player = player(6, size);
        player.stand();
        (0..200).for_each(|_| _ = player.step(&Input::default(), 0.01));
        let home = player.engine().home();
        let offset = BodyOffset { translation: size * Vector3::new(0.02, -0.015, 0.01), ..BodyOffset::default() };
        let mut to = Pose { offset, ..home.pose };
        (to.feet[0].z, to.planted[0]) = (0.03 * size, false);
        let motion = Arc::new(Motion::pose_transition(6, &home.pose, &to, 1.0).unwrap());
        check(player.engine().robot(), &home, &motion, player.engine().self_collision()).unwrap();
        player.play(Some(motion));
        let mut all = Vec::new();
        for _ in 0..600 {
            all.extend(
                bits(&player.step(&Input::default(), 0.01).angles[..6]).iter().map(|&bits| f64::from_bits(bits)),
            );
        }
        assert_eq!(player.take_dropped(), None, "{size} times as large");
        all
    };
    let own = played(1.0);
    for size in [0.2, 0.3, 10.0] {
        let most = own.iter().zip(played(size)).map(|(own, other)| (own - other).abs()).fold(0.0, f64::max);
        assert!(most < 1e-6, "{most} rad off {size} times as large");
    }
}
