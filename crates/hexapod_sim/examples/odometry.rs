//! Drives the shipped robot over grounds, with all gaits and servos, and compares odometry with the truth: the drift per
//! metre, and the variances of `hexapod_odometry` fitted to it: `odometry [DRIVES OF EACH] [SECONDS] [SEED]`.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use rig::course::{Course, FLOORS};
use rig::drift::{Figure, Sample, drive};
use rig::shipped::{GAITS, KINDS};

fn main() {
    let number = |n: usize, default: u64| std::env::args().nth(n).map_or(default, |text| text.parse().unwrap());
    let (each, seconds, mut seed) = (number(1, 4), number(2, 30) as f64, number(3, 1));
    // By ground and servo.
    let mut all = Vec::new();
    println!("| ground | servos | {} |\n|---|---|{}", GAITS.join(" | "), "---|".repeat(GAITS.len()));
    for floor in FLOORS {
        for kind in KINDS {
            let mut of_kind = Vec::new();
            print!("| {} | {kind} |", floor.words());
            for gait in GAITS {
                let mut ends = Vec::new();
                for _ in 0..each {
                    let floor = floor.with_any_friction(seed);
                    let samples = drive(&Course { floor, kind, gait, seed, restless: false }, seconds);
                    ends.extend(samples.last().copied());
                    of_kind.extend(samples);
                    seed += 1;
                }
                print!(" {} |", drift(&ends));
            }
            println!();
            all.push((format!("{} with {kind}", floor.words()), of_kind));
        }
    }
    let every: Vec<Sample> = all.iter().flat_map(|(_, samples)| samples.iter().copied()).collect();
    println!(
        "\n{} comparisons\n\n| variance of | constant | grows with | covered as shipped | least | factor for 95 % everywhere |\n|---|---|---|---|---|---|",
        every.len()
    );
    for figure in Figure::ALL {
        let [fixed, growing @ ..] = figure.errors(&every).fit();
        let grows = figure.grows_with().iter().zip(growing).map(|(what, by)| format!("{by:.2e} {what}"));
        let covered = 100.0 * figure.covered(&every);
        let on_each = all.iter().map(|(on, samples)| (100.0 * figure.covered(samples), on));
        let (least, on) = on_each.min_by(|(one, _), (other, _)| one.total_cmp(other)).unwrap();
        let factor = all.iter().map(|(_, samples)| figure.factor(samples)).fold(0.0, f64::max);
        let grows = grows.collect::<Vec<_>>().join(" + ");
        println!(
            "| {} | {fixed:.2e} | {grows} | {covered:.1} % | {least:.1} % on {on} | {factor:.2} |",
            figure.words()
        );
    }
}

/// How far feet are from the middle of a body that turns, m.
const FOOT_M: f64 = 0.25;

/// Drift of place (mm) and of yaw (degrees) for each metre that the ground has moved below the feet, at the ends of drives:
/// medians.
fn drift(ends: &[Sample]) -> String {
    let way = |end: &Sample| end.estimate.travelled + FOOT_M * end.estimate.turned;
    let median = |of: fn(&Sample) -> f64| {
        let mut figures: Vec<f64> = ends.iter().map(|end| of(end) / way(end)).collect();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let place = median(|end| end.pose[0].hypot(end.pose[1]));
    let yaw = median(|end| end.pose[5].abs());
    format!("{:.0} mm, {:.1}°", 1e3 * place, yaw.to_degrees())
}
