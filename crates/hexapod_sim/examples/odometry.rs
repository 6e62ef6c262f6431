//! Drives the shipped robot over grounds, with all gaits and servos, and compares odometry with the truth: the drift per
//! metre, and the variances of `hexapod_odometry` fitted to it: `odometry [DRIVES OF EACH] [SECONDS] [SEED]`. With `rough` as
//! a fourth argument, the part of the errors within two deviations on rougher grounds.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use rig::course::{Course, FLOORS, ROUGH_FLOORS};
use rig::drift::{Figure, Pair, Sample, drive, drive_with};
use rig::mishaps::Mishap;
use rig::shipped::{GAITS, KINDS};

fn main() {
    let number = |n: usize, default: u64| std::env::args().nth(n).map_or(default, |text| text.parse().unwrap());
    let (each, seconds, mut seed) = (number(1, 4), number(2, 30) as f64, number(3, 1));
    if std::env::args().nth(4).is_some_and(|word| word == "rough") {
        return tell_rough(each, seconds, seed);
    }
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
                    let pairs = drive(&Course { floor, kind, gait, seed, restless: false }, seconds);
                    let samples: Vec<Sample> = pairs.iter().map(|pair| pair.without).collect();
                    ends.extend(samples.last().copied());
                    of_kind.push(samples);
                    seed += 1;
                }
                print!(" {} |", drift(&ends));
            }
            println!();
            all.push(Cell { on: format!("{} with {kind}", floor.words()), every: of_kind.concat(), drives: of_kind });
        }
    }
    tell_variances(&all);
}

/// On rough grounds and with mishaps, with each kind of servo that sags: 95 of 100 errors are no greater than this without an IMU,
/// and than that with one, and what part of the latter is within two deviations.
fn tell_rough(each: u64, seconds: f64, mut seed: u64) {
    const FIGURES: [Figure; 6] =
        [Figure::Place, Figure::Height, Figure::Tilt, Figure::Yaw, Figure::Speed, Figure::Turn];
    println!("| ground | servos | {} |\n|---|---|---|---|---|---|---|---|", FIGURES.map(Figure::words).join(" | "));
    let grounds = FLOORS[..1].iter().chain(&ROUGH_FLOORS).map(|floor| (floor, None));
    let mishaps = [Mishap::Shoved, Mishap::Lifted, Mishap::Lost].map(|mishap| (&FLOORS[0], Some(mishap)));
    for (floor, mishap) in grounds.chain(mishaps) {
        for kind in &KINDS[1..] {
            let mut every = Vec::new();
            for gait in GAITS {
                for _ in 0..each {
                    let floor = floor.with_any_friction(seed);
                    let course = Course { floor, kind, gait, seed, restless: false };
                    every.extend(drive_with(&course, mishap, seconds));
                    seed += 1;
                }
            }
            let by = |of: fn(&Pair) -> Sample| every.iter().map(of).collect::<Vec<_>>();
            let (with_imu, without) = (by(|pair| pair.with_imu), by(|pair| pair.without));
            let cells = FIGURES.map(|figure| {
                let (before, after) = (figure.error(&without), figure.error(&with_imu));
                let covered = 100.0 * figure.covered(&with_imu);
                if !figure.is_of_pose() {
                    format!("{covered:.1} %")
                } else if figure.is_of_place() {
                    format!("{:.0} mm, {:.0} mm, {covered:.1} %", 1e3 * before, 1e3 * after)
                } else {
                    format!("{:.1}°, {:.1}°, {covered:.1} %", before.to_degrees(), after.to_degrees())
                }
            });
            let on = mishap.map_or(floor.words(), |mishap| format!("{}, {mishap:?}", floor.words()).to_lowercase());
            println!("| {on} | {kind} | {} |", cells.join(" | "));
        }
    }
}

/// The drives on a ground with a kind of servo.
struct Cell {
    on: String,
    /// Of all drives.
    every: Vec<Sample>,
    /// Of each.
    drives: Vec<Vec<Sample>>,
}

/// The variances fitted to all drives, and what part of the errors those that ship cover: of all, and on the ground and
/// with the servos where it is least, with the standard error that this has between drives.
fn tell_variances(all: &[Cell]) {
    let every: Vec<Sample> = all.iter().flat_map(|cell| cell.every.iter().copied()).collect();
    println!(
        "\n{} comparisons\n\n| variance of | constant | grows with | covered as shipped | least | factor for 95 % everywhere |\n|---|---|---|---|---|---|",
        every.len()
    );
    for figure in Figure::ALL {
        let [fixed, growing @ ..] = figure.errors(&every).fit();
        let grows = figure.grows_with().iter().zip(growing).map(|(what, by)| format!("{by:.2e} {what}"));
        let grows = grows.collect::<Vec<_>>().join(" + ");
        let covered = 100.0 * figure.covered(&every);
        let on_each = all.iter().map(|cell| (100.0 * figure.covered(&cell.every), cell));
        let (least, cell) = on_each.min_by(|(one, _), (other, _)| one.total_cmp(other)).unwrap();
        let (error, on) = (100.0 * figure.covered_error(&cell.drives), &cell.on);
        let factor = all.iter().map(|cell| figure.factor(&cell.every)).fold(0.0, f64::max);
        println!(
            "| {} | {fixed:.2e} | {grows} | {covered:.1} % | {least:.1} ± {error:.1} % on {on} | {factor:.2} |",
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
