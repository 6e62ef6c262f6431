//! What an inertial sensor puts right of the pose by the feet, and what it has the body do that they do not tell.

#![allow(clippy::unwrap_used)]

use hexapod_odometry::{Estimate, Inertial, Odometry};
use nalgebra::{UnitQuaternion, Vector2, Vector3};
use std::time::Duration;

const STEP_S: f64 = 0.01;

fn standing() -> Vec<Vector3<f64>> {
    [(0.2, 0.15), (0.0, 0.2), (-0.2, 0.15), (0.2, -0.15), (0.0, -0.2), (-0.2, -0.15)]
        .map(|(x, y)| Vector3::new(x, y, -0.09))
        .to_vec()
}

fn rest() -> Inertial {
    Inertial { spin: Vector3::zeros(), acceleration: Vector3::zeros(), up: Vector3::z() }
}

/// A robot whose feet all stay, and its sensor.
struct Walk {
    odometry: Odometry,
    ticks: u64,
    way: f64,
}

impl Walk {
    fn new() -> Self {
        Self { odometry: Odometry::new(6), ticks: 0, way: 0.0 }
    }

    /// Goes on at a speed, m/s, for some seconds, with what the sensor tells at each time.
    fn go(&mut self, seconds: f64, speed: f64, felt: impl Fn(f64) -> Option<Inertial>) -> Estimate {
        for tick in 0..(seconds / STEP_S).round() as u64 {
            self.way += speed * STEP_S;
            if let Some(felt) = felt(tick as f64 * STEP_S) {
                self.odometry.sense(&felt, STEP_S);
            }
            let feet: Vec<_> = standing().iter().map(|foot| foot - Vector3::x() * self.way).collect();
            self.odometry.update(Duration::from_millis(10 * self.ticks), &feet, Some(&[true; 6])).unwrap();
            self.ticks += 1;
        }
        *self.odometry.last().unwrap()
    }
}

fn deviations(estimate: &Estimate) -> [f64; 6] {
    estimate.pose_variance().map(|variance| 2.0 * variance.sqrt())
}

#[test]
fn when_the_sensor_agrees_with_the_feet_expect_the_same_pose_and_place_and_its_height_lean_and_yaw_better_known() {
    let (mut blind, mut walk) = (Walk::new(), Walk::new());
    // The bias of a cheap gyroscope, which a robot that stands shows.
    let biased = || Some(Inertial { spin: Vector3::z() * 0.02, ..rest() });
    walk.go(10.0, 0.0, |_| biased());
    blind.go(10.0, 0.0, |_| None);
    let (with, without) = (walk.go(8.0, 0.05, |_| biased()), blind.go(8.0, 0.05, |_| None));
    let off = with.odom_from_body.inverse() * without.odom_from_body;
    assert!(off.translation.vector.norm() < 1e-3 && off.rotation.angle() < 2e-3, "{off}");
    let (with, without) = (deviations(&with), deviations(&without));
    assert!((with[0] / without[0] - 1.0).abs() < 0.1, "{with:?} {without:?}");
    assert!([2, 3, 4, 5].iter().all(|&axis| with[axis] < 0.7 * without[axis]), "{with:?} {without:?}");
}

#[test]
fn when_the_body_is_turned_on_its_feet_expect_yaw_as_uncertain() {
    let turned = Walk::new().go(1.0, 0.0, |_| Some(Inertial { spin: Vector3::z() * 0.5, ..rest() }));
    let yaw = deviations(&turned)[5];
    assert!(yaw > 0.45 && yaw < 0.6, "{yaw}");
}

#[test]
fn when_the_body_is_shoved_expect_x_and_y_as_uncertain() {
    let mut walk = Walk::new();
    walk.go(1.0, 0.0, |_| Some(rest()));
    // To 0.9 m/s and back to rest: 0.27 m.
    let push = |time: f64| if time < 0.3 { 3.0 } else { -3.0 };
    let shoved = walk.go(0.6, 0.0, |time| Some(Inertial { acceleration: Vector3::y() * push(time), ..rest() }));
    let deviations = deviations(&shoved);
    assert!(deviations[1] > 0.27 && deviations[1] < 0.8, "{deviations:?}");
    assert!(deviations[5] < 0.05, "{deviations:?}");
}

