//! What a cloud and a choice cost: `cargo run --release -p hexapod_terrain --example timing`.

use hexapod_terrain::{Capsule, Choice, Drift, ElevationMap, Limits, Sensor, Travel, Wanted, choose, highest_between};
use nalgebra::{Isometry3, Point2, Point3, Translation3, UnitQuaternion, Vector3};
use std::hint::black_box;
use std::time::Instant;

const POINTS: usize = 20_000;

/// The least and the median time of many calls, us.
fn time(name: &str, calls: usize, mut call: impl FnMut()) {
    let mut times_us: Vec<f64> = (0..calls)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times_us.sort_by(f64::total_cmp);
    println!("{name:<58} least {:>8.1} us, median {:>8.1} us", times_us[0], times_us[calls / 2]);
}

/// A sensor 0.25 m up that looks down at the middle, and points that fill the map.
fn cloud() -> (Isometry3<f64>, Vec<[f32; 3]>) {
    let rotation = UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, 0.3);
    let sensor_in_odom = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.25), rotation);
    let side = 142;
    let points = (0..side * side).take(POINTS).map(|k| {
        let (x, y) = (f64::from(k % side) / f64::from(side) - 0.5, f64::from(k / side) / f64::from(side) - 0.5);
        let z = 0.002 * (f64::from(k * 7919 % 101) / 50.0 - 1.0);
        let in_sensor = sensor_in_odom.inverse() * Point3::new(0.94 * x, 0.94 * y, z);
        [in_sensor.x as f32, in_sensor.y as f32, in_sensor.z as f32]
    });
    (sensor_in_odom, points.collect())
}

/// Six legs of three links, and the body.
fn robot() -> Vec<Capsule> {
    let links = (0..6).flat_map(|leg| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(leg) * std::f64::consts::FRAC_PI_3);
        let at = move |x: f64, z: f64| turn * Point3::new(x, 0.0, z);
        let joints = [at(0.08, 0.1), at(0.12, 0.1), at(0.18, 0.14), at(0.22, 0.0)];
        [0, 1, 2].map(|k| Capsule::new(joints[k], joints[k + 1], 0.02))
    });
    links.chain([Capsule::new(Point3::new(-0.08, 0.0, 0.1), Point3::new(0.08, 0.0, 0.1), 0.08)]).collect()
}

fn main() {
    let (sensor_in_odom, points) = cloud();
    let (robot, sensor) = (robot(), Sensor::default());
    let mut map = ElevationMap::default();
    map.follow(&Point3::new(0.0, 0.0, 0.1), Travel::default(), &Drift::default());
    println!("{} of {} points count", map.insert(&points, &sensor_in_odom, &sensor, &robot), points.len());
    time("insert, 20 000 points, no mask", 300, || {
        black_box(map.insert(&points, &sensor_in_odom, &sensor, &[]));
    });
    time("insert, 20 000 points, mask of 19 capsules", 300, || {
        black_box(map.insert(&points, &sensor_in_odom, &sensor, &robot));
    });
    let mut x = 0.0;
    time("follow, by one column", 1000, || {
        x += 0.015;
        map.follow(&Point3::new(x, 0.0, 0.1), Travel { way_m: 0.015, turn_rad: 0.0 }, &Drift::default());
    });

    let mut flat = ElevationMap::default();
    flat.insert(&points, &sensor_in_odom, &sensor, &[]);
    let mut ditch = flat.clone();
    for k in 0..4000 {
        let (x, y) = (f64::from(k % 4), f64::from(k / 4));
        ditch.felt(&Point3::new(0.1 + 0.01 * x, -0.45 + 0.001 * y, -0.08), 1e-6, 0.0);
    }
    let mut rubble = flat.clone();
    for k in 0..4096 {
        let (x, y) = (f64::from(k % 64) - 31.5, f64::from(k / 64) - 31.5);
        rubble.felt(&Point3::new(0.015 * x, 0.015 * y, 1e-3 * f64::from(k * 7919 % 53)), 1e-6, 0.0);
    }
    let limits = Limits::default();
    let nominal = Point2::new(0.12, 0.03);
    let wanted = Wanted { nominal, previous: None, search_radius_m: 0.06, foot_radius_m: 0.01, limits };
    let strict = Wanted { limits: Limits { max_roughness_m: 1e-5, ..limits }, ..wanted };
    let found = |choice: Choice| match choice {
        Choice::Foothold(foothold) => format!("at {:.4} {:.4}", foothold.at.x, foothold.at.y),
        other => format!("{other:?}"),
    };
    for (name, map, wanted, reachable) in [
        ("flat", &flat, wanted, true),
        ("ditch below the nominal point", &ditch, wanted, true),
        ("ditch, nothing reachable", &ditch, wanted, false),
        ("rubble", &rubble, wanted, true),
        ("flat, nothing reachable: all judged to the end", &flat, wanted, false),
        ("flat, all too rough", &flat, strict, true),
    ] {
        let once = || choose(black_box(map), black_box(&wanted), |_| reachable);
        println!("{}", found(once()));
        time(&format!("choose, disc of 60 mm, {name}"), 1000, || {
            black_box(once());
        });
    }
    time("highest_between, 100 mm", 1000, || {
        black_box(highest_between(&ditch, &nominal, &Point2::new(0.2, 0.09), 0.01));
    });
}
