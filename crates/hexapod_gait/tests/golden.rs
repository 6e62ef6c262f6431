//! The golden tables, reproduced through the public API. Frames and units are converted here, not in the library.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod_gait::arc::{ArcStep, turning_radius};
use hexapod_gait::{Gait, GaitSpec, LegPhase, LegPlace, SwingProfile};
use nalgebra::Vector2;
use std::collections::HashMap;

fn rows(text: &str) -> impl Iterator<Item = HashMap<&str, f64>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(move |line| names.iter().copied().zip(line.split(',').map(|cell| cell.parse().unwrap())).collect())
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-3), "{what}: {found}, expected {expected}");
}

/// The table's frame is x right, z forward, in mm; ours is x forward, y left, in m, and turns left when positive.
fn ours(x_right_mm: f64, z_forward_mm: f64) -> Vector2<f64> {
    Vector2::new(z_forward_mm, -x_right_mm) / 1000.0
}

/// Where a foot on the ground, at rest at `rest` (m, body frame), is at `time` in [0, 1] of its stance: at 0.5 at rest.
fn foot(step: &ArcStep, rest: Vector2<f64>, time: f64) -> Vector2<f64> {
    step.twist(1.0).motion(time - 0.5).apply_inverse(rest)
}

/// A foot's place in a straight step: the signed fraction of the step it is ahead of rest (+1/2 at touch-down, -1/2 at
/// lift-off) and the fraction of the step height it is lifted.
fn step_fraction(gait: &Gait, leg: usize, phase: f64) -> (f64, f64) {
    match gait.leg_phase(leg, phase) {
        LegPhase::Stance(t) => (0.5 - t, 0.0),
        LegPhase::Swing(s) => (gait.swing().travel(s) - 0.5, gait.swing().lift(s)),
    }
}

#[test]
fn when_walking_arcs_expect_the_golden_table() {
    let table: Vec<_> = rows(include_str!("golden/arc_trajectory.csv")).collect();
    assert!(table.len() > 500);
    let mut feet: Vec<Vector2<f64>> = Vec::new();
    for leg in 0..6 {
        let row = table.iter().find(|row| row["leg"] == f64::from(leg)).unwrap();
        feet.push(ours(row["x0_mm"], row["z0_mm"]));
    }
    for row in &table {
        let (distance, curvature) = (row["distance_mm"] / 1000.0, -row["curvature"]);
        let step = ArcStep::new(distance, curvature, &feet);
        let rest = ours(row["x0_mm"], row["z0_mm"]);
        let centre = Vector2::new(0.0, step.radius);
        assert_close(-turning_radius(distance, curvature) * 1000.0, row["centre_x_mm"], "centre");
        assert_close((rest - centre).norm() * 1000.0, row["radius_mm"], "radius");
        assert_close(-step.arc, row["arc_rad"], "arc");
        let foot = foot(&step, rest, row["time"]);
        let expected = ours(row["x_mm"], row["z_mm"]);
        assert!((foot - expected).norm() * 1000.0 <= 1e-6 * row["radius_mm"].max(100.0), "{row:?}: {foot}");
    }
}

#[test]
fn when_stepping_a_tripod_with_the_sine_expect_the_golden_table() {
    let spec = GaitSpec {
        duty_factor: 0.5,
        cycle_time: 1.0,
        lag: 0.5,
        side_lag: 0.5,
        swing: SwingProfile::Sine,
        ..GaitSpec::default()
    };
    let place = |name: &str, left, rank| LegPlace { name: name.into(), left, rank };
    let places = [
        place("left_front", true, 0),
        place("left_middle", true, 1),
        place("left_rear", true, 2),
        place("right_front", false, 0),
        place("right_middle", false, 1),
        place("right_rear", false, 2),
    ];
    let gait = Gait::try_new(&spec, &places).unwrap();
    let triads = [[0, 2, 4], [3, 5, 1]];
    let mut checked = 0;
    for row in rows(include_str!("golden/tripod_step.csv")) {
        for leg in triads[row["triad"] as usize - 1] {
            let (offset, lift) = step_fraction(&gait, leg, row["phase"]);
            assert_close(offset, row["offset_fraction"], "offset");
            assert_close(lift, row["lift_fraction"], "lift");
            checked += 1;
        }
    }
    assert_eq!(checked, 34 * 3);
}

#[test]
fn when_a_foot_is_at_half_of_its_stance_expect_it_at_rest() {
    let feet = [Vector2::new(0.1, 0.2), Vector2::new(-0.1, -0.15)];
    for curvature in [-5.0, -1.2, -0.3, 0.0, 0.7, 1.999, f64::NAN] {
        for distance in [-0.06, 0.02, 0.11] {
            let step = ArcStep::new(distance, curvature, &feet);
            for foot in feet {
                assert!((self::foot(&step, foot, 0.5) - foot).norm() < 1e-12);
            }
            let travel = |foot: Vector2<f64>| (foot - Vector2::new(0.0, step.radius)).norm() * step.arc.abs();
            let outermost = feet.iter().map(|&foot| travel(foot)).fold(0.0, f64::max);
            assert!((outermost - f64::abs(distance)).abs() < 1e-12);
        }
    }
}
