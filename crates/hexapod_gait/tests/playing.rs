//! The player on the shipped robot: whatever is asked at whatever moment, joints stay within their limits, nothing
//! jumps, no foot on the ground slips, the robot does not fall over and ends on its feet.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

use hexapod_gait::motion::{Blend, Home, LEAST_MARGIN_M, Motion, Player, Pose, Refusal, Shape, Steps, check};
use hexapod_gait::{
    Balance, BodyOffset, Engine, Gait, GaitState, Input, Motion as Rigid, Settings, StanceSpec, Tick, Twist,
    TwistLimits, leg_places,
};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

#[path = "common/robots.rs"]
mod robots;

fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| engine_of(6)).clone()
}

/// The shipped robot for six legs, one of the same legs for others.
fn engine_of(legs: usize) -> Engine {
    let robot = match legs {
        6 => Arc::new(Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap()),
        legs => robots::of_pairs(legs / 2),
    };
    let gait = Gait::try_new(&walking(legs), &leg_places(&robot)).unwrap();
    let stance = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
    let limits = TwistLimits {
        linear_velocity: 0.15,
        angular_velocity: 0.8,
        linear_acceleration: 0.3,
        angular_acceleration: 1.5,
        linear_jerk: 7.5,
        angular_jerk: 37.5,
    };
    Engine::new(robot, gait, Settings { stance, step_height: 0.03, limits, stand_time: 1.5, sit_time: 0.8 }).unwrap()
}

/// A tripod, or a crawl on four legs.
fn walking(legs: usize) -> hexapod_gait::GaitSpec {
    hexapod_gait::GaitSpec {
        duty_factor: if legs == 4 { 0.75 } else { 0.5 },
        cycle_time: if legs == 4 { 2.0 } else { 0.8 },
        lag: if legs == 4 { 0.25 } else { 0.5 },
        side_lag: 0.5,
        stable: legs != 4,
        ..Default::default()
    }
}

fn lifted(home: &Home, leg: usize, by: Vector3<f64>, lean: Vector3<f64>) -> Pose {
    let mut pose = home.pose;
    pose.offset.translation = lean;
    pose.feet[leg] += by;
    pose.planted[leg] = false;
    pose
}

fn leaning(home: &Home, z: f64, pitch: f64, yaw: f64) -> Pose {
    let offset = BodyOffset { translation: Vector3::new(0.0, 0.0, z), rotation: Vector3::new(0.0, pitch, yaw) };
    Pose { offset, ..home.pose }
}

fn moved(home: &Home, by: impl Fn(usize, usize) -> f64) -> [LegAngles; MAX_LEGS] {
    let mut angles = home.angles;
    for (leg, angles) in angles.iter_mut().enumerate() {
        angles.iter_mut().enumerate().for_each(|(joint, angle)| *angle += by(leg, joint));
    }
    angles
}

/// One of every kind, some of them faster than the joints can be.
fn motions() -> &'static [Arc<Motion>] {
    static MOTIONS: OnceLock<Vec<Arc<Motion>>> = OnceLock::new();
    MOTIONS.get_or_init(|| {
        let engine = engine();
        let (home, places) = (engine.home(), leg_places(engine.robot()));
        let steps = Steps { height: 0.03, cycle_time: 0.8, shape: Shape::Smooth };
        let sine = Steps { shape: Shape::Sine, ..steps };
        let low = lifted(&home, 3, Vector3::new(0.0, -0.04, 0.10), Vector3::new(-0.02, 0.01, 0.0));
        let high = lifted(&home, 3, Vector3::new(0.04, 0.01, 0.12), Vector3::new(-0.02, 0.01, 0.0));
        let (up, down) = (leaning(&home, 0.01, 0.1, 0.2), leaning(&home, -0.04, -0.1, -0.2));
        // A step to another place and no step back: the player has to put that foot right.
        let mut aside = home.pose;
        aside.feet[1] += Vector3::new(0.01, 0.02, 0.0);
        let over = lifted(&home, 1, Vector3::new(0.0, 0.01, 0.04), Vector3::zeros());
        let sway = moved(&home, |_, joint| if joint == 0 { 0.15 } else { 0.0 });
        let rise = moved(&home, |leg, joint| if joint == 1 && leg == 0 { 0.5 } else { 0.0 });
        let all = [
            Motion::feet(6, &[(0.4, low), (0.4, high)], Blend::Smooth, Some(2.0)),
            Motion::feet(6, &[(0.05, low), (0.05, high)], Blend::Linear, Some(-1.0)),
            Motion::feet(6, &[(0.3, up), (0.5, down)], Blend::Smooth, Some(-1.0)),
            Motion::feet(6, &[(0.0, home.pose), (0.4, over), (0.8, aside)], Blend::Smooth, None),
            Motion::pose_transition(6, &up, &down, 0.1),
            Motion::angle_transition(&home.angles, &rise, 0.6),
            Motion::joints(&[(0.3, sway), (0.2, home.angles), (0.5, rise)], Blend::Smooth, Some(3.0)),
            Motion::linear_walk(&home, &places, Vector2::new(0.05, -0.02), steps, 3.0),
            Motion::linear_walk(&home, &places, Vector2::new(-0.09, 0.0), sine, -1.0),
            Motion::rotary_walk(&home, &places, 0.4, steps, 2.0),
        ];
        let motions: Vec<Arc<Motion>> = all.into_iter().map(|motion| Arc::new(motion.unwrap())).collect();
        for (index, motion) in motions.iter().enumerate() {
            assert_eq!(check(engine.robot(), &home, motion), Ok(()), "motion {index}");
        }
        motions
    })
}

