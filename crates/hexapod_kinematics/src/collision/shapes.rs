//! Capsules and boxes from a description's collision shapes.

use super::placed::{Detail, MAX_SHAPES, Placed};
use crate::math::sin_cos;
use crate::solid::capsule::{Bounds, Capsule};
use crate::solid::convex::Convex;
use crate::solid::cuboid::Cuboid;
use crate::solid::distance;
use crate::{Geometry, Leg, LegAngles, MAX_LEG_JOINTS, Model, Shape};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// A leg's capsules and boxes, link by link, in the frame of the joint that carries the link.
#[derive(Clone, Debug)]
pub(super) struct LegShapes {
    links: Vec<Vec<Convex>>,
    /// Which of them touch the body at home, in the order in which they are placed.
    touches_body: [bool; MAX_SHAPES],
}

/// A box of the body.
#[derive(Clone, Debug)]
pub(super) struct BodyBox {
    box_from_body: Isometry3<f64>,
    half: Vector3<f64>,
    /// The same, in the body's frame, and what is about it.
    cuboid: Cuboid,
    bounds: Bounds,
}

impl LegShapes {
    pub fn of(model: &Model, leg: &Leg) -> Self {
        let links = leg.moving().iter().zip(ends(leg)).map(|(joint, end)| {
            let link = model.joints().get(joint.joint_index()).map(crate::Joint::child);
            let shapes = link.map(|link| of_link(model, link)).unwrap_or_default();
            if shapes.is_empty() { vec![line_to(end)] } else { shapes }
        });
        let mut links: Vec<Vec<Convex>> = links.collect();
        while links.iter().map(Vec::len).sum::<usize>() > MAX_SHAPES && shorten(&mut links) {}
        Self { links, touches_body: [false; MAX_SHAPES] }
    }

    /// A leg whose links are lines.
    pub fn lines(leg: &Leg) -> Self {
        Self { links: ends(leg).map(|end| vec![line_to(end)]).collect(), touches_body: [false; MAX_SHAPES] }
    }

    /// How far any point of the leg moves at most for each radian of each joint with a motor, wherever they are, m.
    pub fn carried(&self, leg: &Leg) -> [f64; MAX_LEG_JOINTS] {
        let farthest = |link: &[Convex]| link.iter().map(Convex::farthest).fold(0.0, f64::max);
        let (mut carried, mut beyond) = ([0.0; MAX_LEG_JOINTS], 0.0f64);
        let joints = leg.moving().iter().zip(self.links()).enumerate().collect::<Vec<_>>();
        for (index, (joint, link)) in joints.into_iter().rev() {
            beyond = beyond.max(farthest(link));
            if let Some(carried) = carried.get_mut(index) {
                *carried = beyond;
            }
            beyond += joint.origin().translation.vector.norm();
        }
        let Some(coupling) = leg.coupling() else { return carried };
        (coupling.abs().tr_mul(&nalgebra::SVector::from(carried))).into()
    }

    pub fn count(&self) -> usize {
        self.links.iter().map(Vec::len).sum()
    }

    pub fn links(&self) -> impl Iterator<Item = &[Convex]> {
        self.links.iter().map(Vec::as_slice)
    }

    /// Puts the leg's shapes at these joint angles into `placed`, which holds none.
    pub fn place(&self, leg: &Leg, angles: &LegAngles, placed: &mut Placed) {
        let mut body_from_link = Isometry3::identity();
        for ((link, joint), &angle) in self.links().zip(leg.moving()).zip(leg.turns(angles).iter()) {
            let (sin, cos) = sin_cos(0.5 * angle);
            let turned = UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, joint.axis().into_inner() * sin));
            body_from_link *= joint.origin() * turned;
            let (turn, at) = (body_from_link.rotation.to_rotation_matrix(), body_from_link.translation.vector);
            for shape in link {
                placed.push(shape, turn.matrix(), &at);
            }
        }
    }

    /// Takes down which shapes touch the body, boxes by the capsules about them, and so are not compared with it: a hip that
    /// ends just beside the body has to turn there.
    pub fn leave_out_what_touches(&mut self, placed: &Placed, body: &[BodyBox]) {
        for (touches, (shape, _)) in self.touches_body.iter_mut().zip(placed.iter()) {
            let capsule = shape.capsule();
            *touches = body.iter().any(|of| of.distance_to(&capsule) <= 0.0);
        }
    }

    /// Whether each shape touches the body at home, in the order in which they are placed.
    pub fn touches_body(&self) -> [bool; MAX_SHAPES] {
        self.touches_body
    }

    /// Distance of the leg from the body, m.
    pub fn distance_to_body(&self, placed: &Placed, body: &[BodyBox], Detail { exact, most }: Detail) -> f64 {
        let mut nearest = most;
        for ((shape, bounds), _) in placed.iter().zip(self.touches_body).filter(|(_, touches)| !touches) {
            for of in body {
                let gap = of.bounds.gap(bounds);
                if gap < nearest {
                    nearest = nearest.min(if gap < exact { of.distance(shape, exact.min(nearest)) } else { gap });
                }
            }
        }
        nearest
    }
}

