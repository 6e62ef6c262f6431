//! Drives that nobody has chosen, for counting instructions: `drives SEED COUNT` draws a gait, a twist and mostly a stream of
//! poses for each of so many seeds, and prints a line for each. With
//! `valgrind --tool=callgrind --toggle-collect=hexapod_gait::engine::Engine::step --zero-before=drives::counted
//! --dump-after=drives::counted target/release/examples/drives 0 120` the dumps, in the order of the lines, hold what
//! `COUNTED` ticks of each took.

#[path = "../tests/common/mod.rs"]
mod common;

use common::random::Random;
use hexapod_gait::{BodyOffset, Engine, Input, Twist};
use nalgebra::Vector3;

/// Ticks that are counted of each drive, and those before them.
const COUNTED: usize = 1500;
const BEFORE: usize = 700;

/// A drive: a gait, a twist, and poses that stream in.
#[derive(Debug)]
struct Drive {
    gait: usize,
    twist: Twist,
    /// To where the pose goes from side to side, how fast (rad/s), and ticks from one to the next; none without.
    stream: Option<(BodyOffset, f64, usize)>,
}

impl Drive {
    fn of(seed: u64) -> Self {
        let mut random = Random(seed);
        let gait = random.index(4);
        let size = [0.3, 1.0, 3.0][random.index(3)];
        let twist = Twist::new(random.range(-0.15, 0.15), random.range(-0.15, 0.15), random.range(-0.8, 0.8));
        let twist = if random.index(5) == 0 { twist } else { twist.scaled(size) };
        let poses = random.index(3);
        if poses == 0 {
            return Self { gait, twist, stream: None };
        }
        let twist = if poses == 1 { Twist::ZERO } else { twist };
        let fraction = [0.3, 1.0, 2.0][random.index(3)];
        let all = random.index(7);
        let pick = |k: usize, size: f64| if all == 6 || all == k { size * fraction } else { 0.0 };
        let offset = BodyOffset {
            translation: Vector3::new(pick(0, 0.02), pick(1, 0.02), pick(2, 0.015)),
            rotation: Vector3::new(pick(3, 0.1), pick(4, 0.1), pick(5, 0.15)),
        };
        Self { gait, twist, stream: Some((offset, random.range(1.0, 6.0), [1, 2, 5][random.index(3)])) }
    }

    fn input(&self, tick: usize) -> Input {
        let twist = self.twist;
        let Some((offset, speed, each)) = self.stream else { return Input { twist, ..Input::default() } };
        let angle = speed * 0.01 * (tick - tick % each) as f64;
        let (a, b) = (angle.sin(), (1.3 * angle + 0.4).sin());
        let body_offset = BodyOffset { translation: offset.translation * a, rotation: offset.rotation * b };
        Input { twist, body_offset, ..Input::default() }
    }
}

#[inline(never)]
fn counted(engine: &mut Engine, inputs: &[Input]) -> (f64, u32) {
    let (mut sum, mut steps) = (0.0, 0);
    for input in inputs {
        sum += engine.step(input, 0.01).angles[0][0];
        steps += engine.work().steps;
    }
    (sum, steps)
}

#[allow(clippy::unwrap_used, reason = "an example has nothing to recover from")]
fn main() {
    let mut arguments = std::env::args().skip(1).map(|n| n.parse::<u64>().unwrap());
    let (first, count) = (arguments.next().unwrap_or(0), arguments.next().unwrap_or(20));
    let engines: Vec<Engine> = common::specs(6).iter().map(|spec| common::engine_with(6, spec)).collect();
    for seed in first..first + count {
        let drive = Drive::of(seed);
        let mut engine = engines[drive.gait].clone();
        engine.stand();
        for _ in 0..200 {
            engine.step(&Input::default(), 0.01);
        }
        let inputs: Vec<Input> = (0..BEFORE + COUNTED).map(|tick| drive.input(tick)).collect();
        for input in &inputs[..BEFORE] {
            engine.step(input, 0.01);
        }
        let (sum, steps) = counted(&mut engine, &inputs[BEFORE..]);
        let (solved, tick) = (f64::from(steps) / 3.0 / COUNTED as f64, engine.last());
        println!("{seed} {drive:?} {:?} by {:?}, solved {solved:.2} times a tick, {sum}", tick.state, tick.limited_by);
    }
}
