//! Slope, step and roughness.

use crate::ground::{Noise, mapped, seen};
use hexapod_terrain::{ElevationMap, surface};
use nalgebra::{Point2, Vector3};
use proptest::prelude::*;

proptest! {
    #[test]
    fn when_a_plane_is_tilted_expect_its_slope_to_a_degree(
        slope_deg in 0.0..35.0_f64, yaw in -3.2..3.2_f64, seed in 0_u64..1000,
    ) {
        let (gradient, mut noise) = (slope_deg.to_radians().tan(), Noise(seed));
        let (along_x, along_y) = (gradient * yaw.cos(), gradient * yaw.sin());
        let mut map = ElevationMap::default();
        for _ in 0..4 {
            crate::ground::insert(
                &mut map,
                &seen(|x, y| along_x * x + along_y * y + 0.002 * noise.normal(), Point2::origin(), 0.14),
            );
        }
        let surface = surface(&map, &Point2::new(0.01, -0.02), 0.08).unwrap();
        prop_assert!((surface.slope_rad.to_degrees() - slope_deg).abs() < 1.0, "{surface:?}");
        let normal = Vector3::new(-along_x, -along_y, 1.0);
        prop_assert!(surface.normal.angle(&normal).to_degrees() < 1.0);
        prop_assert!(surface.roughness_m < 0.002, "{surface:?}");
        prop_assert!((surface.known - 1.0).abs() < 1e-12);
    }
}

#[test]
fn when_there_is_a_step_expect_its_height_and_a_rough_plane() {
    let map = mapped(|x, _| if x < 0.045 { 0.03 } else { 0.0 });
    let there = surface(&map, &Point2::new(0.045, 0.0), 0.04).unwrap();
    assert!((there.step_m - 0.03).abs() < 1e-6 && there.roughness_m > 0.004, "{there:?}");
    let beside = surface(&map, &Point2::new(0.15, 0.0), 0.04).unwrap();
    assert!(beside.step_m < 1e-6 && beside.roughness_m < 1e-6, "{beside:?}");
}

#[test]
fn when_little_is_known_expect_the_share_that_is_and_none_without_a_plane() {
    let map = mapped(|_, _| 0.0);
    let known = |x: f64| surface(&map, &Point2::new(x, 0.0), 0.05).map(|surface| surface.known);
    assert_eq!(known(0.0), Some(1.0));
    let half = known(0.3).unwrap();
    assert!((0.3..0.7).contains(&half), "{half}");
    assert_eq!(known(0.4), None);
}
