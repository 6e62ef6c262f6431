//! Certainty is lost by walking, for all cells at once.

use crate::ground::{insert, mapped, seen};
use hexapod_terrain::{Drift, ElevationMap, Travel};
use nalgebra::{Point2, Point3};
use proptest::prelude::*;

/// Does to one cell, held as two numbers, what the map does to all.
#[derive(Clone, Copy, Debug)]
enum Event {
    Walk(f64),
    Shift(f64, f64),
    Felt(f64, f64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0.0..0.5_f64).prop_map(Event::Walk),
        (-0.02..0.02_f64, 0.0..1e-5_f64).prop_map(|(rise_m, variance_m2)| Event::Shift(rise_m, variance_m2)),
        (-0.1..0.1_f64, 1e-8..1e-4_f64).prop_map(|(height_m, variance_m2)| Event::Felt(height_m, variance_m2)),
    ]
}

proptest! {
    #[test]
    fn when_variances_grow_lazily_expect_them_as_if_each_cell_had_grown(
        events in prop::collection::vec(event(), 1..40),
    ) {
        let (mut map, drift) = (ElevationMap::default(), Drift { rise_m2_per_m: 3e-5, rise_m2_per_rad: 0.0 });
        let mut eager = None;
        for event in events {
            match event {
                Event::Walk(way_m) => {
                    map.follow(&Point3::origin(), Travel { way_m, turn_rad: 0.0 }, &drift);
                    eager = eager.map(|(height, variance)| (height, variance + 3e-5 * way_m));
                }
                Event::Shift(rise_m, more_m2) => {
                    map.shift_height(rise_m, more_m2);
                    eager = eager.map(|(height, variance)| (height + rise_m, variance + more_m2));
                }
                Event::Felt(height_m, variance_m2) => {
                    map.felt(&Point3::new(0.1, 0.1, height_m), variance_m2, 0.0);
                    eager = Some((height_m, variance_m2));
                }
            }
            let lazy = map.height(&Point2::new(0.1, 0.1));
            prop_assert_eq!(lazy.is_some(), eager.is_some());
            if let (Some(lazy), Some((height_m, variance_m2))) = (lazy, eager) {
                prop_assert!((lazy.mean_m - height_m).abs() < 1e-12);
                prop_assert!((lazy.variance_m2 - variance_m2).abs() < 1e-15);
            }
        }
    }
}

#[test]
fn when_the_robot_has_walked_far_expect_what_it_sees_to_count_more_than_what_it_saw() {
    let mut map = mapped(|_, _| 0.0);
    let at = Point2::new(0.05, 0.05);
    map.follow(&Point3::new(0.0, 0.0, 0.1), Travel { way_m: 4.0, turn_rad: 0.0 }, &Drift::default());
    assert!(map.height(&at).unwrap().variance_m2.sqrt() > 0.009);
    // 12 mm off: without the way this would be another surface.
    insert(&mut map, &seen(|_, _| 0.012, Point2::origin(), 0.2));
    assert!((map.height(&at).unwrap().mean_m - 0.012).abs() < 0.002);
}

#[test]
fn when_the_map_is_shifted_expect_all_cells_moved_and_clouds_to_fit_there() {
    let mut map = mapped(|_, _| 0.0);
    map.shift_height(0.03, 1e-6);
    assert!(map.cells().all(|(_, height)| (height.mean_m - 0.03).abs() < 1e-6));
    insert(&mut map, &seen(|_, _| 0.03, Point2::origin(), 0.2));
    assert!(map.cells().all(|(_, height)| (height.mean_m - 0.03).abs() < 1e-6));
}