#[test]
fn when_the_body_walks_up_a_slope_expect_it_higher_and_leaning_as_the_slope_does() {
    for slope in [0.35_f64, -0.2] {
        let up = UnitQuaternion::from_euler_angles(0.0, slope, 0.0) * Vector3::z();
        let climbed = Walk::new().go(10.0, 0.1, |_| Some(Inertial { up, ..rest() }));
        let pose = climbed.odom_from_body;
        let (way, high) = (0.999, 0.09);
        let expected =
            Vector3::new(way * slope.cos() - high * slope.sin(), 0.0, way * slope.sin() + high * slope.cos());
        assert!((pose.translation.vector - expected).norm() < 0.002, "{} {expected}", pose.translation.vector);
        assert!((pose.rotation * up - Vector3::z()).norm() < 1e-9);
        assert!((climbed.linear.x - 0.1).abs() < 1e-6, "{}", climbed.linear);
        let deviations = deviations(&climbed);
        assert!(deviations[2] < 0.06 && deviations[4] < 0.05, "{deviations:?}");
    }
}

#[test]
fn when_the_ground_gets_steeper_on_the_way_expect_each_step_along_it_as_it_is_then() {
    let up = |slope: f64| UnitQuaternion::from_euler_angles(0.0, slope, 0.0) * Vector3::z();
    let mut walk = Walk::new();
    walk.go(5.0, 0.1, |_| Some(rest()));
    let steep = walk.go(5.0, 0.1, |_| Some(Inertial { up: up(0.3), ..rest() })).odom_from_body.translation.vector;
    let level = walk.go(5.0, 0.1, |_| Some(rest())).odom_from_body.translation.vector;
    // No ground gets so much steeper at once: where it does, 50 mm of the way count for what comes after them.
    assert!((steep.z - (0.5 * 0.3_f64.sin() + 0.09 * 0.3_f64.cos())).abs() < 0.02, "{steep}");
    assert!((level.z - (0.5 * 0.3_f64.sin() + 0.09)).abs() < 0.002, "{level}");
    assert!((level.x - (1.0 + 0.5 * 0.3_f64.cos())).abs() < 0.003, "{level}");
}

#[test]
fn when_the_body_turns_about_on_a_slope_expect_it_to_look_back_down_where_it_looked_up() {
    let slope = UnitQuaternion::from_euler_angles(0.0, 0.35, 0.0);
    let (mut odometry, mut turned, mut ahead) = (Odometry::new(6), 0.0_f64, Vec::new());
    for tick in 0..1200 {
        // It stands for 4 s, and turns half about in the next.
        let spin = if (400..800).contains(&tick) { std::f64::consts::PI / 4.0 } else { 0.0 };
        turned += spin * STEP_S;
        let body_from_plane = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -turned);
        let up = body_from_plane * (slope * Vector3::z());
        odometry.sense(&Inertial { spin: Vector3::z() * spin, up, ..rest() }, STEP_S);
        let feet: Vec<_> = standing().iter().map(|foot| body_from_plane * foot).collect();
        let estimate = odometry.update(Duration::from_millis(10 * tick), &feet, Some(&[true; 6])).unwrap();
        ahead.push(estimate.odom_from_body.rotation * Vector3::x());
    }
    let (up, down) = (ahead[399], ahead[1199]);
    assert!(up.z > 0.3 && (up + down).norm() < 0.02, "{up} {down}");
}

