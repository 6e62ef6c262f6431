//! Between nalgebra, in which the robot is described, and the engine's own vectors.

use nalgebra::{Isometry3, Matrix3, Quaternion, Unit, UnitQuaternion, Vector3};
use rapier::math::{Matrix, Pose, Rotation, Vector};

pub(super) fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub(super) fn from_vector(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

pub(super) fn pose(pose: &Isometry3<f64>) -> Pose {
    Pose::from_parts(vector(&pose.translation.vector), rotation(&pose.rotation))
}

pub(super) fn from_pose(pose: &Pose) -> Isometry3<f64> {
    Isometry3::from_parts(from_vector(pose.translation).into(), from_rotation(&pose.rotation))
}

fn rotation(q: &UnitQuaternion<f64>) -> Rotation {
    Rotation::from_xyzw(q.i, q.j, q.k, q.w)
}

fn from_rotation(q: &Rotation) -> UnitQuaternion<f64> {
    Unit::new_normalize(Quaternion::new(q.w, q.x, q.y, q.z))
}

pub(super) fn matrix(m: &Matrix3<f64>) -> Matrix {
    let column = |i: usize| vector(&m.column(i).into());
    Matrix::from_cols(column(0), column(1), column(2))
}
