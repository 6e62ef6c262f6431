//! Sensors: what they make of the truth.

use crate::common::{G, Walker, battery, config, free, pendulum, settings, shipped};
use hexapod_gait::Twist;
use hexapod_sim::{
    Battery, FootSwitches, Ground, Imu, ImuModel, ImuReading, Settings, Supply, SwitchModel, TruePace, World,
};
use nalgebra::{UnitQuaternion, Vector3};
use std::f64::consts::PI;

const PERFECT: ImuModel = ImuModel {
    gyro_noise: 0.0,
    gyro_bias: 0.0,
    accelerometer_noise: 0.0,
    accelerometer_bias: 0.0,
    orientation_noise: 0.0,
};
const AHEAD: Twist = Twist { vx: 0.08, vy: 0.0, wz: 0.0 };

fn standing() -> Walker {
    Walker::new(&Ground::flat(), "perfect", settings(0.005)).stand()
}

#[test]
fn when_the_robot_stands_expect_an_imu_to_read_gravity_upwards_and_no_turning() {
    let mut walker = standing();
    let mut imu = Imu::new(PERFECT, None, walker.simulator.world(), 1);
    walker.go(Twist::ZERO, 0.1);
    let reading = imu.read(walker.simulator.world());
    let up = walker.base().rotation.inverse() * Vector3::new(0.0, 0.0, G);
    assert!((reading.linear_acceleration - up).norm() < 1e-3, "{}", reading.linear_acceleration);
    assert!(reading.angular_velocity.norm() < 1e-4, "{}", reading.angular_velocity);
    assert!(reading.orientation.angle_to(&walker.base().rotation) < 1e-9);
}

#[test]
fn when_the_robot_falls_expect_an_imu_to_read_nothing() {
    let mut world = World::new(&shipped(), &Ground::nothing(), &free(), settings(0.005)).unwrap();
    let mut imu = Imu::new(PERFECT, None, &world, 1);
    (0..100).for_each(|_| world.step());
    assert!(imu.read(&world).linear_acceleration.norm() < 0.02);
}

#[test]
fn when_an_imu_swings_on_a_pendulum_expect_the_specific_force_of_the_formula() {
    let (length, inertia, mass) = (0.2, 0.002, 0.3);
    let mut world = pendulum(mass, length, inertia, 0.0005);
    world.put(&nalgebra::Isometry3::identity(), &[1.0]);
    let mut imu = Imu::new(PERFECT, Some(1), &world, 1);
    // The rod hangs along -z of its part; the sensor is at its centre of mass.
    let formula = |world: &World| {
        let (angle, speed) = (world.position(0), world.speed(0));
        let turning = -mass * G * length * angle.sin() / (inertia + mass * length * length);
        Vector3::new(-G * angle.sin() - length * turning, 0.0, G * angle.cos() + length * speed * speed)
    };
    for _ in 0..200 {
        let (before, from) = (formula(&world), world.position(0));
        (0..10).for_each(|_| world.step());
        let reading = imu.read(&world);
        let expected = 0.5 * (before + formula(&world));
        let off = (reading.linear_acceleration - expected).norm();
        assert!(off < 0.02, "{} for {expected}", reading.linear_acceleration);
        let rate = (world.position(0) - from) / 0.005;
        assert!((reading.angular_velocity.y - rate).abs() < 1e-6, "{} for {rate}", reading.angular_velocity);
    }
}

/// A robot that walks a curve, and what its IMU reads at 100 Hz.
fn walked(model: ImuModel, seed: u64, seconds: f64) -> (Walker, Vec<ImuReading>) {
    let mut walker = standing();
    let mut imu = Imu::new(model, None, walker.simulator.world(), seed);
    let mut readings = Vec::new();
    for _ in 0..(seconds * 100.0) as usize {
        walker.go(Twist { wz: 0.3, ..AHEAD }, 0.01);
        readings.push(imu.read(walker.simulator.world()));
    }
    (walker, readings)
}

#[test]
fn when_rates_are_added_up_expect_the_robots_turn_and_when_forces_are_its_speed() {
    let start = standing();
    let (walker, readings) = walked(PERFECT, 1, 4.0);
    let (mut turn, mut velocity) = (start.base().rotation, start.simulator.world().velocity(0).linear);
    for reading in &readings {
        let turned = 0.01 * reading.angular_velocity;
        let halfway = turn * UnitQuaternion::from_scaled_axis(0.5 * turned);
        velocity += 0.01 * (halfway * reading.linear_acceleration - Vector3::new(0.0, 0.0, G));
        turn *= UnitQuaternion::from_scaled_axis(turned);
    }
    assert!(turn.angle_to(&walker.base().rotation) < 1e-9);
    let truly = walker.simulator.world().velocity(0).linear;
    assert!((velocity - truly).norm() < 1e-9, "{velocity} for {truly}");
}

