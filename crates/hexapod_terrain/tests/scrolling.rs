//! The window moves with the robot.

#![allow(clippy::unwrap_used)]

use crate::ground::{bits, follow, mapped};
use hexapod_terrain::{ElevationMap, Layout};
use nalgebra::{Point2, Point3};
use proptest::prelude::*;

/// A map whose cells are all known, each with a height of its own.
fn full() -> ElevationMap {
    let mut map = ElevationMap::new(Layout::try_new(16, 0.02).unwrap());
    for k in 0..256 {
        let (x, y) = (f64::from(k % 16) - 7.5, f64::from(k / 16) - 7.5);
        map.felt(&Point3::new(0.02 * x, 0.02 * y, 1e-3 * f64::from(k)), 1e-6, 0.0);
    }
    assert_eq!(map.cells().count(), 256);
    map
}

proptest! {
    /// Whatever the way, the cells that stayed within all along are as they were, to the bit, and no other is known.
    #[test]
    fn when_the_robot_moves_expect_forgotten_exactly_what_leaves(
        way in prop::collection::vec((-0.4..0.4_f64, -0.4..0.4_f64), 1..6),
    ) {
        let mut map = full();
        let mut expected: Vec<_> = map.cells().collect();
        for (x, y) in way {
            follow(&mut map, x, y);
            let centre = map.centre();
            expected.retain(|(at, _)| (at - centre).abs().max() < 0.16);
        }
        prop_assert_eq!(map.cells().count(), expected.len());
        for (at, height) in expected {
            prop_assert_eq!(map.height(&at), Some(height));
        }
    }

    #[test]
    fn when_the_robot_moves_expect_the_body_in_the_middle(x in -1e4..1e4_f64, y in -1e4..1e4_f64) {
        let mut map = full();
        follow(&mut map, x, y);
        let off = map.centre() - Point2::new(x, y);
        prop_assert!(off.abs().max() <= map.layout().cell_m() + 1e-9, "{off}");
    }
}

#[test]
fn when_the_robot_stands_or_moves_within_a_cell_expect_not_a_bit_changed() {
    let mut map = mapped(|x, y| 0.1 * x + 0.2 * y);
    let before = bits(&map);
    follow(&mut map, 0.001, 0.014);
    assert_eq!(bits(&map), before);
}

#[test]
fn when_the_robot_comes_back_from_beyond_expect_nothing_known() {
    let mut map = full();
    follow(&mut map, 0.5, 0.0);
    follow(&mut map, 0.0, 0.0);
    assert_eq!(map.cells().count(), 0);
}
