//! Footholds that others plan.

use super::*;
use crate::command::PlannedFoothold;
use hexapod_kinematics::math;
use nalgebra::{Point3, Vector3};

const LEG: usize = 0;

impl Bench {
    fn walking() -> Self {
        let mut bench = Self::standing();
        bench.walk(2.0, |_| None);
        assert_eq!(bench.state(), GaitState::Walking);
        bench
    }

    /// Walks ahead, with what `planned` says at each tick of the place of a foot in the body.
    fn walk(&mut self, seconds: f64, mut planned: impl FnMut(&Tick) -> Option<Vector3<f64>>) -> Vec<Tick> {
        let mut ticks = Vec::new();
        for _ in 0..(seconds * 100.0) as usize {
            self.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
            if let Some(in_body) = planned(self.core.last()) {
                self.send(Command::Foothold(LEG, PlannedFoothold { in_body, at: self.now }));
            }
            self.tick(1);
            ticks.push(*self.core.last());
        }
        ticks
    }

    fn refused(&mut self) -> Option<&'static str> {
        self.core.take_refused().map(|refused| refused.reason)
    }

    /// A place in the footprint frame, in the body.
    fn in_body(&self, place: Vector3<f64>) -> Vector3<f64> {
        self.core.last().footprint_from_body.inverse_transform_point(&Point3::from(place)).coords
    }

    fn rest(&self) -> Vector3<f64> {
        self.core.player.engine().rest_feet()[LEG].push(0.0)
    }
}

#[test]
fn when_places_are_said_again_and_again_expect_each_step_there() {
    let mut bench = Bench::walking();
    let wanted = bench.in_body(bench.rest() + Vector3::new(0.02, 0.03, 0.0));
    bench.walk(2.0, |_| Some(wanted));
    let ticks = bench.walk(2.0, |_| Some(wanted));
    let landed: Vec<f64> = ticks.iter().filter(|tick| tick.contacts[LEG]).map(|tick| tick.feet[LEG].y).collect();
    assert!(landed.len() > 50 && landed.iter().all(|y| (y - bench.rest().y - 0.03).abs() < 1e-3), "{landed:?}");
    assert_eq!(bench.refused(), None);
}

#[test]
fn when_one_place_is_said_once_expect_the_next_step_there_as_the_ground_goes_by_and_those_after_as_ever() {
    let mut bench = Bench::walking();
    // A foot that has been put down just now is not lifted for a while.
    let mut stood = true;
    while stood || !bench.core.last().contacts[LEG] {
        stood = bench.core.last().contacts[LEG];
        bench.walk(0.01, |_| None);
    }
    let mut place = bench.rest() + Vector3::new(0.06, -0.02, 0.0);
    let mut once = Some(bench.in_body(place));
    let (mut was_up, mut landings) = (false, Vec::new());
    for tick in bench.walk(3.0, |_| once.take()) {
        place.x -= tick.twist.vx * DT.as_secs_f64();
        if was_up && tick.contacts[LEG] {
            landings.push(tick.feet[LEG] - place);
        }
        was_up = !tick.contacts[LEG];
    }
    assert!(landings.len() >= 2 && landings[0].norm() < 2e-3, "{landings:?}");
    assert!((landings[1].y - 0.02).abs() < 1e-3, "{landings:?}");
}

#[test]
fn when_a_place_is_out_of_reach_or_not_used_expect_why_and_steps_as_ever() {
    let mut bench = Bench::walking();
    let away = bench.in_body(bench.rest() + Vector3::new(0.5, 0.0, 0.0));
    let mut once = Some(away);
    let ticks = bench.walk(1.0, |_| once.take());
    assert!(bench.refused().is_some_and(|reason| reason.contains("out of that foot's reach")));
    assert!(ticks.iter().all(|tick| (tick.feet[LEG].y - bench.rest().y).abs() < 1e-3));
    let mut bench = Bench::standing();
    let in_body = bench.in_body(bench.rest());
    bench.send(Command::Foothold(LEG, PlannedFoothold { in_body, at: bench.now }));
    bench.tick(90);
    assert_eq!(bench.refused(), None);
    bench.tick(20);
    assert!(bench.refused().is_some_and(|reason| reason.contains("was not lifted")));
}

#[test]
fn when_places_are_anything_expect_no_jump_and_no_fault() {
    let mut bench = Bench::walking();
    let (mut turn, mut last) = (0.0_f64, *bench.core.last());
    let rest = bench.in_body(bench.rest());
    let ticks = bench.walk(10.0, |_| {
        turn += 1.0;
        let (sin, cos) = math::sin_cos(turn * turn);
        Some(rest + Vector3::new(0.3 * sin, 0.3 * cos, 0.1 * sin * cos))
    });
    for tick in ticks {
        for (leg, (now, before)) in tick.angles.iter().zip(&last.angles).enumerate().take(6) {
            let step = now.iter().zip(before.iter()).map(|(now, before)| (now - before).abs()).fold(0.0, f64::max);
            assert!(step < 0.15, "leg {leg}: {step} rad in a tick");
        }
        last = tick;
    }
}

#[test]
fn when_the_robot_is_stopped_expect_places_forgotten() {
    let mut bench = Bench::walking();
    let wanted = bench.in_body(bench.rest() + Vector3::new(0.02, 0.03, 0.0));
    bench.send(Command::Foothold(LEG, PlannedFoothold { in_body: wanted, at: bench.now }));
    bench.send(Command::Freeze("a test"));
    bench.tick(200);
    assert_eq!(bench.refused(), None);
}
