//! How far shapes go.

use hexapod_kinematics::{Geometry, Shape};
use nalgebra::{Point3, Vector3};

/// Corners of the box about a shape, in the part's frame; none of a mesh, which does not collide.
pub(crate) fn corners(shape: &Shape) -> Vec<Point3<f64>> {
    let half = match &shape.geometry {
        Geometry::Box { size } => 0.5 * size,
        Geometry::Sphere { radius } => Vector3::repeat(*radius),
        Geometry::Cylinder { radius, length } => Vector3::new(*radius, *radius, 0.5 * length),
        Geometry::Capsule { radius, length } => Vector3::new(*radius, *radius, 0.5 * length + radius),
        Geometry::Mesh { .. } => return Vec::new(),
    };
    let corner = |n: usize| Vector3::from_fn(|axis, _| if n >> axis & 1 == 0 { half[axis] } else { -half[axis] });
    (0..8).map(|n| shape.link_from_shape * Point3::from(corner(n))).collect()
}

/// Distance of a point from a shape, m; zero inside.
pub(super) fn reach(shape: &Shape, point: &Vector3<f64>) -> f64 {
    let p = shape.link_from_shape.inverse_transform_point(&(*point).into()).coords;
    let beyond = |half: f64, along: f64| (along.abs() - half).max(0.0);
    match &shape.geometry {
        Geometry::Box { size } => p.zip_map(&(0.5 * size), |along, half| beyond(half, along)).norm(),
        Geometry::Sphere { radius } => (p.norm() - radius).max(0.0),
        Geometry::Cylinder { radius, length } => beyond(*radius, p.xy().norm()).max(beyond(0.5 * length, p.z)),
        Geometry::Capsule { radius, length } => {
            (Vector3::new(p.x, p.y, beyond(0.5 * length, p.z)).norm() - radius).max(0.0)
        }
        Geometry::Mesh { .. } => f64::INFINITY,
    }
}
