//! Walks a number of ticks, for counting instructions: `valgrind --tool=callgrind target/release/examples/ticks 3000 walk`,
//! less the same with 1000. In place of `walk`: `steer` (another twist at each tick), `pose` (another body pose at each
//! tick, walking), `far` (further than the feet reach), `lean` (the same, standing), `tilted` (one pose, walking), `crawl`
//! (four legs).

#[path = "../tests/common/mod.rs"]
mod common;

use hexapod_gait::BodyOffset;
use nalgebra::Vector3;

#[allow(clippy::unwrap_used, reason = "an example of the shipped robot has nothing to recover from")]
fn main() {
    let ticks: usize = std::env::args().nth(1).map_or(1000, |n| n.parse().unwrap());
    let what = std::env::args().nth(2).unwrap_or_else(|| "walk".into());
    let mut engine = common::engine(if what == "crawl" { 4 } else { 6 });
    let mut input = common::twist(0.06, 0.0, 0.2);
    if what == "lean" {
        engine.stand();
    }
    let mut sum = 0.0;
    for tick in 0..ticks {
        let (sin, cos) = (0.05 * tick as f64).sin_cos();
        match what.as_str() {
            "steer" => input = common::twist(0.05 * sin, 0.05 * cos, 0.3 * sin),
            "pose" | "lean" | "far" => {
                let size = if what == "far" { 0.05 } else { 0.01 };
                let translation = Vector3::new(size * sin, size * cos, 0.5 * size * sin);
                input.body_offset = BodyOffset { translation, rotation: translation * 5.0 };
            }
            "tilted" => {
                let rotation = Vector3::new(0.05, 0.05, 0.1);
                input.body_offset = BodyOffset { translation: Vector3::new(0.01, 0.0, 0.01), rotation };
            }
            _ => {}
        }
        if what == "lean" {
            input.twist = hexapod_gait::Twist::ZERO;
        }
        sum += engine.step(&input, 0.01).angles[0][0];
    }
    println!("{sum} {:?}", engine.last().state);
}
