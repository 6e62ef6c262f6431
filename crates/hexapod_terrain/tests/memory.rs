//! A tick does not allocate.

use crate::ground::{follow, in_sensor, overhead, seen};
use hexapod_terrain::{Capsule, Choice, ElevationMap, Limits, Sensor, Wanted, choose, highest_between, surface};
use nalgebra::{Point2, Point3};

#[test]
fn when_the_map_is_in_use_expect_no_allocation() {
    let pose = overhead(Point2::origin(), 0.0);
    let ditch = |x: f64, _: f64| if (0.1..0.14).contains(&x) { -0.08 } else { 0.0 };
    let points = in_sensor(&seen(ditch, Point2::origin(), 0.3), &pose);
    let mask = [Capsule::new(Point3::origin(), Point3::new(0.0, 0.1, 0.1), 0.02)];
    let (mut map, at) = (ElevationMap::default(), Point2::new(0.12, 0.0));
    let limits = Limits::default();
    let wanted = Wanted { nominal: at, previous: Some(at), search_radius_m: 0.06, foot_radius_m: 0.01, limits };
    let memory = allocation_counter::measure(|| {
        map.insert(&points, &pose, &Sensor::default(), &mask);
        map.insert_aligned(&points, &pose, &Sensor::default(), &mask);
        follow(&mut map, 0.1, -0.1);
        map.felt(&Point3::origin(), 1e-6, 0.02);
        assert!(matches!(choose(&map, &wanted, |_| true), Choice::Foothold(_)));
        assert!(surface(&map, &at, 0.05).is_some());
        assert!(highest_between(&map, &at, &Point2::origin(), 0.01).is_some());
    });
    assert_eq!(memory.count_total, 0);
}
