//! What a swing passes over.

use crate::ground::mapped;
use hexapod_terrain::highest_between;
use nalgebra::Point2;

#[test]
fn when_a_block_is_between_expect_its_height_and_beside_it_that_of_the_floor() {
    let map = mapped(|x, y| if (x - 0.06).abs() < 0.02 && y.abs() < 0.03 { 0.05 } else { 0.0 });
    let highest = |y: f64| highest_between(&map, &Point2::new(-0.02, y), &Point2::new(0.14, y), 0.01).unwrap();
    assert!((highest(0.0) - 0.05).abs() < 1e-6);
    // The rim of the foot meets it.
    assert!((highest(0.038) - 0.05).abs() < 1e-6);
    assert!(highest(0.08).abs() < 1e-6);
    // It ends before the block.
    assert!(highest_between(&map, &Point2::new(-0.1, 0.0), &Point2::new(0.0, 0.0), 0.01).unwrap().abs() < 1e-6);
    // It steps up and down in place.
    let on_it = Point2::new(0.06, 0.0);
    assert!((highest_between(&map, &on_it, &on_it, 0.01).unwrap() - 0.05).abs() < 1e-6);
}

#[test]
fn when_nothing_is_known_between_expect_none() {
    let map = mapped(|_, _| 0.0);
    assert_eq!(highest_between(&map, &Point2::new(0.4, -0.1), &Point2::new(0.4, 0.1), 0.01), None);
    assert_eq!(highest_between(&map, &Point2::new(9.0, 0.0), &Point2::new(9.1, 0.0), 0.01), None);
}
