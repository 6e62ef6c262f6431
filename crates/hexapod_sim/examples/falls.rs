//! Drives the shipped robot at random and counts its falls: `falls TERRAIN SIZE_M [DRIVES] [SECONDS] [SEED]`, one line
//! for each fall with the seed that has it again (`falls rubble 0.01 1 60 SEED`).

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use hexapod_sim::TERRAINS;
use rig::course::{Course, Floor};
use std::collections::BTreeMap;

fn main() {
    let argument = |n: usize, default: &str| std::env::args().nth(n).unwrap_or_else(|| default.into());
    let name = argument(1, "flat");
    let name = TERRAINS.iter().find(|known| **known == name).unwrap();
    let floor = Floor { name, size: argument(2, "0").parse().unwrap(), friction: 0.8 };
    let drives: u64 = argument(3, "1000").parse().unwrap();
    let seconds: f64 = argument(4, "60").parse().unwrap();
    let first: u64 = argument(5, "1").parse().unwrap();
    let (mut falls, mut by) = (0, BTreeMap::<String, [u32; 2]>::new());
    for seed in first..first + drives {
        let course = Course::random(floor, seed);
        let fall = course.drive(seconds);
        for key in [format!("servo {}", course.kind), format!("first gait {}", course.gait)] {
            let [driven, fallen] = by.entry(key).or_default();
            (*driven, *fallen) = (*driven + 1, *fallen + u32::from(fall.is_some()));
        }
        if let Some(fall) = fall {
            falls += 1;
            println!("seed {seed}: {} {}, after {:.2} s it {}", course.kind, course.gait, fall.seconds, fall.why);
        }
    }
    println!("{name} {} m: {falls} falls in {drives} drives of {seconds} s, seeds from {first}", floor.size);
    by.iter().for_each(|(key, [driven, fallen])| println!("  {key}: {fallen} of {driven}"));
}
