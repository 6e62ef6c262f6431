//! Changes of gait and stops at every phase of full speed.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{LIMITS, Observer, drive, engine, engine_with, gait, specs, twist};
use hexapod_gait::{Balance, Engine, Gait, GaitSpec, GaitState, Input, LimitedBy, SwingProfile};
use proptest::prelude::*;

const DT: f64 = 0.01;
const FULL_SPEED: [(f64, f64, f64); 5] =
    [(0.15, 0.0, 0.0), (-0.15, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, 0.0, 0.8), (0.1, 0.05, -0.3)];

/// One tick, judged from outside, whose twist changes no faster than the acceleration limits.
fn tick(engine: &mut Engine, observer: &mut Observer, input: &Input) {
    let before = engine.last().twist;
    drive(engine, observer, input, 1).unwrap();
    let now = engine.last().twist;
    let by = engine.last().limited_by;
    let change = (now.vx - before.vx).hypot(now.vy - before.vy);
    assert!(change <= LIMITS.linear_acceleration * DT * 1.001, "{before:?} to {now:?}, limited by {by:?}");
    let turn = (now.wz - before.wz).abs();
    assert!(turn <= LIMITS.angular_acceleration * DT * 1.001, "{before:?} to {now:?}, limited by {by:?}");
}

/// Ticks until the robot walks the gait.
fn switch(engine: &mut Engine, observer: &mut Observer, input: &Input, to: Gait) -> usize {
    engine.set_gait(to);
    let mut ticks = 0;
    while *engine.gait() != to {
        tick(engine, observer, input);
        assert_eq!(engine.last().state, GaitState::Walking, "the body goes on");
        ticks += 1;
        assert!(ticks < 1000, "never switched");
    }
    ticks
}

/// Ticks until each leg has been lifted once.
fn all_lifted(engine: &mut Engine, observer: &mut Observer, input: &Input) -> usize {
    let mut lifted = [false; 6];
    let mut ticks = 0;
    while lifted != [true; 6] {
        let before = engine.last().contacts;
        drive(engine, observer, input, 1).unwrap();
        for (leg, lifted) in lifted.iter_mut().enumerate() {
            *lifted |= before[leg] && !engine.last().contacts[leg];
        }
        ticks += 1;
        assert!(ticks < 1000, "a leg is never lifted: {lifted:?}");
    }
    ticks
}

#[test]
fn when_gaits_change_at_every_phase_of_full_speed_expect_the_next_walked_within_two_cycles() {
    for (vx, vy, wz) in FULL_SPEED {
        let input = twist(vx, vy, wz);
        for part in 0..64 {
            let mut engine = engine(6);
            let gaits = specs(6).iter().map(|spec| gait(engine.robot(), spec)).collect::<Vec<_>>();
            let mut observer = Observer::new(&engine, DT);
            drive(&mut engine, &mut observer, &input, 350).unwrap();
            for (from, to) in [(gaits[0], gaits[2]), (gaits[2], gaits[1]), (gaits[1], gaits[0])] {
                // On to this phase of the gait that is left; a cycle has fewer ticks than 64 parts at times.
                let wait = (f64::from(part) / 64.0 * from.cycle_time() / DT) as usize;
                drive(&mut engine, &mut observer, &input, wait).unwrap();
                let taken = switch(&mut engine, &mut observer, &input, to);
                let round = all_lifted(&mut engine, &mut observer, &input);
                let two_cycles = (2.0 * from.cycle_time().max(to.cycle_time()) / DT) as usize;
                assert!(taken + round <= two_cycles, "{taken} + {round} ticks, two cycles are {two_cycles}");
            }
        }
    }
}

#[test]
fn when_stopped_at_every_phase_of_full_speed_expect_the_robot_planted_within_a_cycle_and_standing_within_a_second() {
    for (vx, vy, wz) in FULL_SPEED {
        let input = twist(vx, vy, wz);
        for part in 0..80 {
            let mut engine = engine(6);
            let mut observer = Observer::new(&engine, DT);
            drive(&mut engine, &mut observer, &input, 350 + part).unwrap();
            let mut ticks = 0;
            let mut planted = 0;
            while engine.last().state != GaitState::Standing {
                tick(&mut engine, &mut observer, &Input::default());
                ticks += 1;
                planted = if engine.last().contacts[..6].iter().all(|&down| down) { planted } else { ticks };
                assert!(ticks <= 95, "{ticks} ticks");
            }
            assert!(planted <= 81, "planted after {planted} ticks");
        }
    }
}

/// The least margin (m) in so many ticks of a walk.
fn least_margin(engine: &mut Engine, balance: &Balance, input: &Input, ticks: usize) -> f64 {
    let margins = (0..ticks).map(|_| balance.of(engine.step(input, DT)).margin);
    margins.fold(f64::INFINITY, f64::min)
}

