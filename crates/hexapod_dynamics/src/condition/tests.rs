use super::*;
use crate::STANDARD_GRAVITY;
use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector3};

const DT: f64 = 0.01;

struct Bench {
    watch: ConditionWatch,
    planned: Planned,
    feet: [Option<bool>; MAX_LEGS],
    /// The body in the world.
    body: Rotation3<f64>,
}

impl Bench {
    /// A robot of six legs that stands still and has no feet that feel.
    fn new() -> Self {
        let mut down = [false; MAX_LEGS];
        down[..6].fill(true);
        let planned = Planned {
            footprint_from_body: Isometry3::identity(),
            down,
            twist: [0.0; 3],
            on_its_feet: true,
            moves: false,
        };
        Self { watch: ConditionWatch::new(0.2), planned, feet: [None; MAX_LEGS], body: Rotation3::identity() }
    }

    /// Goes on, while the body turns and is accelerated so, in its own axes.
    fn go(&mut self, seconds: f64, spin: Vector3<f64>, acceleration: impl Fn(f64) -> Vector3<f64>) -> Condition {
        for tick in 0..(seconds / DT).round() as usize {
            self.body *= Rotation3::new(spin * DT);
            let force = self.body.inverse() * Vector3::z() * STANDARD_GRAVITY + acceleration(tick as f64 * DT);
            self.watch.sense(&Inertial { spin, force, since_s: Some(DT) });
            self.watch.step(&self.planned, &self.feet, DT);
        }
        self.watch.condition()
    }

    fn rest(&mut self, seconds: f64) -> Condition {
        self.go(seconds, Vector3::zeros(), |_| Vector3::zeros())
    }

    fn walk(&mut self, speed: f64) {
        (self.planned.twist, self.planned.moves) = ([speed, 0.0, 0.0], true);
    }
}

#[test]
fn when_a_body_that_stood_turns_over_either_way_expect_it_fallen_and_none_that_leans_as_planned_or_never_stood() {
    for axis in [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()] {
        let mut bench = Bench::new();
        assert_eq!(bench.rest(2.0), Condition::Ok);
        assert_eq!(bench.go(0.4, axis * 1.7, |_| Vector3::zeros()), Condition::Ok, "it leans by less than 45 degrees");
        assert_eq!(bench.go(0.3, axis * 1.7, |_| Vector3::zeros()), Condition::Fallen);
        assert_eq!(bench.rest(10.0), Condition::Fallen);
        bench.watch.recover();
        assert_eq!(bench.rest(0.2), Condition::Fallen, "it still lies");
        let mut bench = Bench::new();
        bench.rest(2.0);
        bench.go(0.7, axis * 1.7, |_| Vector3::zeros());
        bench.watch.recover();
        bench.planned.footprint_from_body.rotation = UnitQuaternion::from_rotation_matrix(&bench.body);
        assert_eq!(bench.rest(1.0), Condition::Ok, "as commanded");
        let mut bench = Bench::new();
        bench.body = Rotation3::new(axis * 3.0);
        assert_eq!(bench.rest(10.0), Condition::Ok, "the IMU is mounted wrongly");
    }
}

#[test]
fn when_the_imu_falls_silent_or_a_push_shakes_it_expect_no_fall() {
    let mut bench = Bench::new();
    bench.rest(2.0);
    bench.watch.unsense();
    (0..500).for_each(|_| {
        bench.watch.step(&bench.planned, &bench.feet, DT);
    });
    assert_eq!(bench.watch.condition(), Condition::Ok);
    let mut bench = Bench::new();
    bench.rest(2.0);
    for _ in 0..20 {
        assert_eq!(bench.go(0.2, Vector3::zeros(), |_| Vector3::x() * 60.0), Condition::Ok);
        assert_eq!(bench.rest(0.3), Condition::Ok);
    }
}