/// Follows the player from outside.
struct Observer {
    odom_from_footprint: Rigid,
    before: Tick,
    planted_at: [Option<Vector2<f64>>; MAX_LEGS],
    balance: Balance,
    of_joints: bool,
    dt: f64,
}

impl Observer {
    fn new(player: &Player, dt: f64) -> Self {
        Self {
            odom_from_footprint: Rigid::identity(),
            before: *player.last(),
            planted_at: [None; MAX_LEGS],
            balance: Balance::new(player.engine().robot()),
            of_joints: false,
            dt,
        }
    }

    fn check(&mut self, player: &Player, tick: &Tick) -> Result<(), TestCaseError> {
        self.odom_from_footprint = self.odom_from_footprint.then(&tick.twist.motion(self.dt));
        // Angles of joints may pull a foot over the ground: whoever asks for them knows.
        self.of_joints =
            (self.of_joints && player.is_playing()) || player.job().running().is_some_and(Motion::is_of_joints);
        for (i, leg) in player.engine().legs().iter().enumerate() {
            let foot = tick.footprint_from_body.transform_point(&leg.foot_in_body(&tick.angles[i]).into()).coords;
            for ((joint, &now), &then) in leg.joints().iter().zip(&*tick.angles[i]).zip(&*self.before.angles[i]) {
                let limits = joint.limits();
                prop_assert!((limits.lower..=limits.upper).contains(&now), "{} at {now}", joint.name());
                let step = (now - then).abs();
                prop_assert!(step <= limits.velocity * self.dt + 1e-9, "{} jumps {step}", joint.name());
            }
            if player.is_playing() {
                prop_assert!((foot - tick.feet[i]).norm() < 1e-8, "joints reach the feet");
                prop_assert!(foot.z > -1e-6, "no foot under the ground");
            }
            let fixed = player.is_playing() && !self.of_joints;
            let here = self.odom_from_footprint.apply(foot.xy());
            match (tick.contacts[i] && fixed, self.planted_at[i]) {
                (true, Some(planted)) => prop_assert!((here - planted).norm() < 1e-6, "leg {i} slips"),
                (true, None) => self.planted_at[i] = Some(here),
                (false, _) => self.planted_at[i] = None,
            }
        }
        if player.is_playing() {
            let margin = self.balance.of(tick).margin;
            prop_assert!(tick.state == GaitState::Playing && margin > 0.5 * LEAST_MARGIN_M, "margin {margin}");
        }
        self.before = *tick;
        Ok(())
    }
}

fn run(player: &mut Player, observer: &mut Observer, input: &Input, ticks: usize) -> Result<(), TestCaseError> {
    for _ in 0..ticks {
        let tick = *player.step(input, observer.dt);
        observer.check(player, &tick)?;
    }
    Ok(())
}

/// Ticks until the state is reached, at most `most`.
fn until(player: &mut Player, observer: &mut Observer, input: &Input, state: GaitState, most: usize) -> usize {
    for ticks in 0..most {
        run(player, observer, input, 1).unwrap();
        if player.last().state == state {
            return ticks + 1;
        }
    }
    panic!("{state:?} not within {most} ticks");
}

