//! What robots touch the ground with where their description has no shapes: balls at feet and joints.

use super::assembly::{Foot, Hinge, Part};
use super::extent::{corners, reach};
use hexapod_kinematics::{Geometry, Link, Model, Shape};
use nalgebra::{Isometry3, Vector3};

/// Radius of the balls, m: that of a rubber cap on a hobby robot's shank.
const CAP_RADIUS_M: f64 = 0.005;
/// A foot's point that is farther than this beyond the shapes of its part, m, would sink into the ground.
const BEYOND_M: f64 = 5e-4;
/// The part that carries the legs.
const BASE: usize = 0;

/// Rounds the end of a leg off where no shape reaches the foot; what to tell of it. The leg ends at the foot's point, as
/// planner and odometry have it, so the ball is just within.
pub(super) fn cap(model: &Model, parts: &mut [Part], foot: &Foot) -> Option<String> {
    let part = parts.get_mut(foot.part)?;
    if part.shapes.iter().any(|shape| reach(shape, &foot.point) < BEYOND_M) {
        return None;
    }
    part.shapes.push(ball(foot.point - foot.point.try_normalize(0.0).unwrap_or_default() * CAP_RADIUS_M));
    let name = name(model, part);
    Some(format!("link \"{name}\": no collision shape at the foot, so it ends in a ball of {CAP_RADIUS_M} m"))
}

/// Puts a ball at each joint that a part without shapes carries, and at those of the base that are below all of its
/// shapes: a robot whose servos let go would sink into the ground. What to tell of it.
pub(super) fn joints_of_bare_parts(model: &Model, parts: &mut [Part], hinges: &[Hinge]) -> Option<String> {
    let mut names = Vec::new();
    for (index, part) in parts.iter_mut().enumerate() {
        let lowest = lowest(part).unwrap_or(f64::INFINITY);
        if index != BASE && lowest.is_finite() {
            continue;
        }
        let joints = hinges.iter().filter(|hinge| hinge.parent == index).map(at);
        let bare: Vec<_> = joints.filter(|joint| joint.z < lowest).collect();
        if !bare.is_empty() {
            names.push(format!("\"{}\"", name(model, part)));
            part.shapes.extend(bare.into_iter().map(ball));
        }
    }
    let first = names.first()?;
    let (which, they) = match names.len() {
        1 => (format!("link {first}"), "it touches"),
        more => (format!("links {first} and {} more", more - 1), "they touch"),
    };
    Some(format!("{which}: no collision shape, so {they} the ground with balls of {CAP_RADIUS_M} m at the joints"))
}

fn at(hinge: &Hinge) -> Vector3<f64> {
    hinge.parent_from_joint.translation.vector
}

/// Least height of a part's shapes in its frame, m.
fn lowest(part: &Part) -> Option<f64> {
    part.shapes.iter().flat_map(corners).map(|corner| corner.z).reduce(f64::min)
}

fn ball(centre: Vector3<f64>) -> Shape {
    let link_from_shape = Isometry3::translation(centre.x, centre.y, centre.z);
    Shape { link_from_shape, geometry: Geometry::Sphere { radius: CAP_RADIUS_M } }
}

fn name<'m>(model: &'m Model, part: &Part) -> &'m str {
    model.links().get(part.link).map_or("", Link::name)
}