#[test]
fn when_an_imu_is_noisy_expect_its_errors_as_its_covariances_say() {
    let model = config("").imu;
    let (mut squares, mut count) = ([0.0; 3], 0.0);
    let (_, truth) = walked(PERFECT, 1, 1.0);
    for seed in 0..12 {
        let (_, readings) = walked(model, seed, 1.0);
        for (reading, truth) in readings.iter().zip(&truth) {
            let off = [
                (truth.orientation.inverse() * reading.orientation).scaled_axis().x.powi(2)
                    / reading.orientation_covariance[0],
                (reading.angular_velocity - truth.angular_velocity).x.powi(2) / reading.angular_velocity_covariance[0],
                (reading.linear_acceleration - truth.linear_acceleration).x.powi(2)
                    / reading.linear_acceleration_covariance[0],
            ];
            (0..3).for_each(|i| squares[i] += off[i]);
            count += 1.0;
        }
    }
    for square in squares {
        // A dozen biases say so much of their deviation.
        assert!((0.3..2.5).contains(&(square / count)), "{:?}", squares.map(|square| square / count));
    }
}

/// Its velocity at the ends of steps is another: contacts change it from one to the next.
#[test]
fn when_the_robot_walks_expect_its_true_pace_to_add_up_to_its_way_and_turn_and_to_agree_with_a_gyroscope() {
    let mut walker = standing();
    let base_from_frame = nalgebra::Isometry3::translation(0.03, 0.0, -0.02);
    let frame = |walker: &Walker| walker.base() * base_from_frame;
    let mut pace = TruePace::new(walker.simulator.world(), base_from_frame);
    let mut imu = Imu::new(PERFECT, None, walker.simulator.world(), 1);
    let mut at_ends = 0.0_f64;
    for _ in 0..300 {
        let from = frame(&walker);
        walker.go(Twist { wz: 0.3, ..AHEAD }, 0.01);
        let (to, world) = (frame(&walker), walker.simulator.world());
        let found = pace.read(world);
        let way = to.translation.vector - from.translation.vector;
        assert!((found.linear.norm() - way.norm() / 0.01).abs() < 1e-9, "{found:?} for {way}");
        assert!((to.rotation * found.linear - way / 0.01).norm() < 1e-3, "{found:?} for {way}");
        let read = imu.read(world).angular_velocity;
        assert!((found.angular - read).norm() < 1e-9, "{found:?} for {read}");
        assert_eq!(pace.read(world), found, "no time has passed");
        at_ends = at_ends.max((world.twist().angular - found.angular).norm());
    }
    assert!(at_ends > 0.005, "{at_ends} rad/s: the mean and the end of a step are one");
}

#[test]
fn when_the_robot_is_put_back_expect_no_sensor_to_feel_the_way_there() {
    let mut walker = standing();
    walker.go(Twist { wz: 0.5, ..AHEAD }, 4.0);
    walker.go(Twist::ZERO, 2.0);
    let mut imu = Imu::new(PERFECT, None, walker.simulator.world(), 1);
    let mut pace = TruePace::new(walker.simulator.world(), nalgebra::Isometry3::identity());
    let mut switches = FootSwitches::new(SwitchModel { press: 1.0, release: 0.0 }, 6);
    assert_eq!(switches.read(walker.simulator.world()), [true; 6]);
    walker.go(Twist::ZERO, 0.01);
    let far = walker.base();
    walker.simulator.put_back(&[0.0; 18]);
    let at_once = pace.read(walker.simulator.world());
    assert_eq!(switches.read(walker.simulator.world()), [false; 6]);
    assert_eq!((at_once.linear.norm(), at_once.angular.norm()), (0.0, 0.0));
    assert!(walker.base().rotation.angle_to(&far.rotation) > 1.0);
    for _ in 0..30 {
        walker.go(Twist::ZERO, 0.01);
        let world = walker.simulator.world();
        let (read, truly) = (imu.read(world), pace.read(world));
        assert!(read.angular_velocity.norm() < 0.2 && truly.angular.norm() < 0.2, "{read:?}");
        assert!(truly.linear.norm() < 0.2 && (read.linear_acceleration.norm() - G).abs() < 15.0, "{read:?}");
    }
}

#[test]
fn when_two_imus_have_one_seed_expect_the_same_readings_and_else_others() {
    let readings = |seed| walked(config("").imu, seed, 0.2).1;
    assert_eq!(readings(5), readings(5));
    assert_ne!(readings(5), readings(6));
}

#[test]
fn when_a_gyroscope_has_a_bias_expect_the_yaw_to_drift_as_far_as_its_covariance_allows() {
    let model = ImuModel { gyro_bias: 0.01, ..PERFECT };
    let mut drifts = Vec::new();
    for seed in 0..6 {
        let mut walker = standing();
        let mut imu = Imu::new(model, None, walker.simulator.world(), seed);
        walker.go(Twist::ZERO, 2.0);
        let reading = imu.read(walker.simulator.world());
        let drift = (walker.base().rotation.inverse() * reading.orientation).scaled_axis().z;
        assert!((reading.orientation_covariance[8].sqrt() - 0.02).abs() < 1e-9);
        drifts.push(drift);
    }
    assert!(
        drifts.iter().all(|drift| drift.abs() < 0.08) && drifts.iter().any(|drift| drift.abs() > 0.002),
        "{drifts:?}"
    );
}

