//! A motion that is broken off, to walk, to sit down, to stop, ends in order, and to sit down it does not take its time.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::player::{motions, moved, observer, run, shipped, standing, until};
use crate::common::{engine, twist};
use hexapod_gait::motion::{Blend, Motion, Player, check};
use hexapod_gait::{GaitState, Input};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use proptest::prelude::*;
use std::sync::Arc;

const DT: f64 = 0.01;
/// More than it takes to sit.
const SITTING_TICKS: usize = 350;

/// A trajectory of some joints that the robot can play, if these keys make one.
fn trajectory(player: &Player, keys: &[(f64, Vec<f64>)], joint: Option<usize>) -> Option<Arc<Motion>> {
    let (robot, home) = (player.engine().robot(), player.engine().home());
    let mut time = 0.0;
    let mut all = vec![(0.0, home.angles)];
    for (seconds, offsets) in keys {
        time += seconds;
        let mut angles: [LegAngles; MAX_LEGS] = home.angles;
        let mut offsets = offsets.iter();
        for (angles, leg) in angles.iter_mut().zip(robot.legs()) {
            for (index, each) in leg.joints().iter().enumerate() {
                let offset = offsets.next().unwrap();
                if joint.is_none_or(|only| only == index) {
                    angles[index] = (angles[index] + offset).clamp(each.limits().lower, each.limits().upper);
                }
            }
        }
        all.push((time, angles));
    }
    let motion = Motion::joints(&all, Blend::Smooth, None).ok()?;
    check(robot, &home, &motion, player.engine().self_collision()).ok().map(|()| Arc::new(motion))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn when_asked_to_sit_in_the_middle_of_a_long_trajectory_expect_it_sitting_before_the_goodbye_is_over(
        legs in prop_oneof![Just(6usize), Just(8)],
        keys in prop::collection::vec((0.5..20.0f64, prop::collection::vec(-0.35..0.35f64, 24)), 1..6),
        joint in prop_oneof![2 => Just(None), 1 => (0usize..3).prop_map(Some)], fraction in 0.0..1.0f64,
    ) {
        let mut player = Player::new(engine(legs));
        let motion = trajectory(&player, &keys, joint);
        prop_assume!(motion.is_some());
        let motion = motion.unwrap();
        player.stand();
        for _ in 0..300 {
            player.step(&Input::default(), DT);
        }
        player.play(Some(Arc::clone(&motion)));
        for _ in 0..20 + (fraction * motion.cycle_time() / DT) as usize {
            player.step(&Input::default(), DT);
        }
        let mut before = *player.last();
        player.sit();
        let mut ticks = 0;
        while player.last().state != GaitState::Sitting {
            let tick = *player.step(&Input::default(), DT);
            for (leg, (now, then)) in player.engine().legs().iter().zip(tick.angles.iter().zip(&before.angles)) {
                for (joint, (now, then)) in leg.joints().iter().zip(now.iter().zip(then.iter())) {
                    prop_assert!((now - then).abs() <= joint.limits().velocity * DT + 1e-9, "{} jumps", joint.name());
                }
            }
            before = tick;
            ticks += 1;
            prop_assert!(ticks <= SITTING_TICKS, "{:?} after {ticks} ticks", tick.state);
        }
        prop_assert!(before.contacts[..legs].iter().all(|&down| down));
    }
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

/// A joint that has only just begun to lift its leg leaves the foot within a rounding of the ground: it counts as down only
/// where the joints have it there.
#[test]
fn when_asked_to_sit_in_the_first_moments_of_a_motion_of_joints_expect_the_feet_where_the_joints_have_them() {
    const FINE: f64 = 0.001;
    let (mut player, _) = standing();
    player.play(Some(Arc::clone(&motions()[5])));
    while player.job().time() < 0.02 {
        player.step(&Input::default(), FINE);
        let mut other = player.clone();
        let mut observer = observer(&other, FINE);
        observer.resume(other.last());
        other.sit();
        run(&mut other, &mut observer, &Input::default(), 400).unwrap();
        until(&mut other, &mut observer, &Input::default(), GaitState::Sitting, 2000);
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
    let home = shipped().home();
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
    observer.resume(player.last());
    run(&mut player, &mut observer, &Input::default(), 10).unwrap();
    assert_eq!(player.last().state, GaitState::Standing);
}
