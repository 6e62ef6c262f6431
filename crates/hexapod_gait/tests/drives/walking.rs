//! The engine on the shipped robot: whatever is asked of it, feet do not slip, joints do not jump, the robot does not
//! fall over.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, drive, felt_above, gait, specs, twist};
use hexapod_gait::{BodyOffset, Engine, GaitSpec, GaitState, Input, LimitedBy, SwingProfile, Twist, TwistLimits};
use hexapod_kinematics::LegAngles;
use nalgebra::Vector3;
use proptest::prelude::*;

fn engine() -> Engine {
    crate::common::engine(6)
}

#[test]
fn when_a_twist_comes_to_a_sitting_robot_expect_it_to_stand_walk_stop_and_sit() {
    let mut engine = engine();
    let mut observer = Observer::new(&engine, 0.01);
    let input = twist(0.06, 0.0, 0.0);
    drive(&mut engine, &mut observer, &input, 1).unwrap();
    assert_eq!(engine.last().state, GaitState::Playing);
    drive(&mut engine, &mut observer, &input, 400).unwrap();
    assert_eq!(engine.last().state, GaitState::Walking);
    let start = observer.odom_from_body.shift();
    drive(&mut engine, &mut observer, &input, 1000).unwrap();
    let way = observer.odom_from_body.shift() - start;
    assert!((way.x - 0.6).abs() < 1e-9 && way.y.abs() < 1e-12, "{way}");
    let mut ticks = 0;
    while engine.last().state != GaitState::Standing {
        drive(&mut engine, &mut observer, &Input::default(), 1).unwrap();
        ticks += 1;
        assert!(ticks <= 100, "planted within a second");
    }
    engine.sit();
    drive(&mut engine, &mut observer, &Input::default(), 220).unwrap();
    assert_eq!(engine.last().state, GaitState::Sitting);
}

#[test]
fn when_every_kind_of_twist_is_walked_expect_it_reached() {
    for (vx, vy, wz) in [(0.06, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, 0.0, 0.4), (0.05, 0.02, -0.3), (-0.08, 0.0, 0.1)] {
        let mut engine = engine();
        let mut observer = Observer::new(&engine, 0.01);
        drive(&mut engine, &mut observer, &twist(vx, vy, wz), 3000).unwrap();
        assert_eq!(engine.last().twist, Twist::new(vx, vy, wz), "limited by {:?}", engine.last().limited_by);
    }
}

/// Half a sine comes down at speed: a foot is put down from the last nanoseconds of its swing, and another event may follow
/// in less time than any joint needs for that.
#[test]
fn when_feet_swing_in_any_shape_expect_full_speed_walked_on() {
    for spec in specs(6) {
        for swing in [SwingProfile::Smooth, SwingProfile::Sine, SwingProfile::Searching] {
            for (vx, vy, wz) in [(0.15, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, 0.0, 0.8), (0.1, 0.05, -0.3)] {
                let mut engine = crate::common::engine_with(6, &GaitSpec { swing, ..spec.clone() });
                let input = twist(vx, vy, wz);
                for _ in 0..3000 {
                    let by = engine.step(&input, 0.01).limited_by;
                    assert!(by < LimitedBy::Kinematics, "{swing:?} of {spec:?} at {vx}, {vy}, {wz}: {by:?}");
                }
            }
        }
    }
}

#[test]
fn when_numbers_mean_nothing_expect_what_was_set_before_to_hold_and_finite_ticks() {
    let mut engine = engine();
    let (height, limits) = (engine.step_height(), engine.limits());
    engine.set_step_height(f64::NAN);
    let with = |linear_acceleration, angular_jerk| TwistLimits { linear_acceleration, angular_jerk, ..limits };
    engine.set_limits(with(-0.3, f64::NAN));
    assert_eq!((engine.step_height(), engine.limits()), (height, limits));
    engine.set_limits(with(0.2, 0.0));
    assert_eq!(engine.limits(), with(0.2, 0.0));
    engine.set_limits(limits);
    for dt in [0.01, 5e-324, 4e-10, f64::NAN, -1.0, 6e-10, 0.01].repeat(100) {
        let tick = engine.step(&twist(0.06, 0.0, 0.0), dt);
        assert!(tick.velocities.iter().flat_map(|leg| leg.iter()).all(|velocity| velocity.is_finite()), "over {dt} s");
    }
    let folded = [LegAngles::zeros(3); 7];
    assert!(engine.with_packed_pose(Some(&folded)).unwrap_err().to_string().contains("7 folded legs, and 6 legs"));
}

#[test]
fn when_stopped_by_hand_expect_commands_to_count_only_after_the_stick_is_let_go() {
    let mut engine = engine();
    let mut observer = Observer::new(&engine, 0.01);
    drive(&mut engine, &mut observer, &twist(0.06, 0.0, 0.0), 500).unwrap();
    engine.stop();
    drive(&mut engine, &mut observer, &twist(0.06, 0.0, 0.0), 300).unwrap();
    assert_eq!(engine.last().state, GaitState::Standing);
    drive(&mut engine, &mut observer, &Input::default(), 1).unwrap();
    drive(&mut engine, &mut observer, &twist(0.06, 0.0, 0.0), 10).unwrap();
    assert_eq!(engine.last().state, GaitState::Walking);
}

