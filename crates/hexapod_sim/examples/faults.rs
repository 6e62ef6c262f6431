//! Plays faults of bus, boards, supply and servos while the shipped robot walks, at moments all over a step, and prints the
//! table of `docs/simulation.md`: `faults [SERVOS] [MOMENTS] [WORDS]`; with words those faults whose names have them.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use rig::faults::{Outcome, TROUBLES};
use rig::shipped::KINDS;

/// Ticks of a cycle of the tripod gait.
const CYCLE: usize = 80;

fn main() {
    let kind = std::env::args().nth(1).unwrap_or_else(|| "perfect".into());
    let kind = KINDS.iter().find(|known| **known == kind).unwrap();
    let moments: usize = std::env::args().nth(2).map_or(16, |text| text.parse().unwrap());
    let asked = std::env::args().nth(3).unwrap_or_default();
    println!("| fault | the robot | body on the ground | leans at most | driver |\n|---|---|---|---|---|");
    for (trouble, words) in TROUBLES.into_iter().filter(|(_, words)| words.contains(&asked)) {
        let all: Vec<Outcome> = (0..moments).map(|n| trouble.play(kind, n * CYCLE / moments)).collect();
        let mut deeds: Vec<_> = all.iter().map(|outcome| outcome.deed).collect();
        deeds.sort_unstable();
        let counted = |deed| deeds.iter().filter(|other| **other == deed).count();
        let mut distinct = deeds.clone();
        distinct.dedup();
        let reported: Vec<String> = match distinct[..] {
            [only] => vec![only.words().into()],
            _ => distinct.iter().map(|deed| format!("{} ({} of {moments})", deed.words(), counted(*deed))).collect(),
        };
        let most = |of: fn(&Outcome) -> f64| all.iter().map(of).fold(0.0, f64::max);
        let (soonest, impact) =
            (all.iter().filter_map(|outcome| outcome.down).reduce(f64::min), most(|one| one.impact));
        let down =
            soonest.map_or("-".into(), |after| format!("after {after:.1} s at {:.0} mm/s", 1e3 * impact.max(0.0)));
        let lean = most(|one| one.lean).to_degrees();
        let driver = all[0].driver.map_or("-".into(), |state| format!("`{state}`"));
        println!("| {words} | {} | {down} | {lean:.0} degrees | {driver} |", reported.join(", "));
    }
}
