//! How far the shipped robot gets in half a minute at 0.07 m/s over ground that nobody tells it, feeling it with its feet and
//! its IMU: `frontier NAME SIZE_M GAIT WALKS [LIFT_M] [FIRST_SEED]`. Prints fractions of the commanded way, and the greatest
//! leans, in degrees.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use hexapod_gait::{GaitState, Twist};
use hexapod_sim::{Ground, Terrain, lean};
use rig::rough::{Feels, Walker};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const SPEED: f64 = 0.07;

#[derive(Debug)]
struct Came {
    seed: u64,
    part: f64,
    lean: f64,
    fell: bool,
    gave_up: bool,
}

fn main() {
    let argument = |n: usize, default: &str| std::env::args().nth(n).unwrap_or_else(|| default.into());
    let (name, gait) = (argument(1, "rubble"), argument(3, "tripod"));
    let number = |n: usize, default: &str| argument(n, default).parse::<f64>().unwrap();
    let (size, walks, lift, first) =
        (number(2, "0.025"), number(4, "4") as u64, number(5, "0.05"), number(6, "1") as u64);
    let next = AtomicU64::new(first);
    let work = || {
        let seeds = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|s| *s < first + walks));
        seeds.map(|seed| walk(&name, size, &gait, lift, seed)).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = thread::scope(|scope| {
        let other = scope.spawn(work);
        let mine = work();
        mine.into_iter().chain(other.join().unwrap()).collect()
    });
    all.sort_by_key(|came| came.seed);
    let mean = |of: &dyn Fn(&Came) -> f64| all.iter().map(of).sum::<f64>() / walks as f64;
    let count = |of: &dyn Fn(&&Came) -> bool| all.iter().filter(of).count();
    let parts: Vec<String> = all.iter().map(|came| format!("{:.2}", came.part)).collect();
    println!(
        "{name:7} {size:5.3} {gait:7} way {:.3} lean {:.1} most {:.1} falls {} gave up {}   {}",
        mean(&|c| c.part),
        mean(&|c| c.lean),
        all.iter().map(|c| c.lean).fold(0.0, f64::max),
        count(&|c| c.fell),
        count(&|c| c.gave_up),
        parts.join(" ")
    );
}

fn walk(name: &str, size: f64, gait: &str, lift: f64, seed: u64) -> Came {
    let terrain = Terrain::named(name, (size != 0.0).then_some(size), seed).unwrap();
    let ground = Ground::of(terrain).with_friction(0.8);
    let mut walker = Walker::standing(gait, &ground, Feels::Imu);
    walker.engine.set_step_height(lift);
    let x = walker.world.base().translation.vector.x;
    let (mut worst, mut gave_up, mut fell) = (0.0_f64, false, false);
    for tick in 0..3000 {
        let out = walker.tick(Twist::new(SPEED, 0.0, 0.0));
        let leans = lean(&walker.world.base()).to_degrees();
        worst = worst.max(leans);
        fell |= leans > 45.0;
        gave_up |= out.state != GaitState::Walking && tick > 100;
    }
    Came { seed, part: (walker.world.base().translation.vector.x - x) / (SPEED * 30.0), lean: worst, fell, gave_up }
}
