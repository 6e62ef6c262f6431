//! Changes of gait and stops at every phase of full speed.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{LIMITS, Observer, drive, engine, gait, specs, twist};
use hexapod_gait::{Engine, Gait, GaitState, Input};

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