/// The same where a gait follows another at every phase.
fn least_margin_between(legs: usize, (from, to): (usize, usize), input: &Input) -> f64 {
    let all = specs(legs);
    let mut engine = engine_with(legs, &all[from]);
    let (next, balance) = (gait(engine.robot(), &all[to]), Balance::new(engine.robot()));
    for _ in 0..500 {
        engine.step(input, DT);
    }
    let phases = (all[from].cycle_time / DT) as usize;
    let margins = (0..phases).map(|_| {
        engine.step(input, DT);
        let mut other = engine.clone();
        other.set_gait(next);
        least_margin(&mut other, &balance, input, 300)
    });
    margins.fold(f64::INFINITY, f64::min)
}

#[test]
fn when_gaits_change_at_every_phase_expect_the_centre_of_mass_kept_well_among_the_feet() {
    for legs in [4, 6, 8] {
        let gaits = specs(legs).len();
        for (from, to) in (0..gaits).flat_map(|from| (0..gaits).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            for (vx, vy, wz) in FULL_SPEED {
                let margin = least_margin_between(legs, (from, to), &twist(vx, vy, wz));
                println!("{legs} legs, {from} to {to} at {vx}, {vy}, {wz}: {:.1} mm", 1e3 * margin);
                assert!(margin >= 0.01, "{legs} legs, {from} to {to} at {vx}, {vy}, {wz}: {margin} m");
            }
        }
    }
}

/// On four legs, from the first step on.
#[test]
fn when_a_body_sways_expect_each_foot_lifted_with_the_centre_of_mass_well_among_the_others() {
    for (spec, (vx, vy, wz)) in specs(4).iter().flat_map(|spec| FULL_SPEED.map(|twist| (spec, twist))) {
        let (mut engine, input) = (engine_with(4, spec), twist(vx, vy, wz));
        let balance = Balance::new(engine.robot());
        let [first, then] = [600, 1500].map(|ticks| least_margin(&mut engine, &balance, &input, ticks));
        println!("{vx}, {vy}, {wz}: {:.1} mm at first, then {:.1} mm", 1e3 * first, 1e3 * then);
        assert!(first.min(then) >= 0.01, "{vx}, {vy}, {wz}: {first} m at first, then {then} m");
        assert_eq!(engine.last().state, GaitState::Walking);
    }
}

/// How feet swing, whatever the gait.
fn swings() -> impl Strategy<Value = (SwingProfile, f64)> {
    use SwingProfile::{Searching, Sine, Smooth};
    (prop_oneof![3 => Just(Smooth), 1 => Just(Sine), 1 => Just(Searching)], prop_oneof![Just(0.0), 0.0..0.1])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_gaits_follow_each_other_at_random_expect_the_centre_of_mass_kept_well_among_the_feet_and_the_robot_to_get_on(
        legs in prop_oneof![Just(6usize), Just(8)], first in (0usize..4, swings()),
        changes in prop::collection::vec(
            ((0usize..4, swings()), prop::array::uniform3(-0.15..0.15f64), 1usize..200), 1..8),
    ) {
        let all = specs(legs);
        let spec = |(index, (swing, touch_down_speed)): (usize, _)| {
            GaitSpec { swing, touch_down_speed, ..all[index % all.len()].clone() }
        };
        let mut engine = engine_with(legs, &spec(first));
        let balance = Balance::new(engine.robot());
        for _ in 0..350 {
            engine.step(&twist(0.05, 0.0, 0.0), DT);
        }
        for (to, [x, y, w], ticks) in changes {
            engine.set_gait(gait(engine.robot(), &spec(to)));
            let mut stuck = 0;
            for _ in 0..ticks {
                let tick = engine.step(&twist(x, y, 5.0 * w), DT);
                let margin = balance.of(tick).margin;
                prop_assert!(margin >= 0.01, "margin {margin} m");
                stuck = if tick.limited_by >= LimitedBy::Kinematics { stuck + 1 } else { 0 };
                prop_assert!(stuck < 10, "held up by {:?}", tick.limited_by);
            }
        }
    }
}

/// The driver wants another course as the gait changes: feet in the air come down for that one.
#[test]
fn when_a_gait_and_the_course_change_at_once_expect_the_centre_of_mass_kept_well_among_the_feet() {
    let all = specs(6);
    let mut engine = engine_with(6, &all[1]);
    let balance = Balance::new(engine.robot());
    least_margin(&mut engine, &balance, &twist(0.05, 0.0, 0.0), 350);
    let changes = [
        (1, (0.045, 0.109_05, -0.175_65), 58),
        (3, (0.0, 0.0, 0.640_74), 182),
        (1, (0.0, 0.0, -0.597_94), 47),
        (3, (0.0, 0.0, -0.080_65), 171),
        (1, (0.103_58, 0.087_56, -0.075_2), 52),
        (3, (-0.057_92, 0.0, -0.414_58), 46),
    ];
    for (to, (x, y, w), ticks) in changes {
        engine.set_gait(gait(engine.robot(), &all[to]));
        let margin = least_margin(&mut engine, &balance, &twist(x, y, w), ticks);
        assert!(margin >= 0.01, "margin {margin} m");
    }
}
