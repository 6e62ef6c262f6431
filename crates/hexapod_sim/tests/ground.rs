//! Terrain.

use crate::common::{Walker, settings};
use hexapod_gait::Twist;
use hexapod_sim::{Ground, HeightMap, Patch, Surface, Terrain};

const AHEAD: Twist = Twist { vx: 0.08, vy: 0.0, wz: 0.0 };

fn walk(ground: &Ground, seconds: f64) -> Walker {
    let mut walker = Walker::new(ground, "perfect", settings(0.005)).stand();
    walker.go(AHEAD, seconds);
    walker
}

fn hills(height: impl Fn(f64, f64) -> f64) -> Ground {
    let (count, cell) = (81, 0.05);
    let at = |index: usize| (index as f64 - 40.0) * cell;
    let heights = (0..count * count).map(|i| height(at(i % count), at(i / count))).collect();
    Ground::of(Terrain::Heights(HeightMap::try_new(count, count, cell, heights).unwrap()))
}

#[test]
fn when_flat_ground_is_made_of_triangles_or_blocks_expect_the_walk_of_a_plane() {
    let plane = walk(&Ground::flat(), 6.0).base();
    let others = [
        hills(|_, _| 0.0),
        Ground::of(Terrain::Steps { start: 0.3, rise: 0.0, tread: 0.05, count: 20 }),
        Ground::of(Terrain::Stairs { start: 0.3, rise: 0.0, tread: 0.05, count: 5 }),
        Ground::of(Terrain::Stepfield { height: 0.0, cell: 0.05, reach: 1.0, seed: 1 }),
        Ground::of(Terrain::Stones { stone: 0.06, pitch: 0.06, reach: 1.0 }),
        Ground::of(Terrain::Gaps { plank: 0.07, gap: 0.0, count: 20 }),
        Ground::of(Terrain::Ramp { start: 0.3, slope: 0.0, length: 0.2 }),
        Ground::of(Terrain::Rubble { height: 0.0, stone: 0.05, reach: 1.0, seed: 1 }),
    ];
    for ground in others {
        let base = walk(&ground, 6.0).base();
        let apart = base.translation.vector - plane.translation.vector;
        assert!(apart.norm() < 0.005 && apart.z.abs() < 1e-4, "{:?}: {apart}", ground.terrain);
    }
}

#[test]
fn when_heights_rise_ahead_and_to_the_left_expect_the_robot_to_stand_as_they_do() {
    for (ahead, left) in [(0.1, 0.0), (0.0, 0.1), (-0.1, 0.05)] {
        let walker = Walker::new(&hills(|x, y| ahead * x + left * y), "perfect", settings(0.005)).stand();
        let up = walker.base().rotation * nalgebra::Vector3::z();
        let expected = nalgebra::Vector3::new(-ahead, -left, 1.0).normalize();
        assert!((up - expected).norm() < 0.02, "{up} for {expected}");
    }
}

#[test]
fn when_a_robot_starts_on_hills_expect_it_put_above_them_and_to_come_to_rest_there() {
    let mut walker =
        Walker::new(&hills(|x, y| if x.abs().max(y.abs()) < 0.8 { 0.2 } else { 0.0 }), "perfect", settings(0.005));
    let positions: Vec<f64> = (0..18).map(|hinge| walker.simulator.world().position(hinge)).collect();
    walker.simulator.put_on_ground(&positions);
    let lowest = walker.simulator.world().lowest();
    assert!((0.2..0.202).contains(&lowest), "{lowest} m");
    let walker = walker.stand();
    assert!((0.2..0.4).contains(&walker.base().translation.z), "{}", walker.base().translation);
}

#[test]
fn when_a_robot_walks_off_the_end_of_hills_expect_a_floor_there() {
    let map = HeightMap::try_new(9, 9, 0.1, vec![0.0; 81]).unwrap();
    let walker = walk(&Ground::of(Terrain::Heights(map)), 14.0);
    assert!(walker.base().translation.x > 0.8, "{}", walker.base().translation);
    let level = walk(&Ground::flat(), 1.0).base().translation.z;
    assert!((walker.base().translation.z - level + 0.001).abs() < 0.002, "{}", walker.base().translation);
}

#[test]
fn when_a_ramp_leads_up_expect_the_robot_on_the_level_behind_it() {
    let (slope, length) = (0.1_f64, 0.6);
    let walker = walk(&Ground::of(Terrain::Ramp { start: 0.4, slope, length }), 18.0);
    let level = walk(&Ground::flat(), 1.0).base().translation.z;
    let risen = walker.base().translation.z - level;
    assert!(walker.base().translation.x > 1.25, "{}", walker.base().translation);
    assert!((risen - length * slope.tan()).abs() < 0.003, "{risen} m");
}

#[test]
fn when_stones_are_as_high_as_ten_millimetres_expect_the_robot_over_them() {
    for seed in 1..=3 {
        let rubble = Terrain::Rubble { height: 0.01, stone: 0.04, reach: 1.2, seed };
        let walker = walk(&Ground::of(rubble), 10.0);
        let base = walker.base();
        let lean = (base.rotation * nalgebra::Vector3::z()).z.acos();
        assert!(base.translation.x > 0.6 && lean < 0.2, "seed {seed}: {}, {lean} rad", base.translation);
    }
}

#[test]
fn when_two_grounds_have_one_seed_expect_the_same_bits_and_else_others() {
    let after = |seed| {
        let rubble = Terrain::Rubble { height: 0.01, stone: 0.04, reach: 0.8, seed };
        walk(&Ground::of(rubble), 5.0).base().translation.vector.map(f64::to_bits)
    };
    assert_eq!(after(7), after(7));
    assert_ne!(after(7), after(8));
}

#[test]
fn when_all_feet_are_on_oil_expect_the_robot_to_fall_behind() {
    let oil = Patch { centre: [0.0, 0.0], radius: 5.0, surface: Surface { friction: 1e-3, stiffness: None } };
    let mut walker = Walker::new(&Ground { patches: vec![oil], ..Ground::flat() }, "perfect", settings(0.005)).stand();
    let start = walker.base().translation.x;
    let reported = walker.go(AHEAD, 4.0);
    assert!(walker.base().translation.x - start < 0.5 * reported);
}

#[test]
fn when_there_is_a_gap_that_a_foot_fits_into_expect_the_robot_lower_than_on_the_floor() {
    let floor = walk(&Ground::flat(), 8.0).base();
    let gaps = Terrain::Gaps { plank: 0.04, gap: 0.08, count: 10 };
    let mut walker = Walker::new(&Ground::of(gaps), "perfect", settings(0.005)).stand();
    let mut lowest = f64::INFINITY;
    for _ in 0..1600 {
        walker.step(AHEAD);
        lowest = lowest.min(walker.base().translation.z);
    }
    assert!(lowest < floor.translation.z - 0.003, "{lowest} m");
}
