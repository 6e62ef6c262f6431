//! Time of the dynamics of a leg and of the forces on all feet. `cargo xtask bench --bench dynamics`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hexapod_dynamics::{BaseMotion, ForceEstimator, ForceSettings, JointVector, LegDynamics};
use hexapod_kinematics::{JointMotion, LegAngles, Robot};

#[path = "../../hexapod_dynamics/tests/common/mod.rs"]
mod common;

fn motions() -> Vec<JointMotion> {
    let of = |k: usize, f: fn(f64) -> f64| {
        LegAngles::from_fn(3, |i| [0.1, 0.5, -1.3][i] + 0.3 * f(std::f64::consts::TAU * k as f64 / 64.0))
    };
    (0..64)
        .map(|k| JointMotion {
            angles: of(k, f64::sin),
            speeds: of(k, f64::cos),
            accelerations: of(k, f64::sin),
            valid: true,
        })
        .collect()
}

fn estimators(robot: &Robot) -> Vec<ForceEstimator> {
    let legs = robot.legs().iter().map(|leg| LegDynamics::new(robot.model(), leg));
    legs.map(|leg| {
        let settings = ForceSettings::for_robot(&leg, 20.0, 0.01);
        ForceEstimator::try_new(leg, settings).unwrap()
    })
    .collect()
}

fn benches(c: &mut Criterion) {
    let robot = common::robot(common::SHIPPED);
    let (motions, base) = (motions(), BaseMotion::level());
    let torques = JointVector::from([0.1, 0.2, -0.3, 0.0, 0.0, 0.0]);
    let mut estimators = estimators(&robot);
    let mut k = 0;
    let mut next = move || {
        k = (k + 1) % 64;
        k
    };
    c.bench_function("six_legs_direct_and_observer", |b| {
        b.iter(|| {
            let motion = &motions[next()];
            for estimator in &mut estimators {
                black_box(estimator.update(black_box(motion), black_box(&torques), black_box(&base)));
            }
        });
    });
    let leg = common::leg(common::SHIPPED);
    c.bench_function("leg_inverse_dynamics", |b| {
        b.iter(|| {
            let JointMotion { angles, speeds, accelerations, .. } = &motions[next()];
            black_box(leg.inverse_dynamics(black_box(angles), black_box(speeds), black_box(accelerations), &base));
        });
    });
    c.bench_function("leg_mass_matrix", |b| {
        b.iter(|| black_box(leg.at(black_box(&motions[next()].angles)).mass_matrix()))
    });
    c.bench_function("leg_regressor", |b| {
        b.iter(|| {
            let JointMotion { angles, speeds, accelerations, .. } = &motions[next()];
            black_box(leg.regressor(black_box(angles), black_box(speeds), black_box(accelerations), &base));
        });
    });
}

criterion_group! {
    name = dynamics;
    config = Criterion::default().sample_size(50).warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(1000));
    targets = benches
}
criterion_main!(dynamics);
