//! Which of the collision shapes at the end of a leg is the ball that it stands on.

use super::foot::{fixed_to, joint_from_link};
use crate::leg::Ball;
use crate::model::{Geometry, Model, Shape};
use nalgebra::{Point3, Vector3};

/// A foot this far outside a ball is still its own, m: descriptions are rounded.
const NEAR_M: f64 = 1e-3;

/// The greatest ball, or round end of a capsule, among the shapes fixed to a link that the foot is in or on; `foot` is in
/// the last joint's frame, m.
pub(super) fn ball_at(model: &Model, link: usize, foot: &Vector3<f64>) -> Option<Ball> {
    let mut greatest: Option<Ball> = None;
    for link in fixed_to(model, link) {
        let joint_from_link = joint_from_link(model, link);
        for shape in model.links().get(link).into_iter().flat_map(|link| link.collisions()) {
            for (in_link, radius) in round_ends(shape) {
                let centre = (joint_from_link * Point3::from(in_link)).coords;
                let is_at_foot = (centre - foot).norm() <= radius + NEAR_M;
                if is_at_foot && greatest.is_none_or(|known| radius > known.radius) {
                    greatest = Some(Ball { centre, radius });
                }
            }
        }
    }
    greatest
}

/// Centres in the link's frame and radii of the balls that a shape ends in.
fn round_ends(shape: &Shape) -> Vec<(Vector3<f64>, f64)> {
    let at = |z: f64| (shape.link_from_shape * Point3::new(0.0, 0.0, z)).coords;
    match shape.geometry {
        Geometry::Sphere { radius } => vec![(at(0.0), radius)],
        Geometry::Capsule { radius, length } => [0.5, -0.5].map(|fraction| (at(fraction * length), radius)).to_vec(),
        Geometry::Box { .. } | Geometry::Cylinder { .. } | Geometry::Mesh { .. } => Vec::new(),
    }
}
