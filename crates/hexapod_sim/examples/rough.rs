//! Walks the shipped robot over blocks and slopes of up to SIZE_M, each time with switches
//! below its feet and an IMU, with switches, and with neither, and
//! says how many walks lean by two degrees and more: `rough blocks|slopes [SIZE_M] [WALKS] [SEED] [TRACE.csv]`. The trace
//! has the ticks of the first walk with switches.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use rig::rough::{Feels, Outcome, Rough, Walker, each_seed};
use std::fmt::Write;

const SENSES: [(Feels, &str); 3] =
    [(Feels::Imu, "switches and IMU"), (Feels::Switches, "switches"), (Feels::Nothing, "neither")];
const LEANS_RAD: f64 = 2.0 * std::f64::consts::PI / 180.0;
const DEEP_M: f64 = 0.003;

fn main() {
    let argument = |n: usize, default: &str| std::env::args().nth(n).unwrap_or_else(|| default.into());
    let name = ["blocks", "slopes"].into_iter().find(|known| *known == argument(1, "blocks")).unwrap();
    let size: f64 = argument(2, "0.015").parse().unwrap();
    let (walks, first): (u64, u64) = (argument(3, "150").parse().unwrap(), argument(4, "1").parse().unwrap());
    if let Some(file) = std::env::args().nth(5) {
        std::fs::write(file, trace(&Rough { name, size, seed: first })).unwrap();
        return;
    }
    let mut all = each_seed(first, walks, |seed| {
        let rough = Rough { name, size, seed };
        (seed, rough.gait(), SENSES.map(|(feels, _)| rough.walk(feels, |_, _| {})))
    });
    all.sort_by(|a, b| b.2[0].lean.total_cmp(&a.2[0].lean));
    for (seed, gait, [with, switches, without]) in &all {
        if with.lean >= LEANS_RAD || with.depth > DEEP_M {
            println!(
                "seed {seed}: {gait} leans {:.2} degrees, {:.2} without an IMU, {:.2} without switches; {:.1} mm deep",
                with.lean.to_degrees(),
                switches.lean.to_degrees(),
                without.lean.to_degrees(),
                1e3 * with.depth
            );
        }
    }
    println!("{name} of {:.0} mm, {walks} walks, seeds from {first}", 1e3 * size);
    for (index, (_, words)) in SENSES.into_iter().enumerate() {
        let each = || all.iter().map(|(_, _, outcomes)| &outcomes[index]);
        let count = |of: &dyn Fn(&Outcome) -> bool| each().filter(|outcome| of(outcome)).count();
        let mean = |of: &dyn Fn(&Outcome) -> f64| each().map(of).sum::<f64>() / walks as f64;
        println!(
            "  {words}: {} lean 2 degrees and more (greatest {:.2}, mean of greatest {:.2}, mean {:.3}), {} press a foot \
             deeper than 3 mm (greatest {:.1}), way {:.3} m",
            count(&|outcome| outcome.lean >= LEANS_RAD),
            each().map(|outcome| outcome.lean).fold(0.0, f64::max).to_degrees(),
            mean(&|outcome| outcome.lean).to_degrees(),
            mean(&|outcome| outcome.mean).to_degrees(),
            count(&|outcome| outcome.depth > DEEP_M),
            1e3 * each().map(|outcome| outcome.depth).fold(0.0, f64::max),
            mean(&|outcome| outcome.way),
        );
    }
}

/// Of each tick: the true lean, and of each foot its force, where the engine has it and where it truly is.
fn trace(rough: &Rough) -> String {
    let mut text = String::from("tick,roll,pitch");
    (0..6).for_each(|leg| {
        let _ = write!(text, ",down{leg},force{leg},x{leg},y{leg},z{leg},true{leg}");
    });
    text.push('\n');
    let mut n = 0;
    rough.walk(Feels::Switches, |walker: &Walker, tick| {
        let (roll, pitch, _) = walker.world.base().rotation.euler_angles();
        let _ = write!(text, "{n},{roll:.5},{pitch:.5}");
        for leg in 0..6 {
            let (down, at) = (u8::from(tick.contacts[leg]), tick.feet[leg]);
            let (force, foot) = (walker.force(leg), walker.foot(leg));
            let _ = write!(text, ",{down},{force:.2},{:.4},{:.4},{:.5},{:.5}", at.x, at.y, at.z, foot.z);
        }
        text.push('\n');
        n += 1;
    });
    text
}
