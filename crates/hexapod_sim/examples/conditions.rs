//! How soon a robot in physics is noticed to have fallen, to be lifted or blocked, and how often that is reported
//! wrongly: `conditions fallen|lifted|blocked [RUNS] [SEED]`, `conditions rubble|ramp [HOURS] [SEED]`. Exits with
//! status 1 where one is missed, late by more than a second, or reported wrongly.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use rig::condition::{Drive, LATE_S, Outcome, ROUGH, drive, lifted, pushed_over, walled};
use std::process::ExitCode;

/// Length of a drive, s.
const DRIVE_S: f64 = 60.0;

fn main() -> ExitCode {
    let argument = |n: usize, default: &str| std::env::args().nth(n).unwrap_or_else(|| default.into());
    let (name, seed) = (argument(1, "fallen"), argument(3, "1").parse().unwrap());
    let bad = match name.as_str() {
        "fallen" => runs(pushed_over, argument(2, "50").parse().unwrap(), seed),
        "lifted" => runs(lifted, argument(2, "50").parse().unwrap(), seed),
        "blocked" => runs(walled, argument(2, "50").parse().unwrap(), seed),
        floor => drives(floor, argument(2, "1").parse().unwrap(), seed),
    };
    ExitCode::from(u8::from(bad > 0))
}

fn runs(run: fn(u64) -> Outcome, runs: u64, first: u64) -> u32 {
    let (mut bad, mut late) = (0, Vec::new());
    for seed in first..first + runs {
        let outcome = run(seed);
        let is_good = outcome.is_good();
        late.extend(outcome.late_s());
        if !is_good {
            bad += 1;
            println!("seed {seed}: {outcome:?}");
        }
    }
    late.sort_by(f64::total_cmp);
    let at = |fraction: f64| late.get((fraction * (late.len() as f64 - 1.0)) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "{} of {runs} noticed within {LATE_S} s; late by {:.2} s in the median, {:.2} s at most",
        runs as u32 - bad,
        at(0.5),
        at(1.0)
    );
    bad
}

fn drives(name: &str, hours: f64, first: u64) -> u32 {
    let floor = *ROUGH.iter().find(|floor| floor.name == name).unwrap();
    let (mut all, mut seed, mut falls) = (Drive::default(), first, 0);
    while all.seconds < 3600.0 * hours {
        let one = drive(floor, seed, DRIVE_S);
        if one.wrong + one.stuck > 0 {
            println!("seed {seed}: {one:?}");
        }
        (all.seconds, all.wrong, all.stuck) = (all.seconds + one.seconds, all.wrong + one.wrong, all.stuck + one.stuck);
        falls += u32::from(one.fell);
        seed += 1;
    }
    println!(
        "{name}: {:.2} h in {} drives, {falls} ended by a fall; reported wrongly {} times, truly blocked {} times",
        all.seconds / 3600.0,
        seed - first,
        all.wrong,
        all.stuck
    );
    all.wrong
}
