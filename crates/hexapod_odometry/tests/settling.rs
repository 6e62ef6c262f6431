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