fn standing() -> (Player, Observer) {
    let mut player = Player::new(engine());
    let mut observer = Observer::new(&player, 0.01);
    player.stand();
    until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 400);
    (player, observer)
}

fn twist(vx: f64, vy: f64, wz: f64) -> Input {
    Input { twist: Twist::new(vx, vy, wz), ..Input::default() }
}

#[test]
fn when_any_motion_is_played_from_sitting_expect_it_played_and_the_robot_standing_afterwards() {
    for motion in motions() {
        let mut player = Player::new(engine());
        let mut observer = Observer::new(&player, 0.01);
        player.play(Some(Arc::clone(motion)));
        until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 400);
        let mut ticks = until(&mut player, &mut observer, &Input::default(), GaitState::Playing, 5);
        if motion.total_time() == Some(-1.0) {
            run(&mut player, &mut observer, &Input::default(), 300).unwrap();
            player.play(None);
        }
        ticks += until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 1000);
        let asked = motion.total_time().unwrap_or(motion.cycle_time());
        assert!(asked < 0.0 || ticks as f64 / 100.0 > asked, "{ticks} ticks for {asked} s");
        let home = player.engine().home();
        for leg in 0..6 {
            assert!(player.last().angles[leg].distance_squared(&home.angles[leg]) < 1e-12, "back at home");
        }
    }
}

#[test]
fn when_a_motion_walks_expect_its_distance() {
    let (mut player, mut observer) = standing();
    player.play(Some(Arc::clone(&motions()[7])));
    until(&mut player, &mut observer, &Input::default(), GaitState::Playing, 2);
    until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 1000);
    // 3 s asked for, 3.2 s to the end of the fourth cycle.
    let way = observer.odom_from_footprint.shift();
    assert!((way - Vector2::new(0.05, -0.02) * 3.2).norm() < 1e-6, "{way}");
}

#[test]
fn when_a_real_command_comes_expect_the_motion_broken_off_and_the_robot_walking() {
    for motion in motions() {
        for ticks in [1, 7, 40, 77, 130, 171] {
            let (mut player, mut observer) = standing();
            player.play(Some(Arc::clone(motion)));
            run(&mut player, &mut observer, &Input::default(), ticks).unwrap();
            let taken = until(&mut player, &mut observer, &twist(0.05, 0.0, 0.1), GaitState::Walking, 400);
            assert!(taken <= 260, "{taken} ticks until it walks");
            run(&mut player, &mut observer, &twist(0.05, 0.0, 0.1), 200).unwrap();
        }
    }
}

#[test]
fn when_asked_to_sit_in_the_middle_of_a_motion_expect_it_sitting_soon() {
    for motion in motions() {
        for ticks in [3, 55, 120] {
            let (mut player, mut observer) = standing();
            player.play(Some(Arc::clone(motion)));
            run(&mut player, &mut observer, &Input::default(), ticks).unwrap();
            player.sit();
            let taken = until(&mut player, &mut observer, &Input::default(), GaitState::Sitting, 400);
            assert!(taken <= 250, "{taken} ticks until it sits");
        }
    }
}

#[test]
fn when_a_motion_comes_at_the_very_tick_the_robot_is_about_to_sit_down_expect_it_played_after_standing_up() {
    let (mut player, mut observer) = standing();
    player.play(Some(Arc::clone(&motions()[2])));
    run(&mut player, &mut observer, &Input::default(), 100).unwrap();
    player.sit();
    while player.is_playing() {
        run(&mut player, &mut observer, &Input::default(), 1).unwrap();
    }
    player.play(Some(Arc::clone(&motions()[2])));
    until(&mut player, &mut observer, &Input::default(), GaitState::Sitting, 300);
    run(&mut player, &mut observer, &Input::default(), 400).unwrap();
    assert!(player.is_playing());
    player.stand();
    until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 300);
}

#[test]
fn when_stopped_in_the_middle_expect_commands_to_count_only_after_the_stick_is_let_go() {
    let (mut player, mut observer) = standing();
    player.play(Some(Arc::clone(&motions()[2])));
    run(&mut player, &mut observer, &Input::default(), 100).unwrap();
    player.stop();
    until(&mut player, &mut observer, &twist(0.05, 0.0, 0.0), GaitState::Standing, 300);
    run(&mut player, &mut observer, &twist(0.05, 0.0, 0.0), 50).unwrap();
    assert_eq!(player.last().state, GaitState::Standing);
    run(&mut player, &mut observer, &Input::default(), 1).unwrap();
    run(&mut player, &mut observer, &twist(0.05, 0.0, 0.0), 5).unwrap();
    assert_eq!(player.last().state, GaitState::Walking);
}

