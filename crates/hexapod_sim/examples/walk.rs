//! Walks the shipped robot in the physics engine: `walk [SECONDS] [VX] [STEP_MS] [SUBSTEPS] [SWEEPS]`.

use hexapod_gait::{Engine, Gait, GaitSpec, Input, Settings, StanceSpec, Twist, TwistLimits, leg_places};
use hexapod_kinematics::Robot;
use hexapod_sim::{Drive, Ground, Mount, World};
use nalgebra::Isometry3;
use std::sync::Arc;

#[allow(clippy::unwrap_used, reason = "an example of the shipped robot has nothing to recover from")]
fn main() {
    let number = |n: usize, default: f64| std::env::args().nth(n).map_or(default, |text| text.parse().unwrap());
    let (seconds, vx, step_ms) = (number(1, 20.0), number(2, 0.08), number(3, 5.0));
    let settings = hexapod_sim::Settings {
        step_s: step_ms / 1000.0,
        substeps: number(4, 1.0) as usize,
        sweeps: number(5, 4.0) as usize,
        ..Default::default()
    };
    let robot = Arc::new(Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap());
    let spec = GaitSpec { duty_factor: 0.5, cycle_time: 0.8, lag: 0.5, side_lag: 0.5, ..GaitSpec::default() };
    let gait = Gait::try_new(&spec, &leg_places(&robot)).unwrap();
    let limits = TwistLimits {
        linear_velocity: 0.15,
        angular_velocity: 0.8,
        linear_acceleration: 0.3,
        angular_acceleration: 1.5,
        linear_jerk: 7.5,
        angular_jerk: 37.5,
    };
    let stance = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
    let of = Settings { stance, step_height: 0.03, limits, stand_time: 1.5, sit_time: 0.8 };
    let mut engine = Engine::new(robot.clone(), gait, of).unwrap();
    let mut world = World::new(&robot, &Ground::flat(), &Mount::Free(Isometry3::identity()), settings).unwrap();
    let legs = world.assembly().legs.clone();
    let positions: Vec<f64> = {
        let mut positions = vec![0.0; world.assembly().hinges.len()];
        for (leg, hinges) in legs.iter().enumerate() {
            for (hinge, angle) in hinges.iter().zip(engine.last().angles[leg].iter()) {
                positions[*hinge] = *angle;
            }
        }
        positions
    };
    world.put(&Isometry3::translation(0.0, 0.0, 0.05), &positions);
    (0..positions.len()).for_each(|hinge| world.set_rotor(hinge, 0.003));
    let mut commanded = 0.0;
    let mut tick = |world: &mut World, twist: Twist, engine: &mut Engine| {
        let tick = *engine.step(&Input { twist, ..Input::default() }, settings.step_s);
        for (leg, hinges) in legs.iter().enumerate() {
            for (&hinge, &rest) in hinges.iter().zip(tick.angles[leg].iter()) {
                world.drive(hinge, Drive { stiffness: 20.0, rest, damping: 0.41, friction: 0.03, torque: 0.0 });
            }
        }
        world.step();
        commanded += tick.twist.vx * settings.step_s;
    };
    engine.stand();
    for _ in 0..(4.0 / settings.step_s) as usize {
        tick(&mut world, Twist::ZERO, &mut engine);
    }
    let force: f64 = (0..6).map(|leg| world.foot_force(leg).z).sum();
    println!(
        "standing at {:.4} m, force {force:.4} N of {:.4}",
        world.base().translation.z,
        world.assembly().mass() * 9.80665
    );
    let start = world.base().translation;
    let clock = std::time::Instant::now();
    let steps = (seconds / settings.step_s) as usize;
    for _ in 0..steps {
        tick(&mut world, Twist::new(vx, 0.0, 0.0), &mut engine);
    }
    let us = clock.elapsed().as_secs_f64() * 1e6 / steps as f64;
    let way = world.base().translation.vector - start.vector;
    println!(
        "{us:.1} us a step; walked {:.4} {:.4} of {commanded:.4} m, height {:.4}",
        way.x,
        way.y,
        world.base().translation.z
    );
    println!("{:016x}", world.base().translation.x.to_bits());
}