#[test]
fn when_a_gait_is_set_and_set_back_at_once_expect_the_first_walked_on() {
    let mut engine = engine();
    let mut observer = Observer::new(&engine, 0.01);
    drive(&mut engine, &mut observer, &twist(0.06, 0.0, 0.0), 400).unwrap();
    let (before, slower) = (*engine.gait(), gait(engine.robot(), &specs(6)[2]));
    engine.set_gait(slower);
    engine.set_gait(before);
    drive(&mut engine, &mut observer, &twist(0.06, 0.0, 0.0), 100).unwrap();
    assert_eq!((*engine.gait(), engine.last().state), (before, GaitState::Walking));
    engine.set_gait(slower);
    drive(&mut engine, &mut observer, &twist(0.06, 0.0, 0.0), 400).unwrap();
    assert_eq!((*engine.gait(), engine.last().state), (slower, GaitState::Walking));
}

#[test]
fn when_ticking_through_every_posture_expect_no_allocation() {
    let mut engine = engine();
    let mut input = twist(0.06, 0.02, 0.2);
    input.body_offset.rotation.x = 0.05;
    let measured = allocation_counter::measure(|| {
        for tick in 0..2000 {
            if tick == 1500 {
                engine.sit();
            }
            engine.step(&input, 0.01);
        }
    });
    assert_eq!(measured.count_total, 0, "allocations in the tick");
    assert_eq!(engine.last().state, GaitState::Sitting);
}

#[test]
fn when_feet_feel_the_ground_in_every_tick_expect_no_allocation_and_feet_held_above_their_path() {
    let (mut engine, walking) = (engine(), twist(0.06, 0.0, 0.2));
    let mut highest = 0.0f64;
    let measured = allocation_counter::measure(|| {
        for _ in 0..2000 {
            let now = engine.step(&felt_above(&engine, &walking), 0.01);
            let standing = now.feet.iter().zip(now.contacts).filter(|(_, stands)| *stands);
            highest = standing.map(|(foot, _)| foot.z.abs()).fold(highest, f64::max);
        }
    });
    assert_eq!(measured.count_total, 0, "allocations in the tick");
    assert!(highest > 1e-3, "no foot has felt the ground: {highest} m");
}

#[test]
fn when_stopped_with_a_pose_that_leaves_no_room_expect_the_robot_to_stand() {
    let mut engine = engine();
    let dt = 1.0 / 333.0;
    let mut observer = Observer::new(&engine, dt);
    let pose = |t: [f64; 3], r: [f64; 3]| BodyOffset { translation: t.into(), rotation: r.into() };
    let body_offset = pose([-0.038, 5.926, 3.745], [0.0058, -0.1878, 0.1623]);
    let mut input = Input { body_offset, ..Input::default() };
    engine.stand();
    drive(&mut engine, &mut observer, &input, 500).unwrap();
    input.twist = Twist::new(0.0, 3e8, 0.0);
    drive(&mut engine, &mut observer, &input, 119).unwrap();
    input.body_offset = pose([-0.0235, 2.8227, -0.0279], [0.124, 0.055, -0.0795]);
    drive(&mut engine, &mut observer, &input, 107).unwrap();
    input.twist = Twist::new(0.184, 0.138, 0.0);
    drive(&mut engine, &mut observer, &input, 62).unwrap();
    engine.stop();
    drive(&mut engine, &mut observer, &input, 7).unwrap();
    input.twist = Twist::ZERO;
    drive(&mut engine, &mut observer, &input, 2600).unwrap();
    assert_eq!(engine.last().state, GaitState::Standing);
}

#[test]
fn when_poses_come_in_a_walk_as_from_a_stick_expect_the_body_to_follow() {
    // At 100 and at 20 Hz.
    for every in [1, 5] {
        let mut engine = engine();
        let mut observer = Observer::new(&engine, 0.01);
        let mut input = twist(0.05, 0.0, 0.0);
        drive(&mut engine, &mut observer, &input, 500).unwrap();
        let mut squares = 0.0;
        for turn in 0..2000 / every {
            let asked = 0.1 * (0.25 * std::f64::consts::TAU * f64::from(turn * every) * 0.01).sin();
            input.body_offset.rotation.x = asked;
            drive(&mut engine, &mut observer, &input, every as usize).unwrap();
            let (roll, _, _) = engine.last().footprint_from_body.rotation.euler_angles();
            squares += (roll - asked) * (roll - asked);
        }
        // It waits where its feet have to come in first.
        let behind = (squares / f64::from(2000 / every)).sqrt();
        assert!(behind < 0.03, "{behind} rad of 0.07 on the mean");
        assert_eq!(engine.last().state, GaitState::Walking);
    }
}

