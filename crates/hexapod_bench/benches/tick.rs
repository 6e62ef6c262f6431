//! The whole tick: a command to 18 joint angles, walking an arc.

#[path = "../../hexapod_gait/tests/common/mod.rs"]
mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

fn tick(criterion: &mut Criterion) {
    let mut engine = common::engine(6);
    let input = common::twist(0.06, 0.0, 0.2);
    // Until it walks.
    (0..400).for_each(|_| {
        engine.step(&input, 0.01);
    });
    criterion.bench_function("tick, command to 18 angles", |bencher| {
        bencher.iter(|| black_box(engine.step(black_box(&input), 0.01).angles[0]));
    });
}

criterion_group!(benches, tick);
criterion_main!(benches);
