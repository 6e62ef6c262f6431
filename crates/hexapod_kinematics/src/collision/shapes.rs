//! Capsules and boxes from a description's collision shapes.

use super::placed::{MAX_CAPSULES, Placed};
use crate::math::sin_cos;
use crate::solid::capsule::{Bounds, Capsule};
use crate::solid::distance;
use crate::{Geometry, Leg, LegAngles, MAX_LEG_JOINTS, Model, Shape};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// A leg's capsules, link by link, in the frame of the joint that carries the link.
#[derive(Clone, Debug)]
pub(super) struct LegShapes {
    links: Vec<Vec<Capsule>>,
    /// Which of them touch the body at home, in the order in which they are placed.
    touches_body: [bool; MAX_CAPSULES],
}

/// A box of the body.
#[derive(Clone, Debug)]
pub(super) struct BodyBox {
    box_from_body: Isometry3<f64>,
    half: Vector3<f64>,
    /// About it, in the body's frame.
    bounds: Bounds,
}

impl LegShapes {
    pub fn of(model: &Model, leg: &Leg) -> Self {
        let links = leg.joints().iter().zip(ends(leg)).map(|(joint, end)| {
            let link = model.joints().get(joint.joint_index()).map(crate::Joint::child);
            let capsules = link.map(|link| of_link(model, link)).unwrap_or_default();
            if capsules.is_empty() { vec![line_to(end)] } else { capsules }
        });
        let mut links: Vec<Vec<Capsule>> = links.collect();
        while links.iter().map(Vec::len).sum::<usize>() > MAX_CAPSULES && shorten(&mut links) {}
        Self { links, touches_body: [false; MAX_CAPSULES] }
    }

    /// A leg whose links are lines.
    pub fn lines(leg: &Leg) -> Self {
        Self { links: ends(leg).map(|end| vec![line_to(end)]).collect(), touches_body: [false; MAX_CAPSULES] }
    }

    /// How far any point of the leg is from each joint at most, however the joints are turned, m.
    pub fn carried(&self, leg: &Leg) -> [f64; MAX_LEG_JOINTS] {
        let farthest = |link: &[Capsule]| link.iter().flat_map(|of| of.ends).map(|end| end.norm()).fold(0.0, f64::max);
        let (mut carried, mut beyond) = ([0.0; MAX_LEG_JOINTS], 0.0f64);
        let joints = leg.joints().iter().zip(self.links()).enumerate().collect::<Vec<_>>();
        for (index, (joint, link)) in joints.into_iter().rev() {
            beyond = beyond.max(farthest(link));
            if let Some(carried) = carried.get_mut(index) {
                *carried = beyond;
            }
            beyond += joint.origin().translation.vector.norm();
        }
        carried
    }

    pub fn count(&self) -> usize {
        self.links.iter().map(Vec::len).sum()
    }

    pub fn links(&self) -> impl Iterator<Item = &[Capsule]> {
        self.links.iter().map(Vec::as_slice)
    }

    /// Puts the leg's capsules at these joint angles into `placed`, which holds none.
    pub fn place(&self, leg: &Leg, angles: &LegAngles, placed: &mut Placed) {
        let mut body_from_link = Isometry3::identity();
        for ((link, joint), &angle) in self.links().zip(leg.joints()).zip(angles.iter()) {
            let (sin, cos) = sin_cos(0.5 * angle);
            let turned = UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, joint.axis().into_inner() * sin));
            body_from_link *= joint.origin() * turned;
            let (turn, at) = (body_from_link.rotation.to_rotation_matrix(), body_from_link.translation.vector);
            for capsule in link {
                placed.push(Capsule { ends: capsule.ends.map(|end| turn * end + at), ..*capsule });
            }
        }
    }

    /// Takes down which capsules touch the body, and so are not compared with it.
    pub fn leave_out_what_touches(&mut self, placed: &Placed, body: &[BodyBox]) {
        for (touches, (capsule, _)) in self.touches_body.iter_mut().zip(placed.iter()) {
            *touches = body.iter().any(|of| of.distance(capsule) <= 0.0);
        }
    }

    /// Whether each capsule touches the body at home, in the order in which they are placed.
    pub fn touches_body(&self) -> [bool; MAX_CAPSULES] {
        self.touches_body
    }

    /// Distance of the leg from the body, m; what is at least `enough` apart may be reported as anything from there on.
    pub fn distance_to_body(&self, placed: &Placed, body: &[BodyBox], enough: f64) -> f64 {
        let mut nearest = enough;
        for ((capsule, bounds), _) in placed.iter().zip(self.touches_body).filter(|(_, touches)| !touches) {
            for of in body {
                if of.bounds.gap(bounds) < nearest {
                    nearest = nearest.min(of.distance(capsule));
                }
            }
        }
        nearest
    }
}

/// Where each link ends, in the frame of the joint that carries it.
fn ends(leg: &Leg) -> impl Iterator<Item = Vector3<f64>> + '_ {
    leg.joints().iter().skip(1).map(|next| next.origin().translation.vector).chain([leg.tip().translation.vector])
}

fn line_to(end: Vector3<f64>) -> Capsule {
    Capsule { ends: [Vector3::zeros(), end], radius: 0.0 }
}

/// Puts the last two capsules of the link that has most into one; false if none has two.
fn shorten(links: &mut [Vec<Capsule>]) -> bool {
    let Some(link) = links.iter_mut().max_by_key(|link| link.len()).filter(|link| link.len() > 1) else { return false };
    if let (Some(last), Some(before)) = (link.pop(), link.pop()) {
        link.push(about(&[before, last]));
    }
    true
}

