//! Drives the shipped robot and compares contacts estimated from what its servos bear with the truth:
//! `contacts [DRIVES OF EACH GAIT] [SECONDS] [SEED]`.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use rig::contact::{Efforts, Found, listen};
use rig::course::{Course, FLOORS};
use rig::shipped::{GAITS, LISTENED_KINDS};

/// Servos that measure their torque, and one that measures its angle alone.
fn listened() -> impl Iterator<Item = (&'static str, &'static str, Efforts)> {
    let torques = LISTENED_KINDS.into_iter().map(|kind| (kind, "", Efforts::Measured));
    torques.chain([("sts3215", ", by its angle", Efforts::of_errors())])
}

/// Speeds straight ahead, m/s; `None`: a driver who thinks of something else every few seconds.
const SPEEDS: [Option<f64>; 4] = [None, Some(0.03), Some(0.06), Some(0.1)];

fn main() {
    let number = |n: usize, default: u64| std::env::args().nth(n).map_or(default, |text| text.parse().unwrap());
    let (each, seconds, mut seed) = (number(1, 2), number(2, 20) as f64, number(3, 1));
    println!(
        "| ground | driven | servos | found after, mean | most | after more than 60 ms | swings called stance | stances called swing |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (floor, ahead) in FLOORS[..2].iter().flat_map(|floor| SPEEDS.map(|ahead| (floor, ahead))) {
        for (kind, how, from) in listened() {
            let mut all = Found::default();
            for gait in GAITS {
                for _ in 0..each {
                    let floor = floor.with_any_friction(seed);
                    all.add(&listen(&Course { floor, kind, gait, seed, restless: false }, ahead, seconds, from));
                    seed += 1;
                }
            }
            let driven = ahead.map_or("at random".to_owned(), |speed| format!("at {speed} m/s"));
            println!("| {} | {driven} | {kind}{how} | {} |", floor.words(), row(&all));
        }
    }
}

fn row(all: &Found) -> String {
    let (mean, most) = (1e3 * all.mean_s(), 1e3 * all.most_s());
    let (late, downs) = (all.later_than(0.06), all.late_s.len());
    let (stances, swings, false_stances, false_swings) = (all.stances, all.swings, all.false_stances, all.false_swings);
    format!(
        "{mean:.0} ms | {most:.0} ms | {late} of {downs} | {false_stances} of {swings} | {false_swings} of {stances}"
    )
}
