//! Gaits that are not statically stable: on four legs two or three feet stand at a time. All that holds of other gaits
//! holds of them but the support polygon.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, drive, gait, robot, settings, twist};
use hexapod_gait::{Engine, GaitSpec, GaitState, Input, Pattern, Twist};
use proptest::prelude::*;

const DT: f64 = 0.01;

/// The shipped trot and walk.
fn specs() -> [GaitSpec; 2] {
    let spec = GaitSpec { stable: false, ..GaitSpec::default() };
    [
        GaitSpec { duty_factor: 0.5, cycle_time: 0.6, pattern: Some(Pattern::Alternate), ..spec.clone() },
        GaitSpec { duty_factor: 0.75, cycle_time: 1.2, pattern: Some(Pattern::Wave), ..spec },
    ]
}

fn engine(index: usize) -> Engine {
    let robot = robot(4);
    let first = gait(&robot, &specs()[index]);
    Engine::new(robot, first, settings()).unwrap()
}

/// Stops the robot; it has to stand within a cycle and the time its body takes to come to rest.
fn stop(engine: &mut Engine, observer: &mut Observer) -> Result<(), TestCaseError> {
    let ticks = ((engine.gait().cycle_time() + 1.0) / DT).ceil() as usize;
    drive(engine, observer, &Input::default(), ticks)?;
    prop_assert_eq!(engine.last().state, GaitState::Standing);
    prop_assert!(engine.last().contacts[..4].iter().all(|down| *down));
    Ok(())
}

#[test]
fn when_a_quadruped_trots_or_walks_expect_the_twist_reached_on_two_or_three_feet() {
    for (index, feet) in [(0, 2), (1, 3)] {
        let mut engine = engine(index);
        let mut observer = Observer::of_dynamic_gait(&engine, DT);
        let input = twist(0.05, 0.01, 0.06);
        drive(&mut engine, &mut observer, &input, 600).unwrap();
        assert_eq!(engine.last().twist, Twist::new(0.05, 0.01, 0.06), "limited by {:?}", engine.last().limited_by);
        let mut fewest = 4;
        for _ in 0..200 {
            drive(&mut engine, &mut observer, &input, 1).unwrap();
            fewest = engine.last().contacts[..4].iter().filter(|down| **down).count().min(fewest);
        }
        assert_eq!(fewest, feet);
        stop(&mut engine, &mut observer).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_quadruped_is_driven_at_random_with_dynamic_gaits_expect_no_slip_no_jump_and_planted_stops(
        first in 0usize..2,
        acts in prop::collection::vec((prop::array::uniform3(-0.3..0.3f64), 1usize..150, 0usize..8), 1..12),
    ) {
        let mut engine = engine(first);
        let mut observer = Observer::of_dynamic_gait(&engine, DT);
        engine.stand();
        drive(&mut engine, &mut observer, &Input::default(), 300)?;
        for ([x, y, w], ticks, kind) in acts {
            match kind {
                0 => stop(&mut engine, &mut observer)?,
                1 | 2 => engine.set_gait(gait(engine.robot(), &specs()[kind - 1])),
                _ => {}
            }
            drive(&mut engine, &mut observer, &twist(x, y, 4.0 * w), ticks)?;
        }
        stop(&mut engine, &mut observer)?;
    }
}

/// A gait is taken up where no foot is lifted before those are down without which one foot would stand alone.
#[test]
fn when_a_walk_and_a_trot_follow_each_other_at_any_phase_expect_two_feet_down() {
    for (from, to) in [(0, 1), (1, 0)] {
        for wait in 0..120 {
            let mut engine = engine(from);
            let mut observer = Observer::of_dynamic_gait(&engine, DT);
            let input = twist(-0.18, -0.18, 0.8);
            drive(&mut engine, &mut observer, &input, 300 + wait).unwrap();
            engine.set_gait(gait(engine.robot(), &specs()[to]));
            drive(&mut engine, &mut observer, &input, 7).unwrap();
            drive(&mut engine, &mut observer, &twist(0.13, 0.0, 0.0), 60).unwrap();
            engine.set_gait(gait(engine.robot(), &specs()[from]));
            drive(&mut engine, &mut observer, &twist(0.0, 0.05, 0.0), 200).unwrap();
        }
    }
}

/// Feet that stand far from rest are put back before the robot sits: that is no trot, one foot is lifted at a time.
#[test]
fn when_asked_to_sit_after_any_walk_expect_three_feet_down_once_all_have_been() {
    for index in 0..2 {
        for (driven, turned) in [(300, 60), (325, 104), (340, 30), (365, 108), (410, 88), (450, 104)] {
            let mut engine = engine(index);
            let mut observer = Observer::of_dynamic_gait(&engine, DT);
            drive(&mut engine, &mut observer, &twist(0.0, 1e9, 1e9), driven).unwrap();
            drive(&mut engine, &mut observer, &twist(0.0, -4e8, 0.0), turned).unwrap();
            engine.sit();
            let (mut ticks, mut planted) = (0, false);
            while engine.last().state != GaitState::Sitting {
                drive(&mut engine, &mut observer, &Input::default(), 1).unwrap();
                let down = engine.last().contacts[..4].iter().filter(|down| **down).count();
                planted |= down == 4;
                assert!(down >= 3 || !planted, "{down} feet down after {ticks} ticks");
                ticks += 1;
                assert!(ticks <= 300, "{:?}", engine.last().state);
            }
        }
    }
}
