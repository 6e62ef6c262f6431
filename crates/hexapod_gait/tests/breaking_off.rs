//! A motion that is broken off to sit down does not take its time: the process ends 2.75 s after it was told to.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

mod common;

use common::engine;
use hexapod_gait::motion::{Blend, Motion, Player, check};
use hexapod_gait::{GaitState, Input};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use proptest::prelude::*;
use std::sync::Arc;

const DT: f64 = 0.01;
/// The process waits so long for the robot to sit.
const GOODBYE_TICKS: usize = 275;

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
    check(robot, &home, &motion).ok().map(|()| Arc::new(motion))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn when_told_to_sit_in_the_middle_of_a_long_trajectory_expect_it_sitting_before_the_goodbye_is_over(
        legs in prop_oneof![Just(6usize), Just(8)],
        keys in prop::collection::vec((0.5..20.0f64, prop::collection::vec(-0.35..0.35f64, 24)), 1..6),
        joint in prop_oneof![2 => Just(None), 1 => (0usize..3).prop_map(Some)], part in 0.0..1.0f64,
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
        for _ in 0..20 + (part * motion.cycle_time() / DT) as usize {
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
            prop_assert!(ticks <= GOODBYE_TICKS, "{:?} after {ticks} ticks", tick.state);
        }
        prop_assert!(before.contacts[..legs].iter().all(|&down| down));
    }
}
