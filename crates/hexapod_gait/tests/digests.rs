//! Digests of all joint angles of seeded drives: two revisions whose digests are the same, printed on one machine, walk
//! the same bit for bit. `cargo test -p hexapod_gait digests -- --nocapture`

use crate::common::random::{Act, Random};
use crate::common::{bits, engine, specs};
use hexapod_gait::{Engine, GaitSpec, Input};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Drives an engine as the seed says, and digests the angles of all ticks.
fn digest(mut engine: Engine, specs: &[GaitSpec], seed: u64) -> u64 {
    let mut random = Random(seed);
    let dt = [0.01, 0.02, 0.003, 0.001][random.index(4)];
    let (mut hasher, mut input) = (DefaultHasher::new(), Input::default());
    engine.stand();
    for _ in 0..30 {
        Act::any(&mut random).ask(&mut engine, specs, &mut input);
        for _ in 0..random.index((3.0 / dt) as usize) {
            let tick = engine.step(&input, dt);
            bits(&tick.angles).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[test]
fn when_drives_are_repeated_expect_the_same_digests() {
    for legs in [4, 6, 8] {
        for seed in 0..8 {
            let first = digest(engine(legs), &specs(legs), seed);
            println!("{legs} legs, seed {seed}: {first:016x}");
            assert_eq!(first, digest(engine(legs), &specs(legs), seed));
        }
    }
}
