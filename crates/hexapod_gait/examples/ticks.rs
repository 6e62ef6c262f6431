//! Walks a number of ticks, for counting instructions: `valgrind --tool=callgrind target/release/examples/ticks 3000 walk`,
//! less the same with 1000. In place of `walk`: `steer` (another twist at each tick), `pose` (another body pose at each
//! tick, walking), `far` (further than the feet reach), `lean` (the same, standing), `tilted` (one pose, walking), `crawl`
//! (four legs), `arc` (faster, to the side and round), `heave` (another height of the body at each tick), `contacts` (feet
//! that feel the ground above where it was planned, and tell it late).

#[path = "../tests/common/mod.rs"]
mod common;

use hexapod_gait::{BodyOffset, Input};
use nalgebra::Vector3;

/// Ticks after which it all begins again: ten turns.
const ROUND: usize = 1257;

#[allow(clippy::unwrap_used, reason = "an example of the shipped robot has nothing to recover from")]
fn main() {
    let ticks: usize = std::env::args().nth(1).map_or(1000, |n| n.parse().unwrap());
    let what = std::env::args().nth(2).unwrap_or_else(|| "walk".into());
    let mut engine = common::engine(if what == "crawl" { 4 } else { 6 });
    let input = common::twist(0.06, 0.0, 0.2);
    if what == "lean" {
        engine.stand();
    }
    // Worked out before, so that the engine alone is counted.
    let inputs: Vec<Input> = (0..ROUND).map(|tick| input_at(&what, 0.05 * tick as f64, &input)).collect();
    let mut sum = 0.0;
    for input in inputs.iter().cycle().take(ticks) {
        let felt = what == "contacts";
        let input = if felt { &common::felt_above(&engine, input) } else { input };
        sum += engine.step(input, 0.01).angles[0][0];
    }
    println!("{sum} {:?}", engine.last().state);
}

/// What is asked of the robot at a moment of its round, rad.
fn input_at(what: &str, angle: f64, walking: &Input) -> Input {
    let (sin, cos) = angle.sin_cos();
    let size = if what == "far" { 0.05 } else { 0.01 };
    let translation = Vector3::new(size * sin, size * cos, 0.5 * size * sin);
    match what {
        "arc" => common::twist(0.09, 0.04, 0.35),
        "heave" => {
            let translation = Vector3::new(0.0, 0.0, size * sin);
            Input { body_offset: BodyOffset { translation, ..BodyOffset::default() }, ..*walking }
        }
        "steer" => common::twist(0.05 * sin, 0.05 * cos, 0.3 * sin),
        "pose" | "far" => Input { body_offset: BodyOffset { translation, rotation: translation * 5.0 }, ..*walking },
        "lean" => {
            let body_offset = BodyOffset { translation, rotation: translation * 5.0 };
            Input { body_offset, twist: hexapod_gait::Twist::ZERO, ..*walking }
        }
        "tilted" => {
            let rotation = Vector3::new(0.05, 0.05, 0.1);
            Input { body_offset: BodyOffset { translation: Vector3::new(0.01, 0.0, 0.01), rotation }, ..*walking }
        }
        _ => *walking,
    }
}
