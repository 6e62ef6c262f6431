//! The worst tick of random robots: `worst 200 1`, robots and seed.

#[path = "../tests/common/mod.rs"]
mod common;

use common::random::{Act, Random, any_engine};
use hexapod_gait::{Input, LimitedBy, Work};
use std::time::Instant;

#[allow(clippy::unwrap_used, reason = "an example has nothing to recover from")]
fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().unwrap());
    let (robots, seed) = (numbers.next().unwrap_or(200), numbers.next().unwrap_or(1));
    let mut most = Work::default();
    let mut all: Vec<(f64, String)> = vec![];
    for robot in 0..robots {
        let mut random = Random(seed * 1_000_003 + robot);
        let made = Instant::now();
        let (mut engine, specs) = any_engine(&mut random);
        let made = made.elapsed();
        let mut input = Input::default();
        let (mut worst, mut sum, mut ticks) = (0.0f64, 0.0, 0u32);
        let mut own = (0, 0, 0u64);
        let mut bound = 0;
        let mut worst_state = engine.last().state;
        engine.stand();
        'drive: for _ in 0..20 {
            Act::any(&mut random).ask(&mut engine, &specs, &mut input);
            for _ in 0..random.index(200) {
                let before = Instant::now();
                engine.step(&input, 0.01);
                let taken = before.elapsed().as_secs_f64() * 1e3;
                if taken > worst {
                    worst = taken;
                    worst_state = engine.last().state;
                }
                let work = engine.work();
                (most.rounds, most.steps) = (most.rounds.max(work.rounds), most.steps.max(work.steps));
                own.0 = own.0.max(work.rounds);
                own.1 = own.1.max(work.steps);
                own.2 += u64::from(work.steps);
                bound += u32::from(engine.last().limited_by == LimitedBy::Planning);
                sum += taken;
                ticks += 1;
                if sum > 3000.0 {
                    break 'drive;
                }
            }
        }
        let legs = engine.legs();
        let line = format!(
            "{robot}: {} legs of {} joints ({}), worst {worst:.3} ms ({}), mean {:.4} ms of {ticks}, rounds {} steps {} mean {} bound {bound}, made in {made:?}, end {}",
            legs.len(),
            legs[0].joint_count(),
            legs[0].inverse_method(),
            worst_state.as_str(),
            sum / f64::from(ticks),
            own.0,
            own.1,
            own.2 / u64::from(ticks),
            engine.last().state.as_str()
        );
        println!("{line}");
        all.push((worst, line));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("WORST {}", all[0].1);
    println!("{most:?}");
    println!("over 2 ms: {}", all.iter().filter(|(w, _)| *w > 2.0).count());
}
