//! Where feet are put.

use crate::ground::{Noise, insert, mapped, seen};
use hexapod_terrain::{Choice, ElevationMap, Foothold, Limits, Wanted, choose};
use nalgebra::{Point2, Vector3};
use proptest::prelude::*;

const FOOT_M: f64 = 0.01;
const REACH_M: f64 = 0.06;

fn wanted(x: f64, y: f64) -> Wanted {
    let limits = Limits::default();
    Wanted { nominal: Point2::new(x, y), previous: None, search_radius_m: REACH_M, foot_radius_m: FOOT_M, limits }
}

fn foothold(map: &ElevationMap, wanted: &Wanted) -> Option<Foothold> {
    match choose(map, wanted, |_| true) {
        Choice::Foothold(foothold) => Some(foothold),
        Choice::Unknown | Choice::NoneFits => None,
    }
}

/// Places all along a line through the middle, every millimetre.
fn sweep(half_m: f64) -> impl Iterator<Item = f64> {
    let steps = (half_m * 1000.0) as i32;
    (-steps..=steps).map(|k| f64::from(k) * 0.001)
}

proptest! {
    #[test]
    fn when_the_ground_is_flat_expect_the_nominal_point_to_the_bit(
        x in -0.2..0.2_f64, y in -0.2..0.2_f64, by_x in -0.02..0.02_f64, by_y in -0.02..0.02_f64, seed in 0_u64..1000,
    ) {
        let (mut map, mut noise) = (ElevationMap::default(), Noise(seed));
        for _ in 0..3 {
            insert(&mut map, &seen(|_, _| 0.002 * noise.normal(), Point2::origin(), 0.27));
        }
        // Also when the nominal point has moved since the last choice.
        for previous in [None, Some(Point2::new(x, y)), Some(Point2::new(x + by_x, y + by_y))] {
            let found = foothold(&map, &Wanted { previous, ..wanted(x, y) }).unwrap();
            prop_assert_eq!(found.at.xy(), Point2::new(x, y));
            prop_assert!(found.at.z.abs() < 0.005 && found.normal.angle(&Vector3::z()) < 0.2);
        }
    }

    #[test]
    fn when_there_is_a_gap_expect_the_nearer_bank_and_never_the_gap(at in -0.03..0.03_f64, turned in any::<bool>()) {
        let is_gap = |along: f64| (at - 0.02..at + 0.02).contains(&along);
        let along = |x: f64, y: f64| if turned { y } else { x };
        let map = mapped(|x, y| if is_gap(along(x, y)) { -0.08 } else { 0.0 });
        for nominal in sweep(0.12) {
            let (x, y) = if turned { (0.011, nominal) } else { (nominal, 0.011) };
            let found = foothold(&map, &wanted(x, y));
            prop_assert!(found.is_some(), "nothing for {nominal}");
            let found = found.unwrap().at;
            let from_middle = along(found.x, found.y) - at;
            prop_assert!(found.z.abs() < 1e-6, "{nominal}: in the gap, {found}");
            let margin = from_middle.abs() - 0.02;
            prop_assert!(margin >= Limits::default().edge_margin_m - 1e-9, "{nominal}: {margin} m from the edge");
            // In the middle neither is nearer, by the size of a cell.
            if (nominal - at).abs() > 0.015 {
                prop_assert!(from_middle * (nominal - at) > 0.0, "{nominal}: {found}");
            }
        }
    }

    #[test]
    fn when_there_is_a_step_expect_footholds_off_its_edge(at in -0.03..0.03_f64, rises in any::<bool>()) {
        let sign = if rises { 1.0 } else { -1.0 };
        let map = mapped(|x, _| if x > at { sign * 0.05 } else { 0.0 });
        for nominal in sweep(0.12) {
            let found = foothold(&map, &wanted(nominal, 0.004)).unwrap().at;
            let margin = (found.x - at).abs();
            prop_assert!(margin >= Limits::default().edge_margin_m - 1e-9, "{nominal}: {found}");
        }
    }

    #[test]
    fn when_there_are_stepping_stones_expect_feet_on_them_alone(
        off_x in 0.0..0.1_f64, off_y in 0.0..0.1_f64, x in -0.15..0.15_f64, y in -0.15..0.15_f64,
    ) {
        let in_stone = |m: f64, off: f64| (m - off).rem_euclid(0.1);
        let is_stone = |x: f64, y: f64| in_stone(x, off_x) < 0.06 && in_stone(y, off_y) < 0.06;
        let map = mapped(|x, y| if is_stone(x, y) { 0.0 } else { -0.1 });
        let found = foothold(&map, &Wanted { search_radius_m: 0.09, ..wanted(x, y) });
        prop_assert!(found.is_some());
        let at = found.unwrap().at;
        let margin = |m: f64, off: f64| in_stone(m, off).min(0.06 - in_stone(m, off));
        let margin = margin(at.x, off_x).min(margin(at.y, off_y));
        prop_assert!(margin >= Limits::default().edge_margin_m - 1e-9, "{at}: {margin} m from the edge of a stone");
    }
}

#[test]
fn when_nothing_or_too_little_is_known_expect_unknown() {
    let is_unknown = |map: &ElevationMap, x: f64| choose(map, &wanted(x, 0.0), |_| true) == Choice::Unknown;
    assert!(is_unknown(&ElevationMap::default(), 0.0));
    let map = mapped(|_, _| 0.0);
    assert!(is_unknown(&map, 0.32) && is_unknown(&map, 5.0) && is_unknown(&map, f64::NAN));
    assert!(!is_unknown(&map, 0.2));
}

#[test]
fn when_all_is_bad_expect_that_none_fits() {
    let steep = mapped(|x, _| 1.2 * x);
    let rubble = mapped(|x, y| if ((x / 0.03).floor() + (y / 0.03).floor()) % 2.0 == 0.0 { 0.05 } else { 0.0 });
    for map in [&steep, &rubble] {
        assert_eq!(choose(map, &wanted(0.01, 0.0), |_| true), Choice::NoneFits);
    }
    assert_eq!(choose(&mapped(|_, _| 0.0), &wanted(0.01, 0.0), |_| false), Choice::NoneFits);
}

#[test]
fn when_the_leg_does_not_reach_the_nominal_point_expect_the_nearest_that_it_reaches() {
    let map = mapped(|_, _| 0.0);
    let Choice::Foothold(found) = choose(&map, &wanted(0.05, 0.0), |at| at.x <= 0.02) else { panic!() };
    assert!((found.at.x - 0.02).abs() < 0.015 && found.at.y.abs() < 0.015, "{}", found.at);
}

#[test]
fn when_clouds_are_noisy_expect_a_choice_that_holds() {
    // The nominal point is in the middle of a gap: two banks are equally good.
    let gap = |x: f64| if x.abs() < 0.02 { -0.08 } else { 0.0 };
    let (mut map, mut noise, mut wanted) = (mapped(|x, _| gap(x)), Noise(5), wanted(0.001, 0.004));
    let mut changes = 0;
    for _ in 0..100 {
        insert(&mut map, &seen(|x, _| gap(x) + 0.003 * noise.normal(), Point2::origin(), 0.15));
        wanted.nominal.x = 0.002 * (noise.uniform() - 0.5);
        let at = foothold(&map, &wanted).unwrap().at.xy();
        changes += usize::from(wanted.previous.is_some_and(|previous| previous != at));
        wanted.previous = Some(at);
    }
    assert!(changes <= 1, "{changes} changes in 100 clouds");
}
