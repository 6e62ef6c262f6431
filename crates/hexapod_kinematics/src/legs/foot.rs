//! Where the foot of a leg is.

use nalgebra::{Isometry3, Vector3};

use super::MeshReader;
use super::mesh::stl_vertices;
use super::options::LegOptions;
use crate::error::{ModelError, ModelFault, Place};
use crate::model::{Geometry, Model, Shape};

/// Words in the name of a link that say it is a foot.
const FOOT_WORDS: [&str; 6] = ["foot", "toe", "tip", "contact", "sole", "end"];
/// A link nearer than this to the joint that carries it does not say where the foot is, m.
const MIN_TIP: f64 = 1e-4;
/// Least distance of a foot that is guessed from its joint, m.
const MIN_GUESS: f64 = 5e-3;

/// True when the link's name says that it is a foot.
pub(super) fn is_called_foot(model: &Model, link: usize) -> bool {
    let name = model.links().get(link).map(|l| l.name().to_lowercase()).unwrap_or_default();
    FOOT_WORDS.iter().any(|word| name.contains(word))
}

/// Distance of a link's origin from the last moving joint on the way to it, m.
pub(super) fn distance(model: &Model, link: usize) -> f64 {
    last_joint_from_link(model, link).translation.vector.norm()
}

/// Pose of a foot in the frame of the last link of a leg, and a remark where it is a guess.
pub(super) type Foot = (Isometry3<f64>, Option<String>);

/// The foot of a leg: as given, the last link's origin when fixed joints lead to it, or the point of the link's shapes
/// that is farthest from the last joint. Where only meshes show it that cannot be read, it is guessed.
pub(super) fn foot_of(
    model: &Model,
    link: usize,
    options: &LegOptions,
    read: MeshReader<'_>,
) -> Result<Foot, ModelError> {
    let Some(of) = model.links().get(link) else { return Ok((Isometry3::identity(), None)) };
    let given = options.feet.iter().find(|(name, _)| name == of.name() || name.is_empty());
    if let Some((_, point)) = given {
        return Ok((at(*point), None));
    }
    if distance(model, link) > MIN_TIP {
        return Ok((Isometry3::identity(), None));
    }
    let joint_from_link = last_joint_from_link(model, link);
    let mut farthest = |shapes: &[Shape]| {
        let points = shapes.iter().filter_map(|s| farthest_point(s, &joint_from_link, read));
        points.max_by(|a, b| a.norm().total_cmp(&b.norm()))
    };
    let point = farthest(of.collisions()).or_else(|| farthest(of.visuals())).filter(|p| p.norm() > MIN_TIP);
    if let Some(point) = point {
        return Ok((at(point), None));
    }
    guess(model, link).ok_or_else(|| {
        let place = Place::named("link", of.name(), of.line());
        let found = "ends a leg, but nothing says where its foot is";
        let hint = format!(
            "add a link \"{0}_foot\" at the tip with a fixed joint from \"{0}\", or give the foot's position in the options",
            of.name()
        );
        ModelError::new(ModelFault::Legs, place, found, hint)
    })
}

/// Where the foot of a link may be that is only shown by meshes: twice as far as its centre of mass, or as far from
/// its joint as that is from the joint before it, straight on.
fn guess(model: &Model, link: usize) -> Option<Foot> {
    let of = model.links().get(link)?;
    let mesh = of.collisions().iter().chain(of.visuals()).find_map(|shape| match &shape.geometry {
        Geometry::Mesh { filename, .. } => Some(filename),
        _ => None,
    })?;
    let by_mass = of.inertial().map(|i| 2.0 * i.centre_of_mass()).filter(|p| p.norm() > MIN_GUESS);
    let joint = model.parent_joint(link).and_then(|index| model.joints().get(index))?;
    let straight_on = || {
        let offset = joint.parent_from_joint();
        Some(offset.rotation.inverse() * offset.translation.vector).filter(|p| p.norm() > MIN_GUESS)
    };
    let (point, how) = match by_mass {
        Some(point) => (point, "twice as far as its centre of mass"),
        None => (straight_on()?, "as far from its joint as the link before it is long"),
    };
    let (x, y, z) = (point.x, point.y, point.z);
    let name = of.name();
    let remark = format!(
        "link \"{name}\" ends a leg, and its mesh {mesh} cannot be read: its foot is taken to be at {x:.4} {y:.4} \
         {z:.4} ({how}); add a link \"{name}_foot\" at the tip"
    );
    Some((at(point), Some(remark)))
}

fn at(point: Vector3<f64>) -> Isometry3<f64> {
    Isometry3::translation(point.x, point.y, point.z)
}

/// Product of the fixed joints between the last moving joint and a link.
fn last_joint_from_link(model: &Model, link: usize) -> Isometry3<f64> {
    let mut pose = Isometry3::identity();
    for joint in model.path_to(link).iter().rev().filter_map(|&i| model.joints().get(i)) {
        if !joint.is_fixed() {
            break;
        }
        pose = joint.parent_from_joint() * pose;
    }
    pose
}

/// The middle of the end of a shape that is farthest from the link's joint, in the link's frame; of a mesh the
/// farthest vertex, where it can be read.
fn farthest_point(shape: &Shape, joint_from_link: &Isometry3<f64>, read: MeshReader<'_>) -> Option<Vector3<f64>> {
    let in_link = |p: Vector3<f64>| (shape.link_from_shape * nalgebra::Point3::from(p)).coords;
    let from_joint = |p: &Vector3<f64>| (joint_from_link * nalgebra::Point3::from(*p)).coords.norm();
    let farther = |a: &Vector3<f64>, b: &Vector3<f64>| from_joint(a).total_cmp(&from_joint(b));
    let half = match &shape.geometry {
        Geometry::Box { size } => size * 0.5,
        Geometry::Cylinder { length, .. } => Vector3::new(0.0, 0.0, length * 0.5),
        Geometry::Capsule { radius, length } => Vector3::new(0.0, 0.0, length * 0.5 + radius),
        Geometry::Sphere { .. } => Vector3::zeros(),
        Geometry::Mesh { filename, scale } => {
            let vertices = stl_vertices(&read(filename)?)?;
            return vertices.iter().map(|v| in_link(v.component_mul(scale))).max_by(farther);
        }
    };
    let longest = half.iamax();
    let ends = [1.0, -1.0].map(|sign| {
        let mut end = Vector3::zeros();
        if let (Some(to), Some(from)) = (end.get_mut(longest), half.get(longest)) {
            *to = sign * from;
        }
        in_link(end)
    });
    ends.into_iter().max_by(farther)
}
