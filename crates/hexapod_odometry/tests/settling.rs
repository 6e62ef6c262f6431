//! Feet whose anchors do not fit each other, as after servos have moved to where they are commanded to be.

use hexapod_odometry::Odometry;
use nalgebra::Vector3;
use proptest::prelude::*;
use std::time::Duration;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn standing() -> [Vector3<f64>; 6] {
    [(0.2, 0.15), (0.0, 0.2), (-0.2, 0.15), (0.2, -0.15), (0.0, -0.2), (-0.2, -0.15)]
        .map(|(x, y)| Vector3::new(x, y, -0.09))
}

proptest! {
    #[test]
    fn when_feet_have_settled_and_one_after_the_other_is_lifted_unseen_expect_the_body_where_it_is(
        settled in prop::array::uniform6(prop::array::uniform3(-5e-4..5e-4f64)),
        lifts in prop::collection::vec((0usize..6, 1u64..12, 0.002..0.015f64), 1..8),
    ) {
        let mut odometry = Odometry::new(6);
        let off: [Vector3<f64>; 6] = std::array::from_fn(|foot| standing()[foot] + Vector3::from(settled[foot]));
        odometry.update(ms(0), &off, Some(&[true; 6])).unwrap();
        let stood = odometry.update(ms(10), &standing(), Some(&[true; 6])).unwrap().odom_from_body;
        let mut now = 10;
        for (foot, ticks, height) in lifts {
            let heights = (1..=ticks).chain((0..ticks).rev()).map(|tick| height * tick as f64 / ticks as f64);
            for lift in heights {
                let mut feet = standing();
                feet[foot].z += lift;
                now += 10;
                let found = odometry.update(ms(now), &feet, Some(&[true; 6])).unwrap();
                let moved = stood.inverse() * found.odom_from_body;
                // A foot that is left out no longer holds the body where its anchor had it.
                prop_assert!(moved.translation.vector.norm() < 1e-3, "{moved}");
                prop_assert!(moved.rotation.angle() < 4e-3, "foot {foot} at {lift}: {}", moved.rotation.angle());
            }
        }
    }
}

/// Encoders of 4096 counts on legs of 0.25 m.
fn measured(feet: [Vector3<f64>; 6], seed: &mut u64) -> [Vector3<f64>; 6] {
    let mut noise = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        4e-4 * ((*seed >> 33) as f64 / f64::from(1_u32 << 31) - 0.5)
    };
    feet.map(|foot| foot + Vector3::from_fn(|_, _| noise()))
}

#[test]
fn when_angles_are_measured_and_a_foot_slides_expect_the_body_not_to_follow() {
    // Fast, and so slowly that it is lost in the noise of a sample.
    for (step, ticks) in [(2.5e-3, 12), (2.5e-4, 120)] {
        let (mut odometry, mut seed, mut last) = (Odometry::new(6), 1, None);
        for tick in 0..300_u64 {
            let mut feet = standing();
            feet[2].y += step * tick.saturating_sub(100).min(ticks) as f64;
            let feet = measured(feet, &mut seed);
            last = Some(*odometry.update(ms(10 * tick), &feet, Some(&[true; 6])).unwrap());
        }
        let moved = last.unwrap().odom_from_body.translation.vector.xy();
        assert!(moved.norm() < 1.5e-3, "{step} m a sample: {:?}", moved.data);
    }
}

#[test]
fn when_angles_are_measured_and_a_robot_stands_expect_it_to_stay_where_it_is() {
    let (mut odometry, mut seed) = (Odometry::new(6), 7);
    for tick in 0..3000_u64 {
        let feet = measured(standing(), &mut seed);
        let pose = odometry.update(ms(10 * tick), &feet, Some(&[true; 6])).unwrap().odom_from_body;
        assert!(pose.translation.vector.xy().norm() < 1e-3, "{pose} at {tick}");
    }
}
