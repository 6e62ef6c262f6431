//! The longest time until a robot sits, derived from what it is set to: never too short, and not far too long.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::player::{motions, standing};
use crate::common::random::{Act, Random, any_engine};
use crate::common::{gait, robot, settings, specs};
use hexapod_gait::motion::Player;
use hexapod_gait::{BodyOffset, Ending, Engine, GaitSpec, GaitState, Input, Settings, Twist, TwistLimits};
use proptest::prelude::*;
use std::sync::Arc;

const DT: f64 = 0.02;

fn even(random: &mut Random, least: f64, greatest: f64) -> f64 {
    (random.range(least.ln(), greatest.ln())).exp()
}

fn any_limits(random: &mut Random) -> TwistLimits {
    TwistLimits {
        linear_velocity: even(random, 0.01, 2.0),
        angular_velocity: even(random, 0.05, 6.0),
        linear_acceleration: even(random, 0.01, 10.0),
        angular_acceleration: even(random, 0.05, 50.0),
        linear_jerk: even(random, 0.1, 1000.0),
        angular_jerk: even(random, 0.5, 5000.0),
    }
}

/// A gait of any cycle time, as `gaits.yaml` may have it.
fn any_gait(random: &mut Random, legs: usize) -> GaitSpec {
    let all = specs(legs);
    let spec = all[random.index(all.len())].clone();
    GaitSpec { cycle_time: even(random, 0.3, 12.0), least_cycle_time: None, ..spec }
}

/// The robot of six legs, set to anything.
fn any_settings(random: &mut Random) -> Engine {
    let shipped = settings();
    let settings = Settings {
        step_height: random.range(0.0, 0.05),
        limits: any_limits(random),
        stand_time: even(random, 0.3, 20.0),
        sit_time: even(random, 0.3, 20.0),
        ..shipped
    };
    let robot = robot(6);
    let first = gait(&robot, &any_gait(random, 6));
    Engine::new(robot, first, settings).unwrap()
}

/// What the robot does for a while; its feet may feel the ground anywhere.
fn lead(player: &mut Player, random: &mut Random, specs: &[GaitSpec], felt: bool) -> Input {
    let mut input = Input::default();
    player.stand();
    for _ in 0..1 + random.index(8) {
        let act = Act::any(random);
        match act {
            Act::Stand => player.stand(),
            Act::Sit => player.sit(),
            _ => act.ask(player.engine_mut(), specs, &mut input),
        }
        if random.index(6) == 0 {
            let limits = any_limits(random);
            player.engine_mut().set_limits(limits);
        }
        for _ in 0..random.index(300) {
            if felt {
                let ground = random.range(-0.01, 0.02);
                input.contacts = player.last().feet.map(|foot| Some(foot.z <= ground));
            }
            player.step(&input, DT);
        }
    }
    Input { twist: Twist::ZERO, body_offset: BodyOffset::default(), ..input }
}

/// The time it takes from here until the robot sits, and how long it may take, s.
fn taken(player: &mut Player, input: &Input) -> (f64, f64) {
    let longest = Ending::of_player(player).seconds();
    let mut ticks = 0.0;
    player.sit();
    while player.last().state != GaitState::Sitting && ticks * DT <= longest + 60.0 {
        player.step(input, DT);
        ticks += 1.0;
    }
    (ticks * DT, longest)
}

fn end_any_robot(seed: u64) -> Result<(), TestCaseError> {
    let mut random = Random(seed | 1);
    let (engine, specs) = any_engine(&mut random);
    let mut player = Player::new(engine);
    let input = lead(&mut player, &mut random, &specs, false);
    let (state, ending) = (player.last().state, Ending::of_player(&player));
    let (taken, longest) = taken(&mut player, &input);
    prop_assert!(taken <= longest, "{state:?} took {taken} s of {longest}: {ending:?}");
    Ok(())
}

#[test]
fn when_a_robot_once_never_sat_down_expect_it_seated_now() {
    // A leg whose joints were too fast for the way it was put down; a body that swayed between bars.
    for seed in [2_860_082_324_030_695_882, 9_399_078_127_247_763_454] {
        end_any_robot(seed).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_any_settings_are_ended_at_any_moment_expect_the_robot_seated_within_what_is_derived(seed: u64) {
        let mut random = Random(seed | 1);
        let engine = any_settings(&mut random);
        let gaits: Vec<_> = (0..3).map(|_| any_gait(&mut random, 6)).collect();
        let mut player = Player::new(engine);
        let felt = random.index(3) == 0;
        let input = lead(&mut player, &mut random, &gaits, felt);
        let (state, ending) = (player.last().state, Ending::of_player(&player));
        let (taken, longest) = taken(&mut player, &input);
        prop_assert!(taken <= longest, "{state:?} took {taken} s of {longest}: {ending:?}");
    }

    #[test]
    fn when_any_robot_is_ended_at_any_moment_expect_it_seated_within_what_is_derived(seed: u64) {
        end_any_robot(seed)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_any_settings_are_ended_at_many_moments_expect_no_more_derived_than_twice_what_it_took_and_some_cycles(seed: u64) {
        let mut random = Random(seed | 1);
        let engine = any_settings(&mut random);
        let (mut longest_taken, mut longest) = (0.0f64, 0.0f64);
        for moment in 0..9 {
            // As fast as it may, each way.
            let mut twist = [0.0; 3];
            twist[moment % 3] = 10.0;
            let input = Input { twist: Twist::new(twist[0], twist[1], twist[2]), ..Input::default() };
            let mut player = Player::new(engine.clone());
            // With brakes that become as gentle as they are just before.
            let limits = engine.limits();
            let fierce = TwistLimits { linear_acceleration: 10.0, angular_acceleration: 50.0, ..limits };
            player.engine_mut().set_limits(fierce);
            player.stand();
            let until_fast = (40.0 / DT) as usize;
            (0..until_fast + random.index(600)).for_each(|_| _ = player.step(&input, DT));
            player.engine_mut().set_limits(limits);
            let braking_s = Ending::of_player(&player).braking_s;
            let (taken, allowed) = taken(&mut player, &Input::default());
            (longest_taken, longest) = (longest_taken.max(taken), longest.max(allowed - 1.1 * braking_s));
        }
        // Steps may be shorter than they could be, so that the body never gets as fast as its brakes are asked about; and
        // feet may have to be put back, which takes up to three cycles more, and some.
        let treading = 4.0 * engine.gait().cycle_time();
        prop_assert!(longest <= 2.0 * longest_taken + treading + 6.0, "{longest} s for {longest_taken}");
    }

    #[test]
    fn when_any_motion_is_broken_off_to_sit_expect_the_robot_seated_within_what_is_derived(seed: u64) {
        let mut random = Random(seed | 1);
        for motion in motions() {
            let mut player = standing().0;
            player.play(Some(Arc::clone(motion)));
            (0..random.index(200)).for_each(|_| _ = player.step(&Input::default(), DT));
            let (taken, longest) = taken(&mut player, &Input::default());
            prop_assert!(taken <= longest, "{taken} s of {longest}: {motion:?}");
        }
    }
}