#[test]
fn when_feet_tread_expect_switches_that_close_at_one_force_and_open_at_a_smaller_one() {
    let mut walker = standing();
    let model = SwitchModel { press: 2.0, release: 1.0 };
    let mut switches = FootSwitches::new(model, 6);
    let mut before = switches.read(walker.simulator.world()).to_vec();
    assert_eq!(before, [true; 6]);
    let mut changes = 0;
    for _ in 0..800 {
        walker.step(AHEAD);
        let forces: Vec<f64> = (0..6).map(|leg| walker.simulator.world().foot_force(leg).norm()).collect();
        let now = switches.read(walker.simulator.world()).to_vec();
        for leg in 0..6 {
            let between = (model.release..model.press).contains(&forces[leg]);
            let expected = if between { before[leg] } else { forces[leg] >= model.press };
            assert_eq!(now[leg], expected, "{} N", forces[leg]);
            changes += usize::from(now[leg] != before[leg]);
        }
        before = now;
    }
    assert!(changes > 30, "{changes}");
}

#[test]
fn when_the_robot_stands_askew_expect_foot_forces_in_its_own_axes_and_its_twist_too() {
    let mut walker = standing();
    let turned = Twist { vx: 0.0, vy: 0.0, wz: 0.5 };
    walker.go(turned, 3.0);
    let world = walker.simulator.world();
    for leg in 0..6 {
        let (in_world, in_base) = (world.foot_force(leg), world.foot_force_in_base(leg));
        assert!((world.base().rotation * in_base - in_world).norm() < 1e-12);
    }
    assert!((world.twist().angular.z - 0.5).abs() < 0.1, "{}", world.twist().angular);
    let there = world.base();
    walker.go(Twist { wz: 0.0, ..AHEAD }, 2.0);
    walker.go(AHEAD, 1.6);
    let world = walker.simulator.world();
    let ahead = (world.base().translation.vector - there.translation.vector).normalize();
    let along = (world.base().rotation * Vector3::x()).dot(&ahead);
    assert!(along > 0.9 && world.twist().linear.x > 0.02, "{along}, {}", world.twist().linear);
}

#[test]
fn when_current_flows_for_an_hour_expect_the_battery_empty_by_as_many_ampere_hours_and_then_dark() {
    let mut supply = Supply::new(Battery { capacity_ah: 2.0, ..battery() });
    (0..3600).for_each(|_| supply.load(1.5, 1.0));
    assert!((supply.charge_ah() - 0.5).abs() < 1e-9, "{} Ah", supply.charge_ah());
    assert!(supply.volts() > 5.9);
    (0..1201).for_each(|_| supply.load(1.5, 1.0));
    assert_eq!((supply.charge_ah(), supply.volts(), supply.in_reset()), (0.0, 0.0, true));
}

#[test]
fn when_an_imu_is_on_a_link_of_its_own_expect_readings_in_that_links_axes() {
    let urdf = include_str!("../../../urdf/hexapod.urdf").replace(
        "</robot>",
        "<link name=\"imu_link\"/><joint name=\"imu_joint\" type=\"fixed\"><parent link=\"base_link\"/>\
         <child link=\"imu_link\"/><origin xyz=\"0.02 0 0.03\" rpy=\"3.14159265358979 0 0\"/></joint></robot>",
    );
    let robot = hexapod_kinematics::Robot::from_urdf(&urdf).unwrap();
    let link = robot.model().link_index("imu_link");
    let at_rest = Settings { gravity: G, ..settings(0.005) };
    let mount = hexapod_sim::Mount::Fixed(nalgebra::Isometry3::identity());
    let mut world = World::new(&robot, &Ground::nothing(), &mount, at_rest).unwrap();
    let mut imu = Imu::new(PERFECT, link, &world, 1);
    world.step();
    let reading = imu.read(&world);
    assert!(
        (reading.linear_acceleration - Vector3::new(0.0, 0.0, -G)).norm() < 1e-6,
        "{}",
        reading.linear_acceleration
    );
    assert!((reading.orientation.angle() - PI).abs() < 1e-6);
}

#[test]
fn when_a_robot_is_too_light_for_its_switches_expect_lighter_ones_and_else_these() {
    let model = SwitchModel { press: 1.0, release: 0.6 };
    assert_eq!(model.for_weight(19.6), model);
    assert_eq!(model.for_weight(10.0), model);
    let lighter = model.for_weight(1.5);
    assert!((lighter.press - 0.075).abs() < 1e-12 && (lighter.release - 0.045).abs() < 1e-12, "{lighter:?}");
}
