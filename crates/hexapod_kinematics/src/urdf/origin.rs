//! Poses as a URDF writes them: `xyz` and `rpy`.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

/// Pose from a URDF origin.
pub(super) fn pose(origin: &urdf_rs::Pose) -> Isometry3<f64> {
    isometry(origin.xyz.0, origin.rpy.0)
}

/// Translation, then roll about x, pitch about y, yaw about z, all of the fixed parent axes.
pub(super) fn isometry([x, y, z]: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}
