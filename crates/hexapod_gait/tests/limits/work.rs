//! A tick works out little more than it must, in numbers that do not depend on the machine.

use crate::common::{engine, felt_above, twist};
use hexapod_gait::{BodyOffset, Engine, Input};
use nalgebra::Vector3;

/// What all legs solved at once count.
const BATCH_IK: f64 = 3.0;

/// How often all legs are solved in a tick, on the mean, by a robot of which this is asked.
fn solved(input: impl Fn(&Engine, f64) -> Input) -> f64 {
    solved_by(engine(6), input)
}

fn solved_by(mut engine: Engine, input: impl Fn(&Engine, f64) -> Input) -> f64 {
    let mut steps = 0;
    for tick in 0..4000 {
        engine.step(&input(&engine, 0.05 * f64::from(tick)), 0.01);
        steps += if tick < 1000 { 0 } else { engine.work().steps };
    }
    f64::from(steps) / BATCH_IK / 3000.0
}

fn walking() -> Input {
    twist(0.06, 0.0, 0.2)
}

#[test]
fn when_a_robot_walks_expect_all_legs_solved_hardly_more_than_once_a_tick() {
    let solved = solved(|_, _| walking());
    assert!((1.0..1.11).contains(&solved), "{solved}");
}

#[test]
fn when_the_bodys_pose_changes_in_every_tick_expect_all_legs_solved_little_more_often() {
    let solved = solved(|_, angle| {
        let translation = Vector3::new(0.01 * angle.sin(), 0.01 * angle.cos(), 0.005 * angle.sin());
        Input { body_offset: BodyOffset { translation, rotation: translation * 5.0 }, ..walking() }
    });
    assert!((1.0..1.35).contains(&solved), "{solved}");
}

#[test]
fn when_the_bodys_pose_changes_in_every_tick_over_feet_that_stand_expect_all_legs_solved_little_more_than_twice() {
    let mut engine = engine(6);
    engine.stand();
    let solved = solved_by(engine, |_, angle| {
        let translation = Vector3::new(0.01 * angle.sin(), 0.01 * angle.cos(), 0.005 * angle.sin());
        let body_offset = BodyOffset { translation, rotation: translation * 5.0 };
        Input { body_offset, ..Input::default() }
    });
    assert!((2.0..2.4).contains(&solved), "{solved}");
}

#[test]
fn when_feet_feel_the_ground_in_every_tick_expect_all_legs_solved_no_more_often() {
    let solved = solved(|engine, _| felt_above(engine, &walking()));
    assert!((1.0..1.01).contains(&solved), "{solved}");
}