#[test]
fn when_a_standing_body_is_barred_along_one_axis_expect_it_to_come_back_along_another() {
    let pose = |x: f64, y: f64| {
        let translation = Vector3::new(x, y, 0.06);
        Input { body_offset: BodyOffset { translation, ..BodyOffset::default() }, ..Input::default() }
    };
    let mut engine = engine();
    engine.stand();
    let mut observer = Observer::new(&engine, 0.01);
    let mut posed = |x, y| {
        drive(&mut engine, &mut observer, &pose(x, y), 800).unwrap();
        engine.last().footprint_from_body.translation.vector.xy()
    };
    posed(0.0, 0.0);
    let ahead = posed(0.06, 0.0);
    assert!(ahead.x > 0.01 && ahead.x < 0.02, "{} m with legs that are nearly straight", ahead.x);
    let aside = posed(0.0, -0.03);
    assert!(aside.x.abs() < 1e-9 && aside.y < -0.008, "{aside}");
}

#[test]
fn when_a_standing_body_cannot_be_shifted_as_far_as_asked_expect_it_turned_all_the_same() {
    let pose = |x: f64, roll: f64| Input {
        body_offset: BodyOffset { translation: Vector3::new(x, 0.0, 0.0), rotation: Vector3::new(roll, 0.0, 0.0) },
        ..Input::default()
    };
    let mut engine = engine();
    engine.stand();
    let mut observer = Observer::new(&engine, 0.01);
    let mut posed = |x, roll, ticks| {
        drive(&mut engine, &mut observer, &pose(x, roll), ticks).unwrap();
        let body = engine.last().footprint_from_body;
        [body.translation.x, body.rotation.angle()]
    };
    let is =
        |[x, roll]: [f64; 2], expected: [f64; 2]| (x - expected[0]).abs() < 1e-9 && (roll - expected[1]).abs() < 1e-9;
    assert!(is(posed(0.0, 0.35, 800), [0.0, 0.35]));
    let [shifted, turned] = posed(0.06, 0.35, 800);
    assert!(shifted > 0.03 && shifted < 0.05 && (turned - 0.35).abs() < 1e-9, "{shifted} m, {turned} rad");
    // Upright again there is room for all of the shift.
    assert!(is(posed(0.06, 0.0, 300), [0.06, 0.0]));
}

#[test]
fn when_the_body_stands_at_the_edge_of_its_reach_expect_it_to_walk_all_the_same() {
    let turned = Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        for sign in [1e9, -1e9] {
            let mut engine = engine();
            engine.stand();
            let mut observer = Observer::new(&engine, 0.01);
            let mut input =
                Input { body_offset: BodyOffset { translation: axis * sign, rotation: turned }, ..Input::default() };
            drive(&mut engine, &mut observer, &input, 300).unwrap();
            input.twist = Twist::new(0.05, 0.0, 0.2);
            drive(&mut engine, &mut observer, &input, 600).unwrap();
            assert_eq!(engine.last().state, GaitState::Walking, "{axis} {sign}");
            assert!(engine.last().twist.vx > 1e-3, "{axis} {sign}: {:?}", engine.last().twist);
        }
    }
}

#[derive(Clone, Debug)]
enum Act {
    Drive(Twist),
    Pose(BodyOffset),
    Stand,
    Sit,
    Stop,
}

fn act() -> impl Strategy<Value = Act> {
    let extreme = prop_oneof![4 => -0.2..0.2f64, 1 => -1e9..1e9f64, 1 => Just(0.0), 1 => Just(f64::NAN)];
    let twist =
        (extreme.clone(), extreme.clone(), extreme).prop_map(|(vx, vy, wz)| Act::Drive(Twist::new(vx, vy, 5.0 * wz)));
    let fraction = prop_oneof![3 => -0.05..0.05f64, 1 => -10.0..10.0f64];
    let pose = prop::array::uniform6(fraction).prop_map(|p| {
        Act::Pose(BodyOffset {
            translation: Vector3::new(p[0], p[1], p[2]),
            rotation: 4.0 * Vector3::new(p[3], p[4], p[5]),
        })
    });
    prop_oneof![12 => twist, 3 => pose, 1 => Just(Act::Stand), 1 => Just(Act::Sit), 1 => Just(Act::Stop)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_driven_at_random_expect_no_slip_no_jump_no_fall(
        acts in prop::collection::vec((act(), 1usize..150), 1..60), rate in prop_oneof![Just(50.0), Just(100.0), Just(333.0)],
    ) {
        let mut engine = engine();
        let mut observer = Observer::new(&engine, 1.0 / rate);
        let mut input = Input::default();
        for (act, ticks) in acts {
            match act {
                Act::Drive(twist) => input.twist = twist,
                Act::Pose(offset) => input.body_offset = offset,
                Act::Stand => engine.stand(),
                Act::Sit => engine.sit(),
                Act::Stop => engine.stop(),
            }
            drive(&mut engine, &mut observer, &input, ticks)?;
        }
        // Whatever has happened, silence ends with the robot planted and at rest.
        drive(&mut engine, &mut observer, &Input::default(), (8.0 * rate) as usize)?;
        prop_assert!(matches!(engine.last().state, GaitState::Standing | GaitState::Sitting), "{:?}", engine.last().state);
    }
}