#[test]
fn when_the_straight_way_home_is_not_safe_expect_the_way_it_came() {
    let home = engine().home();
    let lifting = moved(&home, |leg, joint| if (leg, joint) == (1, 1) { 0.9 } else { 0.0 });
    let lying = moved(&home, |_, joint| if joint == 1 { 0.9 } else { 0.0 });
    // No check would let such a motion pass; the player has to cope all the same.
    let keys = [(0.0, home.angles), (1.0, lifting), (2.0, lying), (3.0, home.angles)];
    let (mut player, mut observer) = standing();
    player.play(Some(Arc::new(Motion::joints(&keys, Blend::Smooth, None).unwrap())));
    (0..200).for_each(|_| {
        player.step(&Input::default(), 0.01);
    });
    player.cancel();
    let mut nearest = f64::INFINITY;
    while player.is_playing() {
        let tick = *player.step(&Input::default(), 0.01);
        let off: f64 = (0..6).map(|leg| tick.angles[leg].distance_squared(&keys[1].1[leg])).sum();
        nearest = nearest.min(off.sqrt());
    }
    assert!(nearest < 0.03, "past the key between: {nearest}");
    observer.before = *player.last();
    run(&mut player, &mut observer, &Input::default(), 10).unwrap();
    assert_eq!(player.last().state, GaitState::Standing);
}

#[test]
fn when_keys_come_faster_than_joints_can_turn_expect_every_key_met_all_the_same() {
    let home = engine().home();
    let to = |angle: f64| moved(&home, |leg, joint| if (leg, joint) == (1, 0) { angle } else { 0.0 });
    let keys = [(0.0, to(0.0)), (0.004, to(0.5)), (0.008, to(-0.5)), (0.03, to(0.5)), (0.05, to(0.0))];
    let (mut player, mut observer) = standing();
    player.play(Some(Arc::new(Motion::joints(&keys, Blend::Smooth, None).unwrap())));
    let mut angles = vec![];
    until(&mut player, &mut observer, &Input::default(), GaitState::Playing, 3);
    while player.is_playing() {
        run(&mut player, &mut observer, &Input::default(), 1).unwrap();
        angles.push(player.last().angles[1][0] - home.angles[1][0]);
    }
    // A tick at the joint's greatest velocity may fall on both sides of a turn.
    let tick = 5.2 * 0.01;
    let (low, high) =
        angles.iter().fold((0.0, 0.0), |(low, high), &angle| (f64::min(low, angle), f64::max(high, angle)));
    assert!(low < -0.5 + tick && high > 0.5 - tick, "{low} {high}");
    assert!(angles.len() > 58, "3 rad at 5.2 rad/s take {} ticks", angles.len());
}

#[test]
fn when_played_after_a_walk_expect_the_feet_put_back_under_the_robot_first() {
    let (mut player, mut observer) = standing();
    run(&mut player, &mut observer, &twist(0.07, 0.03, 0.3), 533).unwrap();
    player.play(Some(Arc::clone(&motions()[0])));
    until(&mut player, &mut observer, &Input::default(), GaitState::Playing, 300);
    until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 1500);
}

#[test]
fn when_one_motion_follows_another_expect_the_first_to_finish_and_the_newest_to_follow() {
    let (mut player, mut observer) = standing();
    player.play(Some(Arc::clone(&motions()[2])));
    run(&mut player, &mut observer, &Input::default(), 150).unwrap();
    player.play(Some(Arc::clone(&motions()[3])));
    player.play(Some(Arc::clone(&motions()[0])));
    assert!(player.job().waiting().is_some_and(|waiting| *waiting == *motions()[0]));
    run(&mut player, &mut observer, &Input::default(), 200).unwrap();
    assert!(player.job().running().is_some_and(|running| *running == *motions()[0]));
    until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 1000);
}

