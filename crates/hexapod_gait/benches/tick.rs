//! The whole tick: a command to 18 joint angles, walking an arc.

use criterion::{Criterion, criterion_group, criterion_main};
use hexapod_gait::{Engine, Gait, GaitSpec, Input, Settings, StanceSpec, SwingProfile, Twist, TwistLimits, leg_places};
use hexapod_kinematics::Robot;
use std::hint::black_box;
use std::sync::Arc;

#[allow(clippy::unwrap_used, reason = "a bench of the shipped robot has nothing to recover from")]
fn walking() -> Engine {
    let robot = Arc::new(Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap());
    let spec = GaitSpec {
        duty_factor: 0.5,
        cycle_time: 0.8,
        lag: 0.5,
        side_lag: 0.5,
        swing: SwingProfile::Smooth,
        ..GaitSpec::default()
    };
    let gait = Gait::try_new(&spec, &leg_places(&robot)).unwrap();
    let settings = Settings {
        stance: StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 },
        step_height: 0.03,
        limits: TwistLimits {
            linear_velocity: 0.15,
            angular_velocity: 0.8,
            linear_acceleration: 0.3,
            angular_acceleration: 1.5,
            linear_jerk: 7.5,
            angular_jerk: 37.5,
        },
        stand_time: 1.5,
        sit_time: 1.0,
    };
    let mut engine = Engine::new(robot, gait, settings).unwrap();
    let input = Input { twist: Twist::new(0.06, 0.0, 0.2), ..Input::default() };
    (0..400).for_each(|_| {
        engine.step(&input, 0.01);
    });
    engine
}

fn tick(criterion: &mut Criterion) {
    let mut engine = walking();
    let input = Input { twist: Twist::new(0.06, 0.0, 0.2), ..Input::default() };
    criterion.bench_function("tick, command to 18 angles", |bencher| {
        bencher.iter(|| black_box(engine.step(black_box(&input), 0.01).angles[0]));
    });
}

criterion_group!(benches, tick);
criterion_main!(benches);
