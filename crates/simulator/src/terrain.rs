//! The ground as markers for rviz.

use crate::messages;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::geometry_msgs::msg as geometry;
use hexapod_ros::r2r::std_msgs::msg::ColorRGBA;
use hexapod_ros::r2r::visualization_msgs::msg::{Marker, MarkerArray};
use hexapod_sim::Ground;
use nalgebra::{Isometry3, Vector3};
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
        marker.pose = messages::pose(pose);
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