#[test]
fn when_a_motion_would_tip_the_robot_over_or_breaks_a_limit_expect_it_refused() {
    let engine = engine();
    let home = engine.home();
    let refuse = |motion: Result<Motion, _>| check(engine.robot(), &home, &motion.unwrap()).unwrap_err();
    let mut toppling = home.pose;
    for leg in 0..3 {
        (toppling.feet[leg].z, toppling.planted[leg]) = (0.04, false);
    }
    assert!(matches!(refuse(Motion::pose_transition(6, &home.pose, &toppling, 1.0)), Refusal::Unstable { .. }));
    let far = lifted(&home, 0, Vector3::new(0.0, 0.3, 0.05), Vector3::zeros());
    assert!(matches!(refuse(Motion::pose_transition(6, &home.pose, &far, 1.0)), Refusal::Reach { .. }));
    let low = leaning(&home, -0.075, 0.0, 0.0);
    assert!(matches!(refuse(Motion::pose_transition(6, &home.pose, &low, 1.0)), Refusal::Belly { .. }));
    let bent = moved(&home, |leg, joint| if (leg, joint) == (2, 0) { 0.8 } else { 0.0 });
    let Refusal::Limits { joint, .. } = refuse(Motion::angle_transition(&home.angles, &bent, 1.0)) else { panic!() };
    assert_eq!(joint, engine.legs()[2].joints()[0].name());
    let squatting = moved(&home, |_, joint| if joint == 1 { 0.6 } else { 0.0 });
    assert!(matches!(refuse(Motion::angle_transition(&home.angles, &squatting, 1.0)), Refusal::Belly { .. }));
    let rearing = moved(&home, |leg, joint| match (leg, joint) {
        (0 | 3, 1) => -0.9,
        (2 | 5, 1) => 0.9,
        _ => 0.0,
    });
    assert!(matches!(refuse(Motion::angle_transition(&home.angles, &rearing, 1.0)), Refusal::Unstable { .. }));
    let fast = Steps { height: 0.03, cycle_time: 2.0, shape: Shape::Sine };
    let places = leg_places(engine.robot());
    let long = Motion::linear_walk(&home, &places, Vector2::new(0.3, 0.0), fast, 2.0);
    assert!(matches!(refuse(long), Refusal::Reach { .. }));
}

#[test]
fn when_a_motion_brings_two_legs_together_expect_it_refused_with_their_names() {
    let engine = engine_of(8);
    let home = engine.home();
    let meeting = |angle: f64| {
        let turned = moved(&home, |leg, joint| match (leg, joint) {
            (1, 0) => angle,
            (2, 0) => -angle,
            _ => 0.0,
        });
        check(engine.robot(), &home, &Motion::angle_transition(&home.angles, &turned, 1.0).unwrap())
    };
    assert_eq!(meeting(-0.3), Ok(()), "apart");
    let refusal = meeting(0.5).unwrap_err();
    assert!(matches!(refusal, Refusal::Collision { distance_mm, .. } if distance_mm < 20.0), "{refusal}");
    let names = [engine.legs()[1].name(), engine.legs()[2].name()];
    assert!(names.iter().all(|name| refusal.to_string().contains(name)), "{refusal}");
}

#[test]
fn when_ticking_through_motions_expect_no_allocation() {
    let (mut player, _) = standing();
    let kept: Vec<Arc<Motion>> = motions().to_vec();
    for (index, motion) in kept.iter().enumerate() {
        let next = Arc::clone(motion);
        let measured = allocation_counter::measure(|| {
            player.play(Some(next));
            for tick in 0..900 {
                if tick == 500 {
                    player.cancel();
                }
                player.step(&Input::default(), 0.01);
            }
        });
        assert_eq!(measured.count_total, 0, "allocations in motion {index}");
        assert_eq!(player.last().state, GaitState::Standing);
    }
}

#[test]
fn when_the_same_is_asked_twice_expect_the_same_bits() {
    let angles = || {
        let mut player = Player::new(engine());
        player.play(Some(Arc::clone(&motions()[6])));
        (0..700).map(|_| player.step(&Input::default(), 0.01).angles.map(|leg| leg.map_bits())).collect::<Vec<_>>()
    };
    assert!(angles() == angles());
}

trait Bits {
    fn map_bits(&self) -> Vec<u64>;
}

impl Bits for LegAngles {
    fn map_bits(&self) -> Vec<u64> {
        self.iter().map(|angle| angle.to_bits()).collect()
    }
}

