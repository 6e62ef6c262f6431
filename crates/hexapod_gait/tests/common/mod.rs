//! Engines of robots of any number of legs, and an observer that judges them from outside.

#![allow(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test uses a part; a test fails so"
)]

mod numbers;
mod observer;
pub mod player;
pub mod random;
mod robots;

pub use observer::Observer;
pub use robots::{Build, LIMITS, STANCE, built, mimicking, robot, settings, urdf};

use hexapod_gait::{Engine, Gait, GaitSpec, Input, Pattern, Settings, StanceWish, Twist, leg_places};
use hexapod_kinematics::{LegAngles, Robot};
use proptest::prelude::*;
use std::sync::Arc;

/// An engine for a robot of any build, which stands as `hexapod` would let it.
pub fn engine_of(urdf: &str) -> Engine {
    let robot = Arc::new(Robot::from_urdf(urdf).unwrap());
    let stance = StanceWish::default().stance(&robot).unwrap();
    let step_height = 0.6 * stance.spec().step_height;
    let settings = Settings { stance: stance.spec(), step_height, ..settings() };
    let first = gait(&robot, &specs(robot.legs().len())[0]);
    Engine::with_stance(robot, first, settings, stance)
}

pub fn gait(robot: &Robot, spec: &GaitSpec) -> Gait {
    Gait::try_new(spec, &leg_places(robot)).unwrap()
}

/// The shipped gaits that keep a robot of so many legs on its feet.
pub fn specs(legs: usize) -> Vec<GaitSpec> {
    let spec = |duty_factor, cycle_time, lag, side_lag| GaitSpec {
        duty_factor,
        cycle_time,
        lag,
        side_lag,
        ..GaitSpec::default()
    };
    let wave = |duty_factor, cycle_time, sway| GaitSpec {
        pattern: Some(Pattern::Wave),
        sway,
        ..spec(duty_factor, cycle_time, 0.0, 0.5)
    };
    match legs {
        4 => vec![wave(0.85, 3.0, 1.0), wave(0.8, 2.0, 1.0)],
        6 => vec![
            spec(0.5, 0.8, 0.5, 0.5),
            spec(2.0 / 3.0, 1.4, 1.0 / 3.0, 0.5),
            wave(5.0 / 6.0, 2.4, 0.0),
            spec(2.0 / 3.0, 1.2, 1.0 / 3.0, 1.0 / 3.0),
        ],
        5 | 7 => vec![wave(5.0 / 6.0, 2.4, 0.0)],
        _ => vec![spec(0.5, 0.8, 0.5, 0.5), spec(0.75, 1.6, 0.25, 0.5), wave(0.875, 2.4, 0.0)],
    }
}

pub fn engine(legs: usize) -> Engine {
    engine_with(legs, &specs(legs)[0])
}

pub fn engine_with(legs: usize, spec: &GaitSpec) -> Engine {
    let robot = robot(legs);
    let first = gait(&robot, spec);
    Engine::new(robot, first, settings()).unwrap()
}

/// The bits of all of a robot's joint angles.
pub fn bits(angles: &[LegAngles]) -> Vec<u64> {
    angles.iter().flat_map(|leg| leg.iter()).map(|angle| angle.to_bits()).collect()
}

pub fn drive(engine: &mut Engine, observer: &mut Observer, input: &Input, ticks: usize) -> Result<(), TestCaseError> {
    for _ in 0..ticks {
        let tick = *engine.step(input, observer.dt());
        observer.check(engine, &tick)?;
    }
    Ok(())
}

pub fn twist(vx: f64, vy: f64, wz: f64) -> Input {
    Input { twist: Twist::new(vx, vy, wz), ..Input::default() }
}

/// The input of a robot whose feet feel the ground above where it was planned, and tell it late.
pub fn felt_above(engine: &Engine, input: &Input) -> Input {
    Input { contacts: engine.last().feet.map(|foot| Some(foot.z <= 0.003)), contacts_late: 0.02, ..*input }
}
