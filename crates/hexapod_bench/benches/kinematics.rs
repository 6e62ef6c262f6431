//! Time of forward and inverse kinematics: `cargo xtask bench --bench kinematics`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hexapod_kinematics::{Batch, Lanes3, LegAngles, Robot, SelfCollision};
use nalgebra::Vector3;

#[path = "../../hexapod_kinematics/tests/common/mod.rs"]
mod common;
mod walk;

use walk::{STEPS, Walk};

fn benches(c: &mut Criterion) {
    let Walk { robot, feet, lanes, body_from_world: poses } = Walk::new();
    let batch = Batch::new(&robot).unwrap();
    let mut k = 0;
    let mut next = move || {
        k = (k + 1) % STEPS;
        k
    };
    c.bench_function("six_legs_pose_and_inverse_batch", |b| {
        let mut out = Lanes3::default();
        b.iter(|| {
            let k = next();
            let reached = batch.inverse_in_frame(black_box(&poses[k]), black_box(&lanes[k]), &mut out);
            black_box((reached, &out));
        });
    });
    let mut seeds = [LegAngles::from([0.0, 0.6, -1.7]); 6];
    c.bench_function("six_legs_pose_and_inverse_scalar", |b| {
        b.iter(|| {
            let k = next();
            let (feet, pose) = (black_box(&feet[k]), black_box(&poses[k]));
            let (turned, moved) = (pose.rotation.to_rotation_matrix(), pose.translation.vector);
            for ((leg, foot), seed) in robot.legs().iter().zip(feet).zip(&mut seeds) {
                let target = turned * foot + moved;
                *seed = leg.inverse(&target, seed).unwrap_or(*seed);
            }
            black_box(&seeds);
        });
    });
    c.bench_function("six_legs_forward_batch", |b| {
        let mut angles = Lanes3::default();
        batch.inverse(&lanes[0], &mut angles);
        let mut out = Lanes3::default();
        b.iter(|| {
            batch.forward(black_box(&angles), &mut out);
            black_box(&out);
        });
    });
    let leg = &robot.legs()[0];
    let seed = LegAngles::from([0.1, 0.6, -1.7]);
    c.bench_function("leg_forward", |b| b.iter(|| black_box(leg.foot_in_body(black_box(&seed)))));
    c.bench_function("leg_jacobian", |b| b.iter(|| black_box(leg.jacobian(black_box(&seed)))));
    c.bench_function("leg_nearest_unreachable", |b| {
        let far = leg.foot_in_body(&seed) * 2.0;
        b.iter(|| black_box(leg.closest_reachable(black_box(&far), &seed)));
    });
    let general = Robot::from_urdf(&common::random_robot(common::RandomLegs::General, &mut common::Random(3))).unwrap();
    c.bench_function("leg_inverse_quartic", |b| {
        let leg = &general.legs()[0];
        let target = leg.foot_in_body(&seed);
        b.iter(|| black_box(leg.inverse(black_box(&target), &seed)));
    });
    let many = Robot::from_urdf(&common::many_jointed(5)).unwrap();
    c.bench_function("leg_inverse_five_joints", |b| {
        let leg = &many.legs()[0];
        let seed = leg.posture();
        let target = leg.foot_in_body(&seed) + Vector3::new(0.002, 0.001, 0.001);
        b.iter(|| black_box(leg.inverse(black_box(&target), &seed)));
    });
    let standing = [LegAngles::from([0.0, 0.6, -1.7]); 6];
    let collision = SelfCollision::new(&robot, &standing, 0.02);
    c.bench_function("six_legs_and_body_apart", |b| {
        let legs = [0.2, -0.2].map(|turn| standing.map(|at| LegAngles::from([turn, at[1], at[2]])));
        b.iter(|| {
            let k = next();
            black_box(collision.check(&robot, black_box(&legs[k % 2])))
        });
    });
    let text = common::shipped();
    c.bench_function("robot_from_urdf", |b| b.iter(|| black_box(Robot::from_urdf(black_box(&text))).is_ok()));
}

criterion_group! {
    name = kinematics;
    config = Criterion::default().sample_size(50).warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(1000));
    targets = benches
}
criterion_main!(kinematics);