#[test]
fn when_no_foot_feels_the_ground_expect_the_robot_lifted_until_feet_feel_it_and_none_of_feet_that_never_did() {
    let mut bench = Bench::new();
    let feel = |bench: &mut Bench, feels: bool| bench.feet[..6].fill(Some(feels));
    feel(&mut bench, false);
    assert_eq!(bench.rest(10.0), Condition::Ok, "they have never felt it");
    assert!(bench.watch.doubts_feet());
    feel(&mut bench, true);
    assert_eq!(bench.rest(1.0), Condition::Ok);
    feel(&mut bench, false);
    assert_eq!((bench.rest(0.2), bench.rest(0.2)), (Condition::Ok, Condition::Lifted));
    assert_eq!(bench.rest(10.0), Condition::Lifted);
    feel(&mut bench, true);
    assert_eq!((bench.rest(0.1), bench.rest(0.3)), (Condition::Lifted, Condition::Ok));
    feel(&mut bench, false);
    bench.feet[3] = Some(true);
    assert_eq!(bench.rest(10.0), Condition::Ok, "one foot carries");
    feel(&mut bench, false);
    bench.planned.on_its_feet = false;
    assert_eq!(bench.rest(10.0), Condition::Ok, "it sits on its belly");
}

#[test]
fn when_a_walk_meets_an_obstacle_expect_it_blocked_within_a_second_until_it_walks_anew() {
    for (speed, sways) in [(0.1, 0.0), (0.1, 1.0), (0.05, 0.0), (0.05, 0.5)] {
        let mut bench = Bench::new();
        bench.rest(2.0);
        bench.walk(speed);
        // It comes up to its speed in a tick, as planned.
        bench.go(DT, Vector3::zeros(), |_| Vector3::x() * speed / DT);
        let sway = move |t: f64| Vector3::x() * sways * if (t * 5.0 + 0.26).fract() < 0.5 { 1.0 } else { -1.0 };
        for _ in 0..20 {
            assert_eq!(bench.go(1.0, Vector3::zeros(), sway), Condition::Ok, "{speed} m/s");
        }
        bench.go(DT, Vector3::zeros(), |_| -Vector3::x() * speed / DT);
        let reported = bench.go(1.0, Vector3::zeros(), sway);
        assert_eq!(reported.as_str(), "blocked", "{speed} m/s");
        if speed < 0.1 {
            // That slow, it is not sure.
            continue;
        }
        assert_eq!(reported, Condition::Blocked, "{speed} m/s");
        (bench.planned.twist, bench.planned.moves) = ([0.0; 3], false);
        assert_eq!(bench.rest(5.0), Condition::Blocked, "it was halted, and says why");
        bench.walk(-speed);
        bench.go(DT, Vector3::zeros(), |_| -Vector3::x() * speed / DT);
        assert_eq!(bench.go(5.0, Vector3::zeros(), sway), Condition::Ok, "the other way it gets on");
    }
}

#[test]
fn when_the_imu_has_a_bias_and_the_robot_leans_turns_and_slips_expect_it_not_blocked() {
    let mut bench = Bench::new();
    let bias = |_: f64| Vector3::new(0.05, -0.05, 0.05);
    bench.body = Rotation3::new(Vector3::new(0.1, -0.1, 0.0));
    bench.go(2.0, Vector3::zeros(), bias);
    bench.walk(0.1);
    for turn in [0.3, 0.0, -0.4, 0.0] {
        bench.planned.twist[2] = turn;
        let velocity = Vector3::x() * bench.planned.twist[0];
        // It gets up to four fifths of its speed, and its velocity turns with it.
        bench.go(DT, Vector3::zeros(), |_| if turn == 0.3 { Vector3::x() * 0.08 / DT } else { Vector3::zeros() });
        let turns = Vector3::z() * turn;
        let reported = bench.go(4.0, turns, |t| bias(t) + turns.cross(&velocity) * 0.8);
        assert_eq!(reported, Condition::Ok, "turning by {turn} rad/s");
    }
}