/// What any robot that stands can do, with one leg lifted after the body has moved away from it.
fn simple_motions(engine: &Engine) -> Vec<Arc<Motion>> {
    let home = engine.home();
    let legs = engine.legs().len();
    let sway = moved(&home, |_, joint| if joint == 0 { 0.1 } else { 0.0 });
    let away = -0.1 * home.pose.feet[0];
    let lean = if legs == 4 { away } else { Vector3::zeros() };
    let up = lifted(&home, 0, Vector3::new(0.0, 0.0, 0.04), lean);
    let aside = lifted(&home, 0, Vector3::new(-0.02, 0.0, 0.05), lean);
    let all = [
        Motion::feet(
            legs,
            &[(0.4, leaning(&home, 0.01, 0.05, 0.1)), (0.5, leaning(&home, -0.03, -0.05, -0.1))],
            Blend::Smooth,
            Some(-1.0),
        ),
        Motion::feet(legs, &[(0.4, up), (0.4, aside)], Blend::Linear, Some(1.5)),
        Motion::joints(&[(0.3, sway), (0.3, home.angles)], Blend::Smooth, Some(1.0)),
    ];
    let motions: Vec<Arc<Motion>> = all.into_iter().map(|motion| Arc::new(motion.unwrap())).collect();
    for (index, motion) in motions.iter().enumerate() {
        assert_eq!(check(engine.robot(), &home, motion), Ok(()), "motion {index} on {legs} legs");
    }
    motions
}

#[test]
fn when_four_legs_have_walked_expect_the_body_to_lean_before_each_is_put_in_its_place() {
    let engine = engine_of(4);
    let motions = simple_motions(&engine);
    for seconds in [3.0, 4.1, 5.3, 6.7] {
        let mut player = Player::new(engine.clone());
        let mut observer = Observer::new(&player, 0.01);
        run(&mut player, &mut observer, &twist(0.03, 0.01, 0.1), (seconds * 100.0) as usize).unwrap();
        for motion in &motions {
            player.play(Some(Arc::clone(motion)));
            until(&mut player, &mut observer, &Input::default(), GaitState::Playing, 500);
            run(&mut player, &mut observer, &Input::default(), 500).unwrap();
            player.cancel();
            until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 800);
            run(&mut player, &mut observer, &twist(-0.03, 0.0, 0.1), 333).unwrap();
        }
    }
}

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
    let mut observer = Observer::new(&player, 1.0 / rate);
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
    // How the engine itself comes to rest on other leg counts is for its own tests to say.
    let at_rest = matches!(state, GaitState::Standing | GaitState::Sitting);
    prop_assert!(at_rest || player.engine().legs().len() != 6, "{state:?}");
    Ok(())
}

fn acts() -> impl Strategy<Value = Vec<(Act, usize)>> {
    prop::collection::vec((an_act(), 1usize..250), 1..60)
}

/// Runs of the property, of which the shipped robot gets most.
fn cases(part: u32) -> ProptestConfig {
    let cases: Option<u32> = std::env::var("HEXAPOD_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig::with_cases((cases.unwrap_or(300) / part).max(1))
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn when_anything_is_asked_at_any_moment_expect_no_jump_no_slip_no_fall(
        acts in acts(), rate in prop_oneof![Just(50.0), Just(100.0), Just(333.0), Just(1000.0)],
    ) {
        act_out(engine(), motions(), acts, rate)?;
    }
}

/// An engine and what it plays, made once.
type Cast = OnceLock<(Engine, Vec<Arc<Motion>>)>;

fn cast(cast: &'static Cast, legs: usize) -> (Engine, &'static [Arc<Motion>]) {
    let (engine, motions) = cast.get_or_init(|| {
        let engine = engine_of(legs);
        let motions = simple_motions(&engine);
        (engine, motions)
    });
    (engine.clone(), motions)
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn when_anything_is_asked_of_eight_legs_expect_no_jump_no_slip_no_fall(acts in acts()) {
        static EIGHT: Cast = OnceLock::new();
        let (engine, motions) = cast(&EIGHT, 8);
        act_out(engine, motions, acts, 100.0)?;
    }

    #[test]
    fn when_anything_is_asked_of_four_legs_expect_no_jump_no_slip_no_fall(acts in acts()) {
        static FOUR: Cast = OnceLock::new();
        let (engine, motions) = cast(&FOUR, 4);
        act_out(engine, motions, acts, 100.0)?;
    }
}
