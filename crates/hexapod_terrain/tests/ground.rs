//! Made-up ground, and a sensor that sees it.

use hexapod_terrain::{Drift, ElevationMap, Sensor, Travel};
use nalgebra::{Isometry3, Point2, Point3, Translation3, UnitQuaternion};

/// Numbers that look random, the same in each run (SplitMix64).
pub struct Noise(pub u64);

impl Noise {
    /// From 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal, with a deviation of 1.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Looks down from above a point, turned by a yaw.
pub fn overhead(above: Point2<f64>, yaw: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, yaw);
    Isometry3::from_parts(Translation3::new(above.x, above.y, 0.4), rotation)
}

/// Points of the odometry frame as the sensor has them.
pub fn in_sensor(points: &[Point3<f64>], sensor_in_odom: &Isometry3<f64>) -> Vec<[f32; 3]> {
    let to_sensor = |point: &Point3<f64>| sensor_in_odom.inverse_transform_point(point).coords.map(|m| m as f32).into();
    points.iter().map(to_sensor).collect()
}

/// Ground of these heights, m, seen at every 5 mm in a square about a point.
pub fn seen(mut height: impl FnMut(f64, f64) -> f64, about: Point2<f64>, half_m: f64) -> Vec<Point3<f64>> {
    let steps = (half_m / 0.005) as i32;
    // Off the grid of cells, whose sides are multiples of 5 mm.
    let along = |k: i32, middle: f64| middle + f64::from(k) * 0.005 + 0.0025;
    let places = (-steps..steps).flat_map(|i| (-steps..steps).map(move |k| (along(i, about.x), along(k, about.y))));
    places.map(|(x, y)| Point3::new(x, y, height(x, y))).collect()
}

/// Inserts points that are given in the odometry frame.
pub fn insert(map: &mut ElevationMap, points: &[Point3<f64>]) -> usize {
    let sensor_in_odom = overhead(map.centre(), 0.2);
    map.insert(&in_sensor(points, &sensor_in_odom), &sensor_in_odom, &Sensor::default(), &[])
}

/// A map of this ground, whose cells have been seen twice.
pub fn mapped(height: impl Fn(f64, f64) -> f64) -> ElevationMap {
    let mut map = ElevationMap::default();
    follow(&mut map, 0.0, 0.0);
    let points = seen(height, Point2::origin(), 0.3);
    insert(&mut map, &points);
    insert(&mut map, &points);
    map
}

/// The body is above this point; odometry is certain.
pub fn follow(map: &mut ElevationMap, x: f64, y: f64) {
    map.follow(&Point3::new(x, y, 0.1), Travel::default(), &Drift::default());
}

/// All that a map answers, as bits.
pub fn bits(map: &ElevationMap) -> Vec<[u64; 4]> {
    let bits = map.cells().map(|(at, height)| [at.x, at.y, height.mean_m, height.variance_m2].map(f64::to_bits));
    bits.collect()
}
