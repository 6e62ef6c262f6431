//! Drives the shipped robot and compares contacts estimated from what its servos bear with the truth:
//! `contacts [DRIVES OF EACH] [SECONDS] [SEED]`.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use rig::contact::{Found, listen};
use rig::course::{Course, FLOORS};
use rig::shipped::{GAITS, LISTENED_KINDS};

fn main() {
    let number = |n: usize, default: u64| std::env::args().nth(n).map_or(default, |text| text.parse().unwrap());
    let (each, seconds, mut seed) = (number(1, 2), number(2, 20) as f64, number(3, 1));
    println!(
        "| ground | servos | gait | found after, mean | most | false stances | false swings |\n|---|---|---|---|---|---|---|"
    );
    let mut totals: Vec<(String, Found)> = Vec::new();
    for floor in &FLOORS[..2] {
        for kind in LISTENED_KINDS {
            if let Ok(only) = std::env::var("KIND") {
                if only != kind {
                    continue;
                }
            }
            for gait in GAITS {
                let mut all = Found::default();
                for _ in 0..each {
                    let floor = floor.with_any_friction(seed);
                    all.add(&listen(&Course { floor, kind, gait, seed, restless: false }, seconds));
                    seed += 1;
                }
                let mut total = Found::default();
                total.add(&all);
                totals.push((format!("{} {kind}", floor.words()), total));
                let (mean, most) = (1e3 * all.mean_s(), 1e3 * all.most_s());
                println!(
                    "| {} | {kind} | {gait} | {mean:.0} ms | {most:.0} ms | {} of {} | {} of {} |",
                    floor.words(),
                    all.false_stances,
                    all.swings,
                    all.false_swings,
                    all.stances
                );
            }
        }
    }
    for four in totals.chunks(4) {
        let mut all = Found::default();
        four.iter().for_each(|x| all.add(&x.1));
        let over = |s: f64| all.late_s.iter().filter(|l| **l > s + 1e-6).count();
        println!(
            "{:40} mean {:.0} ms most {:.0} over 60: {} of {}; false stance {} of {}, false swing {}",
            four[0].0,
            1e3 * all.mean_s(),
            1e3 * all.most_s(),
            over(0.06),
            all.late_s.len(),
            all.false_stances,
            all.swings,
            all.false_swings
        );
    }
}
