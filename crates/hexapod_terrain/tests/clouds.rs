//! What clouds make of the map.

use crate::ground::{Noise, bits, follow, in_sensor, insert, mapped, overhead, seen};
use hexapod_terrain::{Capsule, ElevationMap, Layout, LayoutError, Sensor};
use nalgebra::{Isometry3, Point2, Point3, Rotation2};
use proptest::prelude::*;

const FLAT: fn(f64, f64) -> f64 = |_, _| 0.0;

#[test]
fn when_a_flat_floor_is_seen_with_noise_expect_heights_within_three_deviations_and_less_variance_each_time() {
    let (mut map, mut noise) = (ElevationMap::default(), Noise(1));
    follow(&mut map, 0.0, 0.0);
    let mut before = f64::INFINITY;
    for _ in 0..8 {
        let noisy = seen(|_, _| 0.003 * noise.normal(), Point2::origin(), 0.3);
        insert(&mut map, &noisy);
        let cells: Vec<_> = map.cells().map(|(_, height)| height).collect();
        assert!(cells.len() >= 39 * 39, "{}", cells.len());
        let off = cells.iter().filter(|cell| cell.mean_m.abs() > 3.0 * cell.variance_m2.sqrt()).count();
        // Of a normal distribution 0.3 %.
        assert!(off * 100 <= cells.len(), "{off} of {}", cells.len());
        let mean = cells.iter().map(|cell| cell.variance_m2).sum::<f64>() / cells.len() as f64;
        assert!(mean <= before, "{mean} after {before}");
        before = mean;
    }
    assert!(before.sqrt() < 0.0012, "{before}");
}

#[test]
fn when_one_cloud_is_wild_expect_known_cells_as_they_were_and_after_two_as_seen() {
    let mut map = mapped(FLAT);
    let (before, wild) = (bits(&map), seen(|_, _| 0.08, Point2::origin(), 0.1));
    insert(&mut map, &wild);
    assert_eq!(bits(&map), before);
    insert(&mut map, &wild);
    let at = |x: f64| map.height(&Point2::new(x, 0.0)).unwrap().mean_m;
    assert!((at(0.05) - 0.08).abs() < 1e-6);
    assert!(at(0.2).abs() < 1e-6);
}

#[test]
fn when_the_body_is_higher_than_odometry_has_it_expect_the_map_to_move_as_a_whole() {
    let step = |x: f64| if x > 0.1 { 0.05 } else { 0.0 };
    let mut map = mapped(|x, _| step(x));
    let (pose, mut noise) = (overhead(Point2::origin(), 0.2), Noise(3));
    // Odometry sinks by 20 mm at once; the cloud shows only what is ahead.
    let ahead = seen(|x, _| step(x) - 0.02 + 0.003 * noise.normal(), Point2::new(0.15, 0.0), 0.14);
    let counted = map.insert_aligned(&in_sensor(&ahead, &pose), &pose, &Sensor::default(), &[]);
    let at = |x: f64| map.height(&Point2::new(x, 0.0)).unwrap().mean_m;
    assert_eq!(counted, ahead.len());
    for (x, expected) in [(-0.2, -0.02), (0.05, -0.02), (0.2, 0.03)] {
        assert!((at(x) - expected).abs() < 0.002, "{x}: {}", at(x));
    }
    // Too little in common.
    let before = map.height(&Point2::new(-0.2, 0.0));
    let little = in_sensor(&seen(|_, _| 0.0, Point2::new(0.0, 0.0), 0.02), &pose);
    map.insert_aligned(&little, &pose, &Sensor::default(), &[]);
    assert_eq!(map.height(&Point2::new(-0.2, 0.0)), before);
}

