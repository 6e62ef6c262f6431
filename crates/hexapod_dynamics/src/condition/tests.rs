use super::*;
use crate::STANDARD_GRAVITY;
use nalgebra::{Rotation3, Vector2, Vector3};

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
        Self::sized(0.2)
    }

    /// One whose feet are so far from its middle, m.
    fn sized(radius_m: f64) -> Self {
        let mut down = [false; MAX_LEGS];
        down[..6].fill(true);
        let (twist, over_feet) = ([0.0; 3], Vector2::zeros());
        let planned = Planned { up: Vector3::z(), down, twist, over_feet, on_its_feet: true, moves: false };
        Self { watch: ConditionWatch::new(radius_m), planned, feet: [None; MAX_LEGS], body: Rotation3::identity() }
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
        bench.planned.up = bench.body.inverse() * Vector3::z();
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
fn when_a_lifted_robot_is_turned_over_and_put_on_its_feet_expect_it_lifted_no_longer() {
    let mut bench = Bench::new();
    bench.feet[..6].fill(Some(true));
    bench.rest(2.0);
    bench.feet[..6].fill(Some(false));
    assert_eq!(bench.rest(0.5), Condition::Lifted);
    assert_eq!(bench.go(0.7, Vector3::x() * 1.7, |_| Vector3::zeros()), Condition::Fallen);
    // It lies on its belly, limp: no foot feels anything.
    (bench.body, bench.planned.on_its_feet) = (Rotation3::identity(), false);
    bench.rest(1.0);
    bench.watch.recover();
    assert_eq!(bench.rest(5.0), Condition::Ok);
    bench.planned.on_its_feet = true;
    bench.feet[..6].fill(Some(true));
    assert_eq!(bench.rest(1.0), Condition::Ok);
    bench.feet[..6].fill(Some(false));
    assert_eq!(bench.rest(0.5), Condition::Lifted);
}

#[test]
fn when_a_walk_meets_an_obstacle_expect_it_blocked_within_a_second_and_none_that_gets_on_or_walks_too_slowly() {
    let small = (0.2, 1.0);
    // Nine times as large it walks three times as fast, in steps of three times the time.
    let large = (2.7, 3.0);
    let walks = [(0.1, true), (0.05, true), (0.035, false)];
    for ((radius_m, pace), (speed, blocked)) in
        [small, large].into_iter().flat_map(|size| walks.map(|walk| (size, walk)))
    {
        let speed = pace * speed;
        let mut bench = Bench::sized(radius_m);
        bench.rest(2.0);
        bench.walk(speed);
        // It comes up to its speed in a tick, as planned.
        bench.go(DT, Vector3::zeros(), |_| Vector3::x() * speed / DT);
        let jolts = |most: f64| {
            move |t: f64| Vector3::x() * most / pace * if (t / pace * 4.0 + 0.25).fract() < 0.5 { 1.0 } else { -1.0 }
        };
        assert_eq!(bench.go(20.0, Vector3::zeros(), jolts(1.0 * speed)), Condition::Ok, "{speed} m/s");
        bench.go(DT, Vector3::zeros(), |_| -Vector3::x() * speed / DT);
        let reported = bench.go(1.1 * pace, Vector3::zeros(), jolts(-32.0 * speed));
        assert_eq!(reported == Condition::Blocked, blocked, "{speed} m/s: {reported:?}");
    }
}

#[test]
fn when_it_gets_on_again_expect_that_said_once() {
    let (mut bench, speed) = (Bench::new(), 0.1);
    bench.rest(2.0);
    bench.walk(speed);
    bench.go(DT, Vector3::zeros(), |_| Vector3::x() * speed / DT);
    bench.go(2.0, Vector3::zeros(), |_| Vector3::zeros());
    bench.go(DT, Vector3::zeros(), |_| -Vector3::x() * speed / DT);
    let (mut last, mut changes) = (Condition::Ok, 0);
    for tick in 0..(8.0 / DT) as usize {
        // The window is at the edge of what counts as blocked for seconds.
        let back_and_forth = if ((tick + 6) / 12) % 2 == 1 { 1.0 } else { -1.0 };
        let now = bench.go(DT, Vector3::zeros(), |_| Vector3::x() * (32.0 * speed * back_and_forth));
        changes += usize::from(now != last);
        last = now;
    }
    assert!((1..=3).contains(&changes), "{changes}");
}

#[test]
fn when_the_body_sways_over_its_feet_as_planned_expect_it_not_called_blocked() {
    const ACROSS_M: f64 = 0.08;
    let turns = std::f64::consts::TAU / 2.0;
    let sways = |planned: bool| {
        let mut bench = Bench::new();
        bench.rest(2.0);
        bench.walk(0.05);
        let mut blocked = false;
        for tick in 0..2000 {
            // Weight is shifted in jerks, ahead of each step.
            let at = turns * tick as f64 * DT;
            let over = Vector2::new(0.25 * ACROSS_M * (2.0 * at).sin(), ACROSS_M * at.sin());
            bench.planned.over_feet = if planned { over } else { Vector2::zeros() };
            let pull = Vector3::new(-ACROSS_M * (2.0 * at).sin(), -ACROSS_M * at.sin(), 0.0) * turns * turns;
            blocked |= bench.go(DT, Vector3::zeros(), |_| pull) == Condition::Blocked;
        }
        blocked
    };
    assert!(!sways(true));
    assert!(sways(false), "nobody has planned that");
}
