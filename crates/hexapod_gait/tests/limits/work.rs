//! A tick works out little more than it must, in numbers that do not depend on the machine.

use crate::common::{engine, twist};
use hexapod_gait::{BodyOffset, Input};
use nalgebra::Vector3;

/// What all legs solved at once count.
const BATCH_IK: f64 = 3.0;

/// How often all legs are solved in a tick, on the mean, by a robot that walks with these poses of its body.
fn solved(pose: impl Fn(f64) -> BodyOffset) -> f64 {
    let (mut engine, walking) = (engine(6), twist(0.06, 0.0, 0.2));
    let mut steps = 0;
    for tick in 0..4000 {
        engine.step(&Input { body_offset: pose(0.05 * f64::from(tick)), ..walking }, 0.01);
        steps += if tick < 1000 { 0 } else { engine.work().steps };
    }
    f64::from(steps) / BATCH_IK / 3000.0
}

#[test]
fn when_a_robot_walks_expect_all_legs_solved_hardly_more_than_once_a_tick() {
    let solved = solved(|_| BodyOffset::default());
    assert!((1.0..1.2).contains(&solved), "{solved}");
}

#[test]
fn when_the_bodys_pose_changes_in_every_tick_expect_all_legs_solved_less_than_twice_a_tick() {
    let solved = solved(|angle| {
        let translation = Vector3::new(0.01 * angle.sin(), 0.01 * angle.cos(), 0.005 * angle.sin());
        BodyOffset { translation, rotation: translation * 5.0 }
    });
    assert!((1.0..2.0).contains(&solved), "{solved}");
}
