//! What is a fall, and what is not.

use crate::rig::course::{Course, FLOORS};
use crate::rig::{Rig, TICK_S};
use hexapod_gait::Input;
use hexapod_sim::{Fall, FallWatch, Ground, HeightMap, Terrain};
use nalgebra::{Isometry3, Vector3};

#[test]
fn when_a_body_lies_or_leans_as_commanded_expect_no_fall_and_else_one() {
    let mut rig = Rig::standing(&Course::random(FLOORS[0], 5).setting());
    rig.driver.emergency_stop().unwrap();
    for _ in 0..(1.0 / TICK_S) as usize {
        rig.tick(&Input::default());
    }
    assert!(rig.touches(), "the body is {:.3} m high", rig.base().translation.z);
    let world = rig.simulator.world();
    let watch = FallWatch::new(world);
    // The bottom of the body is 22 mm below the origin of its frame.
    let planned = |z: f64, pitch: f64| watch.fall(world, &Isometry3::new(Vector3::z() * z, Vector3::y() * pitch));
    assert_eq!(planned(0.03, 0.0), None);
    assert!(matches!(planned(0.09, 0.0), Some(Fall::Lies(clear)) if clear > 0.03), "{:?}", planned(0.09, 0.0));
    assert_eq!(planned(0.09, 0.0), rig.fall());
    assert_eq!(planned(0.03, 0.5), None);
    assert!(matches!(planned(0.03, 1.0), Some(Fall::Leans(by)) if (by - 1.0).abs() < 0.1), "{:?}", planned(0.03, 1.0));
}

#[test]
fn when_a_body_lies_on_rough_ground_expect_a_fall_where_it_was_planned_lower_than_that_is_rough() {
    let mut rig = Rig::standing(&Course::random(FLOORS[0], 5).setting());
    rig.driver.emergency_stop().unwrap();
    for _ in 0..(1.0 / TICK_S) as usize {
        rig.tick(&Input::default());
    }
    let world = rig.simulator.world();
    for (name, size) in [("steps", 0.03), ("rubble", 0.07), ("gaps", 0.06)] {
        let watch = FallWatch::on(world, &Ground::of(Terrain::named(name, Some(size), 1).unwrap()));
        let planned = Isometry3::new(Vector3::z() * 0.09, Vector3::zeros());
        assert!(matches!(watch.fall(world, &planned), Some(Fall::Lies(_))), "{name}");
        let low = Isometry3::new(Vector3::z() * 0.03, Vector3::zeros());
        assert_eq!(watch.fall(world, &low), None, "{name}: it was told to lie");
    }
}

#[test]
fn when_ground_is_rough_expect_how_much_heights_below_a_robot_differ() {
    let of = |name: &str, size: f64| Ground::of(Terrain::named(name, Some(size), 1).unwrap()).roughness();
    let slope: Vec<f64> = (0..100).map(|n| 0.01 * f64::from(n % 10)).collect();
    let hills = Terrain::Heights(HeightMap::try_new(10, 10, 0.05, slope).unwrap());
    for (found, expected) in [
        (Ground::flat().roughness(), 0.0),
        (of("ramp", 0.15), 0.03),
        (of("steps", 0.015), 0.03),
        (of("rubble", 0.025), 0.025),
        (of("gaps", 0.02), 0.02),
        (Ground::of(hills).roughness(), 0.04),
    ] {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }
}
