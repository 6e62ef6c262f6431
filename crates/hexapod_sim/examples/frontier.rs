//! How far the shipped robot gets in half a minute at 0.07 m/s over unknown ground, which it feels with its feet and its IMU,
//! and sees with a depth camera where SEES is 1: `frontier NAME SIZE_M GAIT WALKS [LIFT_M] [FIRST_SEED] [SEES]`. Prints fractions of the commanded way, and the greatest leans,
//! in degrees.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use hexapod_gait::{GaitState, Twist};
use hexapod_sim::{Ground, Terrain, lean};
use rig::TICK_S;
use rig::rough::{Feels, Walker, each_seed};

const SPEED_M_S: f64 = 0.07;
/// By so much of it each seed is faster than the one before: on ground without chance, too, feet come down elsewhere.
const FASTER: f64 = 0.01;
const WALK_S: f64 = 30.0;
/// Ticks in which it sets out.
const SETS_OUT: usize = 100;
const FALLEN_DEG: f64 = 45.0;

struct Walk {
    fraction: f64,
    lean_deg: f64,
    gave_up: bool,
}

fn main() {
    let argument = |n: usize, default: &str| std::env::args().nth(n).unwrap_or_else(|| default.into());
    let number = |n: usize, default: &str| argument(n, default).parse::<f64>().unwrap();
    let (name, gait) = (argument(1, "rubble"), argument(3, "tripod"));
    let (size, walks, lift, first) = (number(2, "0.025"), number(4, "4"), number(5, "0.05"), number(6, "1"));
    let feels = if argument(7, "0") == "1" { Feels::Sees } else { Feels::Imu };
    let all = each_seed(first as u64, walks as u64, |seed| walk((&name, size), &gait, lift, seed, feels));
    let mean = |of: &dyn Fn(&Walk) -> f64| all.iter().map(of).sum::<f64>() / walks;
    let count = |of: &dyn Fn(&&Walk) -> bool| all.iter().filter(of).count();
    let fractions: Vec<String> = all.iter().map(|walk| format!("{:.2}", walk.fraction)).collect();
    println!(
        "{name:7} {size:5.3} {gait:7} way {:.3} lean {:.1} most {:.1} falls {} gave up {}   {}",
        mean(&|walk| walk.fraction),
        mean(&|walk| walk.lean_deg),
        all.iter().map(|walk| walk.lean_deg).fold(0.0, f64::max),
        count(&|walk| walk.lean_deg > FALLEN_DEG),
        count(&|walk| walk.gave_up),
        fractions.join(" ")
    );
}

fn walk((name, size): (&str, f64), gait: &str, lift: f64, seed: u64, feels: Feels) -> Walk {
    let terrain = Terrain::named(name, (size != 0.0).then_some(size), seed).unwrap();
    let mut walker = Walker::standing(gait, &Ground::of(terrain).with_friction(0.8), feels);
    walker.engine.set_step_height(lift);
    let speed = SPEED_M_S * (1.0 + FASTER * (seed as f64 - 1.0));
    let x = |walker: &Walker| walker.world.base().translation.vector.x;
    let (start, mut lean_deg, mut gave_up) = (x(&walker), 0.0_f64, false);
    for tick in 0..(WALK_S / TICK_S) as usize {
        let state = walker.tick(Twist::new(speed, 0.0, 0.0)).state;
        lean_deg = lean_deg.max(lean(&walker.world.base()).to_degrees());
        gave_up |= state != GaitState::Walking && tick > SETS_OUT;
    }
    Walk { fraction: (x(&walker) - start) / (speed * WALK_S), lean_deg, gave_up }
}