#[test]
fn when_the_body_sways_and_the_sensor_leans_as_it_accelerates_expect_it_neither_to_climb_nor_to_sink() {
    const GRAVITY_S: f64 = 0.5;
    let (mut odometry, mut leans) = (Odometry::new(6), 0.0);
    for tick in 0..4000 {
        // To and fro by 40 mm, twice in three seconds.
        let (time, rate) = (f64::from(tick) * STEP_S, 4.2);
        let way = 0.04 * (time * rate).sin();
        let acceleration = -way * rate * rate;
        leans += (acceleration / 9.8 - leans) * (1.0 - (-STEP_S / GRAVITY_S).exp());
        let up = Vector3::new(leans, 0.0, 1.0).normalize();
        odometry.sense(&Inertial { up, ..rest() }, STEP_S);
        let feet: Vec<_> = standing().iter().map(|foot| foot - Vector3::x() * way).collect();
        odometry.update(Duration::from_millis(10 * tick as u64), &feet, Some(&[true; 6])).unwrap();
    }
    let high = odometry.last().unwrap().odom_from_body.translation.z;
    assert!((high - 0.09).abs() < 0.003, "{high}");
}

#[test]
fn when_feet_slip_round_and_the_bias_of_the_gyroscope_is_known_expect_the_body_turned_as_that_has_it() {
    // The feet have the robot walk straight on; it walks a quarter of a circle.
    let turns = |bias: f64, spin: f64| Some(Inertial { spin: Vector3::z() * (bias + spin), ..rest() });
    let quarter = std::f64::consts::FRAC_PI_2;
    let mut walk = Walk::new();
    walk.go(4.0, 0.0, |_| turns(0.02, 0.0));
    let end = walk.go(10.0, 0.1, |_| turns(0.02, 0.1 * quarter));
    let (at, yaw) = (end.odom_from_body.translation.vector, end.odom_from_body.rotation.euler_angles().2);
    let radius = 1.0 / quarter;
    assert!((yaw - quarter).abs() < 0.03 && (at.xy() - Vector2::new(radius, radius)).norm() < 0.04, "{at} {yaw}");
    assert!(deviations(&end)[5] < 0.06, "{:?}", deviations(&end));
    // Not so that of a robot that has not stood yet.
    let mut walk = Walk::new();
    let end = walk.go(10.0, 0.1, |_| turns(0.02, 0.1 * quarter));
    assert!(end.odom_from_body.rotation.angle() < 1e-9 && deviations(&end)[5] > quarter);
}

#[test]
fn when_the_body_is_jerked_about_expect_its_way_less_certain_and_more_so_than_the_same_at_rest() {
    let jerks = |time: f64| 0.3 * (time * 7.0).sin();
    let jerked =
        |speed: f64| Walk::new().go(10.0, speed, |time| Some(Inertial { spin: Vector3::z() * jerks(time), ..rest() }));
    let [walks, stands] = [0.05, 0.0].map(|speed| deviations(&jerked(speed))[0]);
    let blind = deviations(&Walk::new().go(10.0, 0.05, |_| None))[0];
    assert!(walks > 2.0 * blind && stands < 0.5 * blind, "{walks} {stands} {blind}");
}

#[test]
fn when_the_sensor_tells_nonsense_or_after_a_gap_expect_nothing_changed() {
    let (mut walk, mut blind) = (Walk::new(), Walk::new());
    walk.go(1.0, 0.05, |_| None);
    for wrong in [f64::NAN, f64::INFINITY] {
        walk.odometry.sense(&Inertial { spin: Vector3::z() * wrong, ..rest() }, STEP_S);
        walk.odometry.sense(&Inertial { up: Vector3::x() * wrong, ..rest() }, STEP_S);
        walk.odometry.sense(&rest(), wrong);
    }
    for since_s in [-1.0, 0.0, 5.0] {
        walk.odometry.sense(&Inertial { spin: Vector3::z() * 9.0, ..rest() }, since_s);
    }
    assert_eq!(walk.go(1.0, 0.05, |_| None), blind.go(2.0, 0.05, |_| None));
}

#[test]
fn when_commands_of_a_robot_that_walks_are_lost_and_its_feet_stand_as_before_expect_that_it_may_have_walked_on() {
    for (speed, walked) in [(0.1, true), (0.0, false)] {
        let mut walk = Walk::new();
        let before = deviations(&walk.go(1.0, speed, |_| None));
        walk.ticks += 80;
        let after = deviations(&walk.go(STEP_S, 0.0, |_| None));
        assert_eq!(after[0] > before[0] + 0.15 && after[5] > before[5] + 0.5, walked, "{before:?} {after:?}");
    }
}
