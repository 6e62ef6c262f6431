//! The player on the shipped robot and on four legs: what is asked for is played, from wherever the robot is, and ends
//! with the robot standing at home.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::player::{crawling, motions, moved, observer, run, shipped, simple_motions, standing, until};
use crate::common::{bits, twist};
use hexapod_gait::motion::{Blend, Motion, Player};
use hexapod_gait::{GaitState, Input};
use nalgebra::Vector2;
use std::sync::Arc;

#[test]
fn when_any_motion_is_played_from_sitting_expect_it_played_and_the_robot_standing_afterwards() {
    for motion in motions() {
        let mut player = Player::new(shipped());
        let mut observer = observer(&player, 0.01);
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
fn when_ticks_take_next_to_no_time_expect_finite_ones_and_the_motion_to_wait() {
    for motion in motions() {
        let mut player = Player::new(shipped());
        player.play(Some(Arc::clone(motion)));
        for dt in [0.01, 5e-324, 1e-310, 4e-10, 6e-10, f64::NAN, -1.0].repeat(600) {
            let before = *player.last();
            let tick = player.step(&Input::default(), dt);
            let velocities = tick.velocities.iter().flat_map(|leg| leg.iter()).copied();
            let twist = [tick.twist.vx, tick.twist.vy, tick.twist.wz];
            assert!(velocities.chain(twist).all(f64::is_finite), "over {dt} s");
            let far = (0..6).map(|leg| tick.angles[leg].distance_squared(&before.angles[leg])).fold(0.0, f64::max);
            assert!(dt > 5e-10 || far < 1e-20, "{far} over {dt:e} s");
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
    let way = observer.odom_from_body.shift();
    assert!((way - Vector2::new(0.05, -0.02) * 3.2).norm() < 1e-6, "{way}");
}

#[test]
fn when_keys_come_faster_than_joints_can_turn_expect_every_key_met_all_the_same() {
    let home = shipped().home();
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
fn when_four_legs_have_walked_expect_the_body_to_lean_before_each_is_put_in_its_place() {
    let engine = crawling();
    let motions = simple_motions(&engine);
    for seconds in [3.0, 4.1, 5.3, 6.7] {
        let mut player = Player::new(engine.clone());
        let mut observer = observer(&player, 0.01);
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
        let mut player = Player::new(shipped());
        player.play(Some(Arc::clone(&motions()[6])));
        (0..700).map(|_| bits(&player.step(&Input::default(), 0.01).angles)).collect::<Vec<_>>()
    };
    assert!(angles() == angles());
}