/// Where each link ends, in the frame of the joint that carries it.
fn ends(leg: &Leg) -> impl Iterator<Item = Vector3<f64>> + '_ {
    leg.moving().iter().skip(1).map(|next| next.origin().translation.vector).chain([leg.tip().translation.vector])
}

fn line_to(end: Vector3<f64>) -> Convex {
    Convex::Capsule(Capsule { ends: [Vector3::zeros(), end], radius: 0.0 })
}

/// Puts the last two shapes of the link that has most into one capsule; false if none has two.
fn shorten(links: &mut [Vec<Convex>]) -> bool {
    let Some(link) = links.iter_mut().max_by_key(|link| link.len()).filter(|link| link.len() > 1) else { return false };
    if let (Some(last), Some(before)) = (link.pop(), link.pop()) {
        link.push(Convex::Capsule(about(&[before.capsule(), last.capsule()])));
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

/// Capsules and boxes of a link and of what is fixed to it, in the link's frame.
fn of_link(model: &Model, link: usize) -> Vec<Convex> {
    let mut shapes = Vec::new();
    collect(model, link, &Isometry3::identity(), &mut shapes);
    let (balls, mut long): (Vec<Convex>, Vec<Convex>) = shapes.iter().flat_map(of_shape).partition(Convex::is_ball);
    for ball in balls {
        let longer = long.iter_mut().find_map(|shape| {
            let with = shape.with_ball(&ball.capsule())?;
            Some((shape, with))
        });
        match longer {
            Some((shape, with)) => *shape = with,
            None => long.push(ball),
        }
    }
    long
}

/// The shapes of a link and of what hangs on it by fixed joints, in the frame from which it has a pose.
fn collect(model: &Model, link: usize, pose: &Isometry3<f64>, shapes: &mut Vec<Shape>) {
    let own = model.links().get(link).into_iter().flat_map(|link| link.collisions());
    shapes.extend(own.map(|shape| Shape { link_from_shape: pose * shape.link_from_shape, ..shape.clone() }));
    for joint in model.joints().iter().filter(|joint| joint.parent() == link && joint.is_fixed()) {
        collect(model, joint.child(), &(pose * joint.parent_from_joint()), shapes);
    }
}

/// A cylinder is chunky up to this length, in its radii.
const CHUNKY: f64 = 3.0;

/// A box as it is, boxes about what is chunky, and capsules about any other shape; none for a mesh that could not be read.
fn of_shape(shape: &Shape) -> Vec<Convex> {
    let along = |axis: Vector3<f64>, radius: f64| vec![Capsule { ends: [axis, -axis], radius }];
    let capsules = match &shape.geometry {
        Geometry::Sphere { radius } => along(Vector3::zeros(), *radius),
        // The round ends of a capsule would stick out of a short cylinder by more than the corners of a box do.
        Geometry::Cylinder { radius, length } if *length < CHUNKY * radius => {
            return vec![Convex::Cuboid(Cuboid::new(
                &shape.link_from_shape,
                Vector3::new(*radius, *radius, 0.5 * length),
            ))];
        }
        Geometry::Capsule { radius, length } | Geometry::Cylinder { radius, length } => {
            along(Vector3::new(0.0, 0.0, 0.5 * length), *radius)
        }
        Geometry::Box { size } => return vec![Convex::Cuboid(Cuboid::new(&shape.link_from_shape, 0.5 * size))],
        Geometry::Mesh { bulk: Some(bulk), .. } => {
            let pose = &shape.link_from_shape;
            let (turn, at) = (pose.rotation.to_rotation_matrix(), pose.translation.vector);
            return bulk.solids().iter().map(|solid| solid.placed(turn.matrix(), &at)).collect();
        }
        Geometry::Mesh { bulk: None, .. } => Vec::new(),
    };
    let placed = |of: Capsule| Capsule { ends: of.ends.map(|end| moved(&shape.link_from_shape, &end)), ..of };
    capsules.into_iter().map(|capsule| Convex::Capsule(placed(capsule))).collect()
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
        let bounds = Bounds { low: at - out, high: at + out };
        Self { box_from_body: body_from_box.inverse(), half, cuboid: Cuboid::new(body_from_box, half), bounds }
    }

    /// How far it extends along a direction of the body's frame, m.
    pub fn extent(&self, ahead: &Vector3<f64>) -> f64 {
        let ahead_in_box = self.box_from_body.rotation * ahead;
        let centre = self.box_from_body.inverse().translation.vector;
        ahead.dot(&centre) + ahead_in_box.abs().dot(&self.half)
    }

    /// Distance of a shape in the body's frame, m; below zero where they overlap. What is at least `enough` apart may be
    /// reported as anything from there up to the distance.
    fn distance(&self, shape: &Convex, enough: f64) -> f64 {
        match shape {
            Convex::Capsule(capsule) => self.distance_to(capsule),
            Convex::Cuboid(cuboid) => self.cuboid.distance(cuboid, enough),
        }
    }

    fn distance_to(&self, capsule: &Capsule) -> f64 {
        let ends = capsule.ends.map(|end| moved(&self.box_from_body, &end));
        distance::from_box(&ends, &self.half) - capsule.radius
    }
}

/// A point of a frame as a vector from its origin.
fn moved(pose: &Isometry3<f64>, point: &Vector3<f64>) -> Vector3<f64> {
    pose.rotation * point + pose.translation.vector
}
