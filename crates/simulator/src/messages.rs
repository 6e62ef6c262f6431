//! Geometry as messages carry it.

use hexapod_ros::r2r::geometry_msgs::msg as geometry;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// A pose.
pub(crate) fn pose(pose: &Isometry3<f64>) -> geometry::Pose {
    let at = &pose.translation.vector;
    geometry::Pose { position: geometry::Point { x: at.x, y: at.y, z: at.z }, orientation: quaternion(&pose.rotation) }
}

/// A rotation.
pub(crate) fn quaternion(q: &UnitQuaternion<f64>) -> geometry::Quaternion {
    geometry::Quaternion { x: q.i, y: q.j, z: q.k, w: q.w }
}

/// A vector.
pub(crate) fn vector(v: &Vector3<f64>) -> geometry::Vector3 {
    geometry::Vector3 { x: v.x, y: v.y, z: v.z }
}
