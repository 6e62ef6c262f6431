//! Solids as flat convex faces.

use crate::scene::{Placed, Shape};
use crate::theme::Rgb;
use nalgebra::{Isometry3, Point3, Vector3};
use std::f64::consts::{PI, TAU};

/// A flat convex polygon in space with an outward normal.
#[derive(Debug, Clone)]
pub(crate) struct Face {
    /// Corners, anticlockwise seen from outside.
    pub(crate) corners: Vec<Point3<f64>>,
    /// Unit normal.
    pub(crate) normal: Vector3<f64>,
    /// The colour before light falls on it.
    pub(crate) colour: Rgb,
    /// Whether light changes the colour; lines drawn into the scene keep theirs.
    pub(crate) lit: bool,
}

impl Face {
    /// A face through these corners, or nothing when they span no area.
    pub(crate) fn new(corners: Vec<Point3<f64>>, colour: Rgb) -> Option<Self> {
        let normal = newell_normal(&corners).try_normalize(1e-15)?;
        normal.iter().all(|value| value.is_finite()).then_some(Self { corners, normal, colour, lit: true })
    }
}

/// The area-weighted normal of a polygon; robust where single corners are nearly in line (Newell's method).
fn newell_normal(corners: &[Point3<f64>]) -> Vector3<f64> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.coords.cross(&b.coords)).sum()
}

/// The faces of a solid whose roundness is cut into flats of about the given length (m).
pub(crate) fn faces(placed: &Placed, flat: f64) -> Vec<Face> {
    let polygons = match placed.shape {
        Shape::Box { size } => box_polygons(size / 2.0),
        Shape::Cylinder { radius, length } => cylinder_polygons(radius, length / 2.0, sides(radius, flat)),
        Shape::Sphere { radius } => sphere_polygons(radius, sides(radius, flat)),
    };
    let colour = Rgb::from_rgba(placed.rgba);
    polygons.into_iter().filter_map(|polygon| Face::new(moved(&placed.pose, &polygon), colour)).collect()
}

fn moved(pose: &Isometry3<f64>, polygon: &[Point3<f64>]) -> Vec<Point3<f64>> {
    polygon.iter().map(|corner| pose * corner).collect()
}

fn sides(radius: f64, flat: f64) -> usize {
    // NaN becomes 0 and is raised to the least, so the number of sides is always sound.
    ((TAU * radius / flat).ceil() as usize).clamp(8, 28) / 2 * 2
}

fn box_polygons(half: Vector3<f64>) -> Vec<Vec<Point3<f64>>> {
    let corner = |x: f64, y: f64, z: f64| Point3::new(x * half.x, y * half.y, z * half.z);
    let pairs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let mut polygons = Vec::with_capacity(6);
    for side in [-1.0, 1.0] {
        let turn = |mut polygon: Vec<Point3<f64>>| {
            if side < 0.0 {
                polygon.reverse();
            }
            polygon
        };
        polygons.push(turn(pairs.iter().map(|[a, b]| corner(side, *a, *b)).collect()));
        polygons.push(turn(pairs.iter().map(|[a, b]| corner(*b, side, *a)).collect()));
        polygons.push(turn(pairs.iter().map(|[a, b]| corner(*a, *b, side)).collect()));
    }
    polygons
}

fn ring(radius: f64, z: f64, sides: usize) -> Vec<Point3<f64>> {
    let angle = |index: usize| TAU * index as f64 / sides as f64;
    (0..sides).map(|index| Point3::new(radius * angle(index).cos(), radius * angle(index).sin(), z)).collect()
}

/// Quadrilaterals between two rings, outward when the second lies above the first.
fn band(lower: &[Point3<f64>], upper: &[Point3<f64>]) -> Vec<Vec<Point3<f64>>> {
    let count = lower.len();
    let quad = |a: usize| {
        let b = (a + 1) % count;
        vec![lower[a], lower[b], upper[b], upper[a]]
    };
    (0..count).map(quad).collect()
}

fn cylinder_polygons(radius: f64, half: f64, sides: usize) -> Vec<Vec<Point3<f64>>> {
    let (lower, upper) = (ring(radius, -half, sides), ring(radius, half, sides));
    let mut polygons = band(&lower, &upper);
    polygons.push(upper);
    polygons.push(lower.into_iter().rev().collect());
    polygons
}

fn sphere_polygons(radius: f64, sides: usize) -> Vec<Vec<Point3<f64>>> {
    let rows = sides / 2;
    let row = |index: usize| {
        let latitude = -PI / 2.0 + PI * index as f64 / rows as f64;
        ring(radius * latitude.cos(), radius * latitude.sin(), sides)
    };
    (0..rows).flat_map(|index| band(&row(index), &row(index + 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_solid_is_cut_into_faces_expect_every_normal_outward() {
        let pose = Isometry3::translation(1.0, -2.0, 0.5);
        let solids = [
            Shape::Box { size: Vector3::new(0.1, 0.2, 0.3) },
            Shape::Cylinder { radius: 0.1, length: 0.3 },
            Shape::Sphere { radius: 0.2 },
        ];
        for shape in solids {
            let placed = Placed { shape, pose, rgba: [1.0; 4] };
            let faces = faces(&placed, 0.02);
            assert!(faces.len() >= 6);
            for face in faces {
                let outward = face.corners[0] - Point3::from(pose.translation.vector);
                assert!(face.normal.dot(&outward) > 0.0, "{shape:?} {:?}", face.normal);
            }
        }
    }

    #[test]
    fn when_a_solid_has_no_size_expect_no_faces() {
        let shape = Shape::Box { size: Vector3::zeros() };
        assert!(faces(&Placed { shape, pose: Isometry3::identity(), rgba: [1.0; 4] }, 0.01).is_empty());
    }
}
