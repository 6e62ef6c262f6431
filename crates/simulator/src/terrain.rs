//! The ground as markers for rviz.

use crate::messages;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::geometry_msgs::msg as geometry;
use hexapod_ros::r2r::std_msgs::msg::ColorRGBA;
use hexapod_ros::r2r::visualization_msgs::msg::{Marker, MarkerArray};
use hexapod_sim::{Ground, HeightMap, Patch, Terrain};
use nalgebra::{Isometry3, Vector3};
use std::iter::repeat_n;
use std::time::Duration;

/// Types of `visualization_msgs/Marker`.
const CUBE: i32 = 1;
const CYLINDER: i32 = 3;
const TRIANGLES: i32 = 11;
/// Hills are drawn with at most so many points along an edge.
const MOST_POINTS: usize = 128;
/// Slippery places are drawn so thick, m, and vanish when they have not been published for so long, s: they may be
/// taken away.
const PATCH_THICK_M: f64 = 0.004;
const PATCH_STAYS_S: i32 = 3;
/// What goes on for ever is drawn this wide, m.
const WIDE_M: f64 = 4.0;
/// A level floor is drawn this thick, m.
const THIN_M: f64 = 0.002;

/// The boxes of the ground, a marker each, hills as triangles, and a thin box for a floor that is one plane.
pub(crate) fn markers(ground: &Ground, frame: &str) -> MarkerArray {
    if let Terrain::Heights(map) = &ground.terrain {
        return MarkerArray { markers: vec![hills(map, frame)] };
    }
    let mut boxes: Vec<(Isometry3<f64>, Vector3<f64>)> =
        ground.boxes().iter().map(|piece| trimmed(&piece.pose, &piece.size)).collect();
    if boxes.is_empty() {
        boxes.push((Isometry3::translation(0.0, 0.0, -0.5 * THIN_M), Vector3::new(WIDE_M, WIDE_M, THIN_M)));
    }
    let marker = |(id, (pose, size)): (usize, &(Isometry3<f64>, Vector3<f64>))| Marker {
        pose: messages::pose(pose),
        scale: messages::vector(size),
        color: grey(id),
        ..blank(CUBE, id, frame)
    };
    MarkerArray { markers: boxes.iter().enumerate().map(marker).collect() }
}

/// Slippery places, a disc each.
pub(crate) fn patches(patches: &[Patch], frame: &str) -> MarkerArray {
    let marker = |(id, patch): (usize, &Patch)| {
        let mut marker = Marker { ns: "patches".into(), ..blank(CYLINDER, id, frame) };
        let [x, y] = patch.centre;
        marker.pose = messages::pose(&Isometry3::translation(x, y, 0.0));
        marker.scale = messages::vector(&Vector3::new(2.0 * patch.radius, 2.0 * patch.radius, PATCH_THICK_M));
        marker.color = ColorRGBA { r: 0.3, g: 0.6, b: 0.9, a: 0.6 };
        marker.lifetime.sec = PATCH_STAYS_S;
        marker
    };
    MarkerArray { markers: patches.iter().enumerate().map(marker).collect() }
}

/// Hills as triangles, two between four points each.
fn hills(map: &HeightMap, frame: &str) -> Marker {
    let [columns, rows] = map.size();
    let [across, along] = [columns, rows].map(drawn);
    let point = |column: usize, row: usize| {
        let [x, y] = map.place(column, row);
        geometry::Point { x, y, z: map.at(column, row) }
    };
    let mut marker = Marker { color: grey(0), ..blank(TRIANGLES, 0, frame) };
    marker.pose = messages::pose(&Isometry3::identity());
    marker.scale = messages::vector(&Vector3::new(1.0, 1.0, 1.0));
    for (near, far) in along.iter().zip(along.iter().skip(1)) {
        for (behind, ahead) in across.iter().zip(across.iter().skip(1)) {
            let corners = [(behind, near), (ahead, near), (ahead, far), (behind, near), (ahead, far), (behind, far)];
            marker.points.extend(corners.map(|(&column, &row)| point(column, row)));
            let middle = [(behind, near), (ahead, far)].map(|(&column, &row)| map.at(column, row));
            marker
                .colors
                .extend([shade(middle[0]), shade(middle[1])].into_iter().flat_map(|colour| repeat_n(colour, 3)));
        }
    }
    marker
}

/// Which of so many points are drawn: the first, the last, and of those between as many as may be.
fn drawn(points: usize) -> Vec<usize> {
    let count = points.min(MOST_POINTS);
    (0..count).map(|index| index * (points - 1) / (count - 1).max(1)).collect()
}

/// The colour of ground at a height: lighter by 5 cm, darker again by the next.
fn shade(height: f64) -> ColorRGBA {
    let fraction = (height / 0.1).rem_euclid(1.0);
    let light = 0.35 + 0.5 * (1.0 - (2.0 * fraction - 1.0).abs()) as f32;
    ColorRGBA { r: light, g: light, b: 0.9 * light, a: 1.0 }
}

fn grey(id: usize) -> ColorRGBA {
    let light = 0.45 + 0.1 * (id % 3) as f32;
    ColorRGBA { r: light, g: light, b: 0.9 * light, a: 1.0 }
}

/// A marker of the terrain without place or size.
fn blank(type_: i32, id: usize, frame: &str) -> Marker {
    let mut marker = Marker { ns: "terrain".into(), type_, ..Marker::default() };
    marker.id = i32::try_from(id).unwrap_or_default();
    marker.header.frame_id = frame.into();
    marker
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