/// Blocks of 60 mm, every second one 30 mm high.
fn blocks(x: f64, y: f64) -> f64 {
    if [x, y].map(|m| (m / 0.06).floor() as i64).iter().sum::<i64>().rem_euclid(2) == 0 { 0.03 } else { 0.0 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn when_odometry_strays_expect_the_map_to_follow_what_is_seen(x in -0.003..0.003f64, y in -0.003..0.003f64, seed: u64) {
        let (mut map, mut noise) = (mapped(blocks), Noise(seed));
        let pose = overhead(Point2::origin(), 0.2);
        // Ten clouds of what is ahead, each a little farther off.
        for n in 1..=10 {
            let (x, y) = (f64::from(n) * x, f64::from(n) * y);
            let ahead = seen(|u, v| blocks(u - x, v - y) + 0.003 * noise.normal(), Point2::new(0.12, 0.0), 0.16);
            map.insert_aligned(&in_sensor(&ahead, &pose), &pose, &Sensor::default(), &[]);
        }
        // In the middles of blocks behind, of which no cloud was.
        for (u, v) in [(-0.15, 0.03), (-0.15, 0.09), (-0.21, -0.03), (-0.09, -0.09)] {
            let height = map.height(&Point2::new(u + 10.0 * x, v + 10.0 * y)).unwrap().mean_m;
            prop_assert!((height - blocks(u, v)).abs() < 0.005, "{u}, {v}: {height}");
        }
    }
}

#[test]
fn when_the_ground_does_not_tell_expect_a_map_that_stays() {
    let step = |_: f64, y: f64| if y > 0.02 { 0.05 } else { 0.0 };
    let mut noise = Noise(4);
    for ground in [FLAT, step] {
        let mut map = mapped(ground);
        let (pose, before) = (overhead(Point2::origin(), 0.2), map.centre());
        for n in 1..=10 {
            let x = 0.004 * f64::from(n);
            let cloud = seen(|u, v| ground(u - x, v) + 0.003 * noise.normal(), Point2::origin(), 0.2);
            map.insert_aligned(&in_sensor(&cloud, &pose), &pose, &Sensor::default(), &[]);
        }
        assert!((map.centre() - before).norm() < 0.004, "{}", map.centre());
    }
}

#[test]
fn when_wild_clouds_differ_or_a_tame_one_is_between_expect_known_cells_to_stay() {
    let mut map = mapped(FLAT);
    for height in [0.08, -0.2, 0.04, 0.0, 0.08, 0.0, 0.08] {
        insert(&mut map, &seen(|_, _| height, Point2::origin(), 0.1));
        assert!(map.cells().all(|(_, cell)| cell.mean_m.abs() < 1e-6), "{height}");
    }
}

#[test]
fn when_an_edge_is_inside_a_cell_expect_the_upper_side() {
    // The face of the step is seen, too, from below upwards.
    let mut points = seen(|x, _| if x < 0.052 { 0.04 } else { 0.0 }, Point2::origin(), 0.2);
    points.extend((0..4000).map(|k| Point3::new(0.052, f64::from(k % 80) * 0.005 - 0.2, f64::from(k / 80) * 0.0008)));
    let mut map = ElevationMap::default();
    insert(&mut map, &points);
    let at = |x: f64| map.height(&Point2::new(x, 0.01)).unwrap().mean_m;
    // Of its face, which is dense, four deviations of 7 mm count, and of these the middle.
    assert!((at(0.05) - 0.04).abs() < 0.014, "{}", at(0.05));
    assert!(at(0.061).abs() < 1e-6);
}

#[test]
fn when_points_are_of_the_robot_itself_expect_them_left_out() {
    let leg = [Point3::new(0.1, 0.0, 0.12), Point3::new(0.15, 0.05, 0.01)];
    let mask = Capsule::new(leg[0], leg[1], 0.015);
    let on_leg = |share: f64, by: f64| leg[0] + share * (leg[1] - leg[0]) + nalgebra::Vector3::new(0.0, 0.0, by);
    let of_leg: Vec<_> = (0..50).map(|k| on_leg(f64::from(k) / 49.0, 0.01)).collect();
    let floor = seen(FLAT, Point2::origin(), 0.3);
    let sensor_in_odom = overhead(Point2::origin(), 1.0);
    let all = in_sensor(&[of_leg, floor.clone()].concat(), &sensor_in_odom);
    // Also as the last of very many.
    let far = Capsule::new(Point3::new(-0.2, 0.0, 0.1), Point3::new(-0.2, 0.1, 0.1), 0.02);
    for mask in [vec![mask], [vec![far; 99], vec![mask]].concat()] {
        let mut map = ElevationMap::default();
        let counted = map.insert(&all, &sensor_in_odom, &Sensor::default(), &mask);
        assert!(map.cells().all(|(_, height)| height.mean_m.abs() < 1e-6));
        // The foot hides some of the floor it stands on.
        assert!(counted <= floor.len() && counted > floor.len() - 40, "{counted} of {}", floor.len());
    }
}

#[test]
fn when_points_are_too_near_too_far_or_too_high_expect_them_left_out() {
    let pose = overhead(Point2::origin(), 0.0);
    let sensor = Sensor { nearest_m: 0.2, farthest_m: 0.41, highest_above_body_m: 0.1, ..Sensor::default() };
    // A third stays: the body is at 0.1 m, the sensor at 0.4.
    for (z, x, counts) in
        [(0.25, 0.0, false), (0.21, 0.0, false), (0.19, 0.0, false), (0.0, 0.15, false), (0.0, 0.0, true)]
    {
        let mut map = ElevationMap::default();
        follow(&mut map, 0.0, 0.0);
        let sensor = if z == 0.19 { Sensor { highest_above_body_m: 0.05, ..sensor } } else { sensor };
        let counted = map.insert(&in_sensor(&[Point3::new(x, 0.0, z)], &pose), &pose, &sensor, &[]);
        assert_eq!(counted == 1, counts, "{z} {x}");
    }
}

#[test]
fn when_a_foot_has_felt_the_ground_expect_the_cells_below_it_there() {
    let mut map = mapped(FLAT);
    map.felt(&Point3::new(0.05, 0.05, 0.03), 1e-6, 0.02);
    let is_raised = |x: f64| map.height(&Point2::new(x, 0.05)).unwrap().mean_m > 0.029;
    assert!(is_raised(0.05) && is_raised(0.06) && !is_raised(0.09) && !is_raised(0.01));
    assert_eq!(map.cells().filter(|(_, height)| height.mean_m > 0.029).count(), 6);
    map.felt(&Point3::new(0.15, 0.05, -0.03), 1e-6, 0.0);
    assert_eq!(map.cells().filter(|(_, height)| height.mean_m < -0.029).count(), 1);
}

#[test]
fn when_a_layout_cannot_be_expect_it_refused() {
    assert_eq!(Layout::try_new(3, 0.01), Err(LayoutError::CellsPerSide(3)));
    assert!(matches!(Layout::try_new(64, f64::NAN), Err(LayoutError::Cell(_))));
    assert_eq!(Layout::try_new(64, 0.015), Ok(Layout::default()));
}

proptest! {
    /// Robot, sensor and ground moved and turned together: the same ground under the moved point.
    #[test]
    fn when_all_is_moved_and_turned_expect_the_same_ground(
        by_x in -50.0..50.0_f64, by_y in -50.0..50.0_f64, yaw in -3.2..3.2_f64, x in -0.15..0.15_f64, y in -0.15..0.15_f64,
    ) {
        let hilly = |x: f64, y: f64| 0.3 * x - 0.2 * y + 0.02 * (x * 20.0).sin();
        let points = seen(hilly, Point2::origin(), 0.3);
        let moved = Isometry3::new(nalgebra::Vector3::new(by_x, by_y, 0.0), nalgebra::Vector3::z() * yaw);
        let (here, there) = (mapped(hilly), {
            let mut map = ElevationMap::default();
            follow(&mut map, by_x, by_y);
            let pose = moved * overhead(Point2::origin(), 0.2);
            map.insert(&in_sensor(&points, &overhead(Point2::origin(), 0.2)), &pose, &Sensor::default(), &[]);
            map
        });
        let at = Point2::new(x, y);
        let moved_at = Rotation2::new(yaw) * at + nalgebra::Vector2::new(by_x, by_y);
        let (a, b) = (here.height(&at).unwrap().mean_m, there.height(&moved_at).unwrap().mean_m);
        // The steepest is 0.76 m/m, and two centres may be a cell's diagonal apart.
        prop_assert!((a - b).abs() < 0.76 * 0.015 * 1.5, "{a} {b}");
    }
}
