//! The distance of the centre of mass from the edge of the support, whatever the course and whatever the legs weigh.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::random::Random;
use crate::common::{Build, LIMITS, built, engine_with, gait, specs, twist};
use hexapod_gait::{Balance, Engine, GaitSpec, GaitState, Input, Settings, StanceWish};
use hexapod_kinematics::Robot;
use proptest::prelude::*;
use std::sync::Arc;

const DT: f64 = 0.01;
const KEPT_M: f64 = 0.01;
/// What five heavy legs keep, whose reach does not always let them lean as far as they should: of 6000 robots, 8 kept less than
/// 4 mm, the least 2.8.
const KEPT_BY_FIVE_M: f64 = 0.002;
const COURSES: usize = 20;
const WHOLE_KG: f64 = 2.5;

/// An engine of a robot of this many heavy legs, each with 8 to 15 % of the whole mass, anywhere in it.
fn heavy(legs: usize, random: &mut Random) -> Option<Engine> {
    let mut build = Build::of(legs);
    build.spacing *= random.range(0.7, 1.3);
    build.width *= random.range(0.7, 1.3);
    build.lengths = build.lengths.map(|length| length * random.range(0.8, 1.25));
    let fraction = random.range(0.08, if legs == 8 { 0.11 } else { 0.15 });
    let weights = [0.0; 3].map(|_| random.range(0.2, 1.0));
    build.masses = weights.map(|weight| WHOLE_KG * fraction * weight / weights.iter().sum::<f64>());
    build.body_mass = WHOLE_KG * (1.0 - fraction * legs as f64);
    let robot = Arc::new(Robot::from_urdf(&built(&build)).unwrap());
    let stance = StanceWish::default().stance(&robot).ok()?;
    let spec = stance.spec();
    let settings = Settings {
        stance: spec,
        step_height: 0.6 * spec.step_height,
        limits: LIMITS,
        stand_time: 1.5,
        sit_time: 0.8,
        leg_clearance: hexapod_gait::LegClearance::default(),
    };
    let first = gait(&robot, &specs(legs)[0]);
    Some(Engine::with_stance(robot, first, settings, stance))
}

/// The least margin (m) of a robot that is driven on one course after another, with these gaits by turns.
fn least_margin(engine: &mut Engine, gaits: &[GaitSpec], random: &mut Random) -> f64 {
    let balance = Balance::new(engine.robot());
    engine.stand();
    while engine.step(&Input::default(), DT).state != GaitState::Standing {}
    let mut least = f64::INFINITY;
    for _ in 0..COURSES {
        let mut any = |most: f64| if random.unit() < 0.3 { 0.0 } else { random.range(-most, most) };
        let input = twist(any(0.15), any(0.15), any(0.8));
        let next = gait(engine.robot(), &gaits[random.index(gaits.len())]);
        engine.set_gait(next);
        for _ in 0..1 + random.index(200) {
            let tick = *engine.step(&input, DT);
            if matches!(tick.state, GaitState::Walking | GaitState::Stopping) {
                least = least.min(balance.of(&tick).margin);
            }
        }
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Feet in the air kept the time of the cycle in which they were lifted: where steps came to follow each other more
    /// quickly, the next foot was lifted before they were down, 5 mm from tipping over.
    #[test]
    fn when_the_cycle_changes_with_the_course_expect_one_foot_down_before_the_next_is_lifted(seed in any::<u64>()) {
        let wave = GaitSpec { least_cycle_time: Some(1.8), ..specs(6)[2].clone() };
        let margin = least_margin(&mut engine_with(6, &wave), &[wave], &mut Random(seed));
        prop_assert!(margin >= 0.05, "margin {margin} m");
    }

    #[test]
    fn when_legs_are_heavy_expect_the_centre_of_mass_well_among_the_feet_on_any_course_with_any_gait(
        legs in prop_oneof![2 => Just(5usize), 1 => Just(6), 1 => Just(8)], seed in any::<u64>(),
    ) {
        let mut random = Random(seed);
        if let Some(mut engine) = heavy(legs, &mut random) {
            let margin = least_margin(&mut engine, &specs(legs), &mut random);
            let kept = if legs == 5 { KEPT_BY_FIVE_M } else { KEPT_M };
            prop_assert!(margin >= kept, "margin {margin} m on {legs} legs");
        }
    }
}