/// A capsule about two: along the line between the ends that are farthest apart.
fn about(both: &[Capsule; 2]) -> Capsule {
    let ends = both.iter().flat_map(|of| of.ends);
    let pairs = ends.clone().flat_map(|a| ends.clone().map(move |b| [a, b]));
    let span = |[a, b]: &[Vector3<f64>; 2]| (b - a).norm_squared();
    let axis = pairs.max_by(|one, other| span(one).total_cmp(&span(other))).unwrap_or([Vector3::zeros(); 2]);
    let beyond = |of: &Capsule| of.ends.map(|end| distance::of_segments(&[end; 2], &axis) + of.radius);
    let radius = both.iter().flat_map(beyond).fold(0.0, f64::max);
    Capsule { ends: axis, radius }
}

/// Capsules of a link and of what is fixed to it, in the link's frame.
fn of_link(model: &Model, link: usize) -> Vec<Capsule> {
    let mut shapes = Vec::new();
    collect(model, link, &Isometry3::identity(), &mut shapes);
    let mut capsules: Vec<Capsule> = Vec::new();
    let (balls, long): (Vec<Capsule>, Vec<Capsule>) =
        shapes.iter().flat_map(of_shape).partition(|capsule| capsule.ends[0] == capsule.ends[1]);
    capsules.extend(long);
    for ball in balls {
        let longer = capsules.iter_mut().find_map(|capsule| {
            let with = capsule.with_ball(&ball.ends[0], ball.radius)?;
            Some((capsule, with))
        });
        match longer {
            Some((capsule, with)) => *capsule = with,
            None => capsules.push(ball),
        }
    }
    capsules
}

/// The shapes of a link and of what hangs on it by fixed joints, in the frame from which it has a pose.
fn collect(model: &Model, link: usize, pose: &Isometry3<f64>, shapes: &mut Vec<Shape>) {
    let own = model.links().get(link).into_iter().flat_map(|link| link.collisions());
    shapes.extend(own.map(|shape| Shape { link_from_shape: pose * shape.link_from_shape, ..shape.clone() }));
    for joint in model.joints().iter().filter(|joint| joint.parent() == link && joint.is_fixed()) {
        collect(model, joint.child(), &(pose * joint.parent_from_joint()), shapes);
    }
}

/// Capsules about a shape; none for a mesh that could not be read.
pub(super) fn of_shape(shape: &Shape) -> Vec<Capsule> {
    let along = |axis: Vector3<f64>, radius: f64| vec![Capsule { ends: [axis, -axis], radius }];
    let mut capsules = match &shape.geometry {
        Geometry::Sphere { radius } => along(Vector3::zeros(), *radius),
        Geometry::Capsule { radius, length } | Geometry::Cylinder { radius, length } => {
            along(Vector3::new(0.0, 0.0, 0.5 * length), *radius)
        }
        Geometry::Box { size } => {
            let longest = size.imax();
            let mut axis = Vector3::zeros();
            axis[longest] = 0.5 * size[longest];
            along(axis, (0.5 * size - axis).norm())
        }
        Geometry::Mesh { bulk, .. } => bulk.as_ref().map(|bulk| bulk.capsules().to_vec()).unwrap_or_default(),
    };
    for end in capsules.iter_mut().flat_map(|capsule| &mut capsule.ends) {
        *end = moved(&shape.link_from_shape, end);
    }
    capsules
}

/// Boxes about the shapes of the base and of what is fixed to it.
pub(super) fn of_body(model: &Model) -> Vec<BodyBox> {
    let mut shapes = Vec::new();
    if let Some(base) = model.link_index(model.base_link()) {
        collect(model, base, &Isometry3::identity(), &mut shapes);
    }
    shapes.iter().filter_map(boxed).collect()
}

/// The box about a shape; none for a mesh that could not be read.
fn boxed(shape: &Shape) -> Option<BodyBox> {
    let half = match &shape.geometry {
        Geometry::Box { size } => 0.5 * size,
        Geometry::Sphere { radius } => Vector3::repeat(*radius),
        Geometry::Cylinder { radius, length } => Vector3::new(*radius, *radius, 0.5 * length),
        Geometry::Capsule { radius, length } => Vector3::new(*radius, *radius, 0.5 * length + radius),
        Geometry::Mesh { bulk, .. } => {
            let [low, high] = bulk.as_ref()?.corners();
            let middle = Translation3::from(0.5 * (low + high));
            return Some(BodyBox::new(&(shape.link_from_shape * middle), 0.5 * (high - low)));
        }
    };
    Some(BodyBox::new(&shape.link_from_shape, half))
}

impl BodyBox {
    fn new(body_from_box: &Isometry3<f64>, half: Vector3<f64>) -> Self {
        let out = body_from_box.rotation.to_rotation_matrix().matrix().abs() * half;
        let at = body_from_box.translation.vector;
        Self { box_from_body: body_from_box.inverse(), half, bounds: Bounds { low: at - out, high: at + out } }
    }

    /// How far it extends along a direction of the body's frame, m.
    pub fn extent(&self, ahead: &Vector3<f64>) -> f64 {
        let ahead_in_box = self.box_from_body.rotation * ahead;
        let centre = self.box_from_body.inverse().translation.vector;
        ahead.dot(&centre) + ahead_in_box.abs().dot(&self.half)
    }

    /// Distance of a capsule in the body's frame, m; below zero where they overlap.
    fn distance(&self, capsule: &Capsule) -> f64 {
        let ends = capsule.ends.map(|end| moved(&self.box_from_body, &end));
        distance::from_box(&ends, &self.half) - capsule.radius
    }
}

/// A point of a frame as a vector from its origin.
pub(super) fn moved(pose: &Isometry3<f64>, point: &Vector3<f64>) -> Vector3<f64> {
    pose.rotation * point + pose.translation.vector
}
