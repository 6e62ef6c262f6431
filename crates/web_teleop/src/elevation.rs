//! The map of the ground as clients fetch it: packed when it is heard, which it is only while somebody fetches it.

use axum::body::Bytes;
use hexapod_ros::cloud_values;
use hexapod_ros::r2r::sensor_msgs::msg::PointCloud2;
use nalgebra::{Isometry3, Point3};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most cells that are sent, those nearest to the robot: 32 KiB.
const MOST_CELLS: usize = 4096;
/// Most cells that are looked at.
const MOST_READ: usize = 1 << 18;
const FIELDS: [&str; 4] = ["x", "y", "z", "traversability"];
/// A map that is older is none.
const AGE: Duration = Duration::from_secs(3);
/// So long after it was asked for it is still wanted.
const WANTED: Duration = Duration::from_secs(4);
/// The score of a cell about which too little is known.
const UNKNOWN: i16 = -1;

/// The newest map. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedElevation(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// When it was heard, and its bytes.
    newest: Option<(Duration, Bytes)>,
    asked: Option<Duration>,
}

impl SharedElevation {
    /// The newest map and its tag, unless it is old at `now`; from now on it is listened to for a while.
    pub fn ask(&self, now: Duration) -> Option<(String, Bytes)> {
        let mut kept = self.lock();
        kept.asked = Some(now);
        let (at, bytes) = kept.newest.as_ref().filter(|(at, _)| now.saturating_sub(*at) < AGE)?;
        Some((format!("\"{}\"", at.as_nanos()), bytes.clone()))
    }

    /// Whether somebody has asked for it.
    pub fn is_wanted(&self, now: Duration) -> bool {
        self.lock().asked.is_some_and(|at| now.saturating_sub(at) < WANTED)
    }

    /// Takes a map in the base's frame, whose pose by odometry this is; one that is no map changes nothing.
    pub fn take(&self, cloud: &PointCloud2, odom_from_base: &Isometry3<f64>, at: Duration) {
        let mut cells = vec![];
        if cloud_values(cloud, FIELDS, MOST_READ, &mut cells).is_ok() {
            let side = side(&cells);
            keep_nearest(&mut cells);
            self.lock().newest = Some((at, packed(&cells, side, odom_from_base)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Little-endian: x, y, z of the base in the odometry's frame and the side of a cell, m, as 32-bit floats; then for each cell
/// its place from there, mm, and its score from 0 to 100, -1 where that is unknown, as 16-bit integers.
fn packed(cells: &[[f32; 4]], side: f32, odom_from_base: &Isometry3<f64>) -> Bytes {
    let origin = odom_from_base.translation.vector;
    let head = [origin.x as f32, origin.y as f32, origin.z as f32, side];
    let mut bytes: Vec<u8> = head.into_iter().flat_map(f32::to_le_bytes).collect();
    for [x, y, z, score] in cells {
        let place = odom_from_base.rotation * Point3::from([*x, *y, *z].map(f64::from));
        let numbers = [place.x, place.y, place.z].map(|metres| (metres * 1000.0).round());
        // What is farther away than the numbers reach is of no use here.
        if numbers.iter().any(|mm| mm.abs() > f64::from(i16::MAX)) {
            continue;
        }
        let score = if score.is_finite() { (100.0 * score.clamp(0.0, 1.0)).round() as i16 } else { UNKNOWN };
        let [x, y, z] = numbers.map(|mm| mm as i16);
        bytes.extend([x, y, z, score].into_iter().flat_map(i16::to_le_bytes));
    }
    bytes.into()
}

/// The side of a cell: most cells come right after their neighbour.
fn side(cells: &[[f32; 4]]) -> f32 {
    let mut gaps: Vec<f32> =
        cells.windows(2).map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1])).collect();
    let middle = gaps.len() / 2;
    if gaps.is_empty() { 0.0 } else { *gaps.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

/// Leaves as many cells as are sent.
fn keep_nearest(cells: &mut Vec<[f32; 4]>) {
    if cells.len() > MOST_CELLS {
        cells.select_nth_unstable_by(MOST_CELLS, |a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])));
        cells.truncate(MOST_CELLS);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_ros::{blank_cloud, push_point};
    use nalgebra::Vector3;

    fn map(side: usize) -> PointCloud2 {
        let mut cloud = blank_cloud(&["x", "y", "z", "variance", "traversability"]);
        for n in 0..side * side {
            let score = if n == 0 { f32::NAN } else { 0.5 };
            push_point(&mut cloud, &[0.02 * (n % side) as f32, 0.02 * (n / side) as f32, -0.1, 1e-4, score]);
        }
        cloud
    }

    #[test]
    fn when_a_map_is_heard_expect_it_in_the_frame_of_the_odometry_until_it_is_old() {
        let (shared, s) = (SharedElevation::default(), Duration::from_secs);
        assert!(!shared.is_wanted(s(1)) && shared.ask(s(1)).is_none() && shared.is_wanted(s(2)));
        let turned = Isometry3::new(Vector3::new(5.0, 1.0, 0.1), Vector3::z() * std::f64::consts::FRAC_PI_2);
        shared.take(&map(10), &turned, s(2));
        let (tag, bytes) = shared.ask(s(3)).unwrap();
        assert_eq!((tag.as_str(), bytes.len()), ("\"2000000000\"", 16 + 8 * 100));
        let float = |n: usize| f32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().unwrap());
        let cell = |n: usize| {
            [0, 1, 2, 3].map(|k| i16::from_le_bytes(bytes[16 + 8 * n + 2 * k..18 + 8 * n + 2 * k].try_into().unwrap()))
        };
        assert!((float(0) - 5.0).abs() < 1e-6 && (float(3) - 0.02).abs() < 1e-6);
        assert_eq!([cell(0), cell(1), cell(99)], [[0, 0, -100, -1], [0, 20, -100, 50], [-180, 180, -100, 50]]);
        assert!(shared.ask(s(6)).is_none() && shared.is_wanted(s(9)) && !shared.is_wanted(s(11)));
    }

    #[test]
    fn when_a_map_is_large_far_away_or_none_expect_its_bytes_bounded_and_nothing_else_taken() {
        let (shared, s) = (SharedElevation::default(), Duration::from_secs);
        shared.take(&map(300), &Isometry3::identity(), s(1));
        let (_, bytes) = shared.ask(s(1)).unwrap();
        assert_eq!(bytes.len(), 16 + 8 * MOST_CELLS);
        // The quarter of a disc about the robot, in cells as large as they are.
        let side = f32::from_le_bytes(bytes[12..16].try_into().unwrap());
        let farthest = bytes[16..].chunks(8).map(|cell| {
            let mm = |at: usize| f64::from(i16::from_le_bytes(cell[at..at + 2].try_into().unwrap()));
            mm(0).hypot(mm(2))
        });
        let radius = 20.0 * (4.0 * MOST_CELLS as f64 / std::f64::consts::PI).sqrt();
        let farthest = farthest.fold(0.0, f64::max);
        assert!((side - 0.02).abs() < 1e-4 && (farthest / radius - 1.0).abs() < 0.03, "{side} {farthest} {radius}");
        shared.take(&blank_cloud(&["x", "y", "z"]), &Isometry3::identity(), s(2));
        assert_eq!(shared.ask(s(2)).unwrap().1, bytes);
        let mut far = blank_cloud(&FIELDS);
        push_point(&mut far, &[1e9, 0.0, 0.0, 1.0]);
        shared.take(&far, &Isometry3::identity(), s(3));
        assert_eq!(shared.ask(s(3)).unwrap().1.len(), 16);
    }
}
