//! Walks a number of ticks, for counting instructions: `valgrind --tool=callgrind target/release/examples/ticks 10000`.

#[path = "../tests/common/mod.rs"]
mod common;

#[allow(clippy::unwrap_used, reason = "an example of the shipped robot has nothing to recover from")]
fn main() {
    let ticks: usize = std::env::args().nth(1).map_or(1000, |n| n.parse().unwrap());
    let mut engine = common::engine(6);
    let input = common::twist(0.06, 0.0, 0.2);
    let mut sum = 0.0;
    for _ in 0..ticks {
        sum += engine.step(&input, 0.01).angles[0][0];
    }
    println!("{sum}");
}
