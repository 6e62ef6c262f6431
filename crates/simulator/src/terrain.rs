//! The ground as markers for rviz.

use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::geometry_msgs::msg as geometry;
use hexapod_ros::r2r::std_msgs::msg::ColorRGBA;
use hexapod_ros::r2r::visualization_msgs::msg::{Marker, MarkerArray};
use hexapod_sim::Ground;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::time::Duration;

const CUBE: i32 = 1;
/// What goes on for ever is drawn this wide, m.
const WIDE_M: f64 = 4.0;
/// A level floor is drawn this thick, m.
const THIN_M: f64 = 0.002;

/// The boxes of the ground, a marker each, and a thin one for a floor that is one plane.
pub(crate) fn markers(ground: &Ground, frame: &str) -> MarkerArray {
    let mut boxes: Vec<(Isometry3<f64>, Vector3<f64>)> =
        ground.boxes().iter().map(|piece| trimmed(&piece.pose, &piece.size)).collect();
    if boxes.is_empty() {
        boxes.push((Isometry3::translation(0.0, 0.0, -0.5 * THIN_M), Vector3::new(WIDE_M, WIDE_M, THIN_M)));
    }
    let marker = |(id, (pose, size)): (usize, &(Isometry3<f64>, Vector3<f64>))| {
        let mut marker = Marker { ns: "terrain".into(), type_: CUBE, ..Marker::default() };
        marker.id = i32::try_from(id).unwrap_or_default();
        marker.header.frame_id = frame.into();
        marker.pose = self::pose(pose);
        marker.scale = geometry::Vector3 { x: size.x, y: size.y, z: size.z };
        let shade = 0.45 + 0.1 * (id % 3) as f32;
        marker.color = ColorRGBA { r: shade, g: shade, b: 0.9 * shade, a: 1.0 };
        marker
    };
    MarkerArray { markers: boxes.iter().enumerate().map(marker).collect() }
}

/// Stamps them.
pub(crate) fn stamp(markers: &mut MarkerArray, time: Duration) {
    markers.markers.iter_mut().for_each(|marker| marker.header.stamp = to_stamp(time));
}

/// What is left of an upright box within the square that is drawn; a tilted one is only made narrower.
fn trimmed(pose: &Isometry3<f64>, size: &Vector3<f64>) -> (Isometry3<f64>, Vector3<f64>) {
    let (mut pose, mut size) = (*pose, *size);
    let upright = pose.rotation.angle() < 1e-9;
    for axis in 0..2 {
        if !upright && axis == 0 {
            continue;
        }
        let (middle, half) = (pose.translation.vector[axis], 0.5 * size[axis]);
        let (from, to) = ((middle - half).max(-WIDE_M), (middle + half).min(WIDE_M));
        pose.translation.vector[axis] = 0.5 * (from + to);
        size[axis] = (to - from).max(0.0);
    }
    (pose, size)
}

/// A pose as messages carry it.
pub(crate) fn pose(pose: &Isometry3<f64>) -> geometry::Pose {
    let at = &pose.translation.vector;
    geometry::Pose { position: geometry::Point { x: at.x, y: at.y, z: at.z }, orientation: quaternion(&pose.rotation) }
}

/// A rotation as messages carry it.
pub(crate) fn quaternion(q: &UnitQuaternion<f64>) -> geometry::Quaternion {
    geometry::Quaternion { x: q.i, y: q.j, z: q.k, w: q.w }
}

/// A vector as messages carry it.
pub(crate) fn vector(v: &Vector3<f64>) -> geometry::Vector3 {
    geometry::Vector3 { x: v.x, y: v.y, z: v.z }
}
