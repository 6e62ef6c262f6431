//! Whatever comes in: no panic, and nothing in the map that is not a number.

use crate::ground::{bits, insert, mapped};
use hexapod_terrain::{
    Capsule, Choice, Drift, ElevationMap, Limits, Noise, Sensor, Travel, Wanted, choose, highest_between, surface,
};
use nalgebra::{Isometry3, Point2, Point3, Vector3};
use proptest::prelude::*;

/// Numbers as they come, the strangest most of all.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => -1.0..1.0_f64,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![
            f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 0.0, -0.0, 1e9, -1e15, 1e30,
        ]),
    ]
}

fn numbers<const N: usize>() -> impl Strategy<Value = [f64; N]> {
    prop::collection::vec(number(), N).prop_map(|numbers| std::array::from_fn(|k| numbers[k]))
}

fn point(of: &[f64]) -> Point3<f64> {
    Point3::new(of[0], of[1], of[2])
}

fn is_sound(map: &ElevationMap) -> bool {
    let sound = |at: &Point2<f64>| at.x.is_finite() && at.y.is_finite();
    map.cells().all(|(at, height)| {
        sound(&at) && height.mean_m.is_finite() && height.variance_m2.is_finite() && height.variance_m2 > 0.0
    }) && sound(&map.centre())
}

proptest! {
    #[test]
    fn when_any_numbers_come_in_expect_a_map_of_finite_ones(
        rounds in prop::collection::vec((numbers::<24>(), prop::collection::vec(numbers::<3>(), 0..40)), 1..4),
    ) {
        let mut map = mapped(|_, _| 0.0);
        for (n, cloud) in rounds {
            let points: Vec<[f32; 3]> = cloud.iter().map(|point| point.map(|m| m as f32)).collect();
            let noise = Noise { constant_m: n[0], per_m: n[1], least_m: n[2] };
            let sensor = Sensor { noise, nearest_m: n[3], farthest_m: n[4], highest_above_body_m: n[5] };
            let mask = [Capsule::new(point(&n[6..]), point(&n[9..]), n[12])];
            let pose = Isometry3::new(point(&n[13..]).coords, Vector3::z() * if n[16].is_finite() { n[16] } else { 0.0 });
            map.insert(&points, &pose, &sensor, &mask);
            map.insert(&points, &Isometry3::identity(), &Sensor { farthest_m: f64::INFINITY, ..Sensor::default() }, &[]);
            let drift = Drift { rise_m2_per_m: n[17], rise_m2_per_rad: n[18] };
            map.follow(&point(&n[19..]), Travel { way_m: n[22], turn_rad: n[23] }, &drift);
            map.felt(&point(&n[1..]), n[4], n[5]);
            map.shift_height(n[7], n[8]);
            prop_assert!(is_sound(&map));
        }
    }

    #[test]
    fn when_anything_is_asked_expect_finite_answers_or_none(n in numbers::<15>(), has_previous in any::<bool>()) {
        let map = mapped(|x, _| if x < 0.03 { 0.0 } else { 0.04 });
        let limits = Limits {
            max_slope_rad: n[0], max_step_m: n[1], max_roughness_m: n[2], least_known: n[3], least_seen: n[14], edge_margin_m: n[4],
        };
        let previous = has_previous.then_some(Point2::new(n[5], n[6]));
        let (foot_radius_m, search_radius_m) = (n[7], n[8]);
        let wanted = Wanted { nominal: Point2::new(n[9], n[10]), previous, search_radius_m, foot_radius_m, limits };
        if let Choice::Foothold(foothold) = choose(&map, &wanted, |_| true) {
            prop_assert!(foothold.at.coords.iter().chain(foothold.normal.iter()).all(|m| m.is_finite()));
            prop_assert!(!foothold.cost.is_nan());
        }
        if let Some(found) = surface(&map, &Point2::new(n[9], n[10]), n[11]) {
            let sum = found.normal.sum() + found.slope_rad + found.step_m + found.roughness_m + found.known;
            prop_assert!(sum.is_finite());
        }
        let highest = highest_between(&map, &Point2::new(n[9], n[10]), &Point2::new(n[11], n[12]), n[13]);
        prop_assert!(highest.is_none_or(f64::is_finite));
    }
}

#[test]
fn when_a_cloud_is_empty_or_without_numbers_expect_not_a_bit_changed() {
    let mut map = mapped(|_, _| 0.0);
    let before = bits(&map);
    assert_eq!(insert(&mut map, &[]), 0);
    let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX];
    for a in strange {
        let points = [[a, 0.0, 0.3], [0.0, a, 0.3], [0.0, 0.0, a], [a, a, a]];
        assert_eq!(map.insert(&points, &Isometry3::identity(), &Sensor::default(), &[]), 0);
    }
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert_eq!(map.insert(&[[0.0, 0.0, 0.3]], &nowhere, &Sensor::default(), &[]), 0);
    map.follow(&Point3::new(f64::NAN, 0.0, 0.0), Travel { way_m: f64::NAN, turn_rad: 0.0 }, &Drift::default());
    map.shift_height(f64::NAN, 1.0);
    assert_eq!(bits(&map), before);
}
