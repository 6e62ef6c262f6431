//! Where the foot of a leg is, and why it is taken to be there.

use nalgebra::{Isometry3, Point3, Vector3};

use super::options::{LegOptions, MeshReader};
use crate::error::{ModelError, ModelFault, Place};
use crate::model::{Geometry, Link, Model, Shape};
use crate::solid::mesh_vertices;

/// Parts of a link's name that say it is a foot, and words of it that do.
const FOOT_PARTS: [&str; 4] = ["foot", "feet", "toe", "paw"];
const FOOT_WORDS: [&str; 6] = ["tip", "contact", "sole", "end", "ee", "hoof"];
/// Parts of a link's name that say it is something mounted on a leg.
const MOUNTED_PARTS: [&str; 14] = [
    "motor", "servo", "case", "housing", "rotor", "actuator", "horn", "bracket", "cover", "screw", "imu", "sensor",
    "camera", "inertia",
];
/// A link nearer than this to the joint that carries it does not say where the foot is, m.
const MIN_TIP: f64 = 1e-4;
/// Least distance of a foot that is guessed from its joint, m.
const MIN_GUESS: f64 = 5e-3;
/// A centre of mass nearer to its joint's axis than this part of its distance is on it.
const ABOUT_AXIS: f64 = 0.1;
/// A fixed link is the end of a leg when it lies as far out as this part of the farthest shape; where no shape is known, it
/// is doubtful below this part of the part of the leg before.
const OUT_BY_SHAPE: f64 = 0.7;
const OUT_BY_LENGTH: f64 = 0.4;
/// A point that is farther from a link called a foot than this part of its distance from the joint is not there.
const FAR_FROM_FOOT: f64 = 0.25;

/// The foot of a leg.
pub(super) struct Foot {
    /// The link that carries it.
    pub(super) link: usize,
    /// Its pose in that link's frame.
    pub(super) link_from_foot: Isometry3<f64>,
    /// Why it is there.
    pub(super) reason: String,
    /// True where nothing in the description says so.
    pub(super) guessed: bool,
    /// True where only a mesh shows it that is not read.
    pub(super) unseen: bool,
    /// True where the name of a link says so.
    pub(super) by_name: bool,
    /// What to do about a foot that may be elsewhere, as the end of the reason.
    pub(super) advice: String,
    /// What is wrong where it is not known, until something gives it by the name of the leg.
    pub(super) fault: Option<ModelError>,
}

impl Foot {
    /// At a point of a link.
    pub(super) fn at(link: usize, point: Vector3<f64>, reason: String) -> Self {
        let link_from_foot = Isometry3::translation(point.x, point.y, point.z);
        Self {
            link,
            link_from_foot,
            reason,
            guessed: false,
            unseen: false,
            by_name: false,
            advice: String::new(),
            fault: None,
        }
    }

    /// Nowhere yet.
    pub(super) fn missing(link: usize, fault: ModelError) -> Self {
        Self { fault: Some(fault), ..Self::link(link, String::new()) }
    }

    /// At the origin of a link.
    pub(super) fn link(link: usize, reason: String) -> Self {
        Self::at(link, Vector3::zeros(), reason)
    }
}

/// True when the link's name says that it is a foot.
pub(super) fn is_called_foot(model: &Model, link: usize) -> bool {
    let name = model.links().get(link).map(|l| l.name().to_lowercase()).unwrap_or_default();
    let words = |word: &&str| name.split(|c: char| !c.is_ascii_alphabetic()).any(|own| own == *word);
    !is_mounted(&name) && (FOOT_PARTS.iter().any(|part| name.contains(part)) || FOOT_WORDS.iter().any(words))
}

fn is_mounted(name: &str) -> bool {
    MOUNTED_PARTS.iter().any(|part| name.contains(part))
}

/// Distance of a link's origin from the last moving joint on the way to it, m.
pub(super) fn distance(model: &Model, link: usize) -> f64 {
    joint_from_link(model, link).translation.vector.norm()
}

/// The foot of the leg that ends in the link `leaf`: as given; the link behind the last joint whose name says so; a ball
/// at the end; the farthest link, unless what the links look like reaches well beyond it; the end of that. Where only
/// meshes show it that are not read, it is guessed.
pub(super) fn foot_of(
    model: &Model,
    leaf: usize,
    options: &LegOptions,
    read: MeshReader<'_>,
) -> Result<Foot, ModelError> {
    let rigid = fixed_to(model, leaf);
    let name_of = |link: &usize| model.links().get(*link).map_or("", Link::name);
    if let Some((name, point)) = options.feet.iter().find(|(name, _)| rigid.iter().any(|link| name_of(link) == name)) {
        let link = rigid.iter().copied().find(|link| name_of(link) == name).unwrap_or(leaf);
        return Ok(given(model, link, point));
    }
    if let Some((_, point)) = options.feet.iter().find(|(name, _)| name.is_empty()) {
        return Ok(given(model, leaf, point));
    }
    let out = |link: &usize| distance(model, *link);
    let farthest = |links: &mut dyn Iterator<Item = usize>| {
        links.filter(|link| out(link) > MIN_TIP).max_by(|a, b| out(a).total_cmp(&out(b)))
    };
    if let Some(link) = farthest(&mut rigid.iter().copied().filter(|&link| is_called_foot(model, link))) {
        let how = format!("link \"{}\", by its name", name_of(&link));
        return Ok(Foot { by_name: true, ..Foot::link(link, how) });
    }
    let plain = |link: &usize| !is_mounted(&name_of(link).to_lowercase());
    let fixed = farthest(&mut rigid.iter().copied().filter(plain));
    let end = end_of(model, &rigid, read);
    let mm = |length: f64| format!("{:.0} mm", length * 1e3);
    let reach = end.as_ref().map(|end| end.out);
    if let Some(link) = fixed.filter(|link| reach.is_none_or(|reach| out(link) >= OUT_BY_SHAPE * reach)) {
        let mut how = format!("link \"{}\", the farthest behind the last joint ({})", name_of(&link), mm(out(&link)));
        let doubtful = reach.is_none() && is_short(model, link, out(&link));
        if doubtful {
            how.push_str(
                ", which is short beside the part of the leg before; if it is no foot, write where the foot is in robot.yaml, \
                 in m in the frame of the last link, as in feet: {all: [0.1, 0.0, 0.0]}",
            );
        }
        return Ok(Foot { guessed: doubtful, ..Foot::link(link, how) });
    }
    let beside = farthest(&mut rigid.iter().copied())
        .map(|link| format!("; link \"{}\" is only {} from it", name_of(&link), mm(out(&link))))
        .unwrap_or_default();
    if let Some(End { link, point, out, ball }) = end {
        let what = if ball { "the ball at the end" } else { "the end of the shape" };
        let mut reason = format!("{what} of link \"{}\", {} from the last joint{beside}", name_of(&link), mm(out));
        let guessed = !ball && is_short(model, link, out);
        if guessed {
            reason.push_str(", which is short beside the part of the leg before");
        }
        let advice = format!(
            "; if that is a wheel, make its joint fixed; if it is a servo or a bracket, write where the foot is in robot.yaml, \
             in m in the frame of that link, as in feet: {{{}: [0.1, 0.0, 0.0]}}",
            name_of(&link)
        );
        return Ok(Foot { guessed, advice, ..Foot::at(link, point, reason) });
    }
    let last = rigid.first().copied().unwrap_or(leaf);
    guess(model, last).ok_or_else(|| nowhere(model, last, &beside))
}

/// The foot at a point that robot.yaml gives, which is doubted far from a link that is called a foot.
pub(super) fn given(model: &Model, link: usize, point: &Vector3<f64>) -> Foot {
    let name = |link: usize| model.links().get(link).map_or("", Link::name);
    let mut reason = format!("a point of link \"{}\" that robot.yaml gives", name(link));
    let at = (joint_from_link(model, link) * Point3::from(*point)).coords;
    let feet = fixed_to(model, link).into_iter().filter(|&link| is_called_foot(model, link));
    let away = |foot: usize| (joint_from_link(model, foot).translation.vector - at).norm();
    let nearest = feet.map(|foot| (foot, away(foot))).min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((foot, away)) = nearest.filter(|(_, away)| *away > FAR_FROM_FOOT * at.norm()) else {
        return Foot::at(link, *point, reason);
    };
    reason.push_str(&format!(", {:.0} mm from link \"{}\", which is called a foot", away * 1e3, name(foot)));
    let advice = format!(
        "; if the foot is that link, take the point out of robot.yaml: a point is in the frame of its own link, and [0.0, 0.0, \
         0.0] is {} itself",
        name(link)
    );
    Foot { guessed: true, advice, ..Foot::at(link, *point, reason) }
}

/// The foot at a link that is named for it: its origin, or the end of its shape where it lies in the joint itself.
pub(super) fn foot_in(
    model: &Model,
    link: usize,
    options: &LegOptions,
    read: MeshReader<'_>,
) -> Result<Foot, ModelError> {
    let name = model.links().get(link).map_or("", Link::name);
    let given = options.feet.iter().any(|(of, _)| of.is_empty() || of == name);
    if given {
        return foot_of(model, link, options, read);
    }
    if distance(model, link) <= MIN_TIP {
        // The link that is named counts, not one that hangs on it and is called a foot.
        let Some(End { point, out, .. }) = end_of(model, &[link], read) else {
            return foot_of(model, link, options, read);
        };
        let reason = format!(
            "the end of link \"{name}\", given as the foot of its leg, {:.0} mm from the last joint",
            out * 1e3
        );
        return Ok(Foot::at(link, point, reason));
    }
    Ok(Foot::link(link, format!("link \"{name}\", given as the foot of its leg")))
}

/// Whether a link this far from the last joint is nearer to it than most of the part of the leg before is long.
fn is_short(model: &Model, link: usize, out: f64) -> bool {
    let joint = model.path_to(link).into_iter().rev().filter_map(|i| model.joints().get(i)).find(|j| !j.is_fixed());
    joint.is_some_and(|joint| out < OUT_BY_LENGTH * joint.parent_from_joint().translation.vector.norm())
}

/// The link behind the last moving joint on the way to `leaf`, and all that is fixed to it.
pub(super) fn fixed_to(model: &Model, leaf: usize) -> Vec<usize> {
    let mut first = leaf;
    while let Some(joint) = model.parent_joint(first).and_then(|index| model.joints().get(index)) {
        if !joint.is_fixed() {
            break;
        }
        first = joint.parent();
    }
    let mut rigid = vec![first];
    let mut next = 0;
    while let Some(&link) = rigid.get(next) {
        next += 1;
        let below = model.children.get(link).into_iter().flatten().filter_map(|&index| model.joints().get(index));
        rigid.extend(below.filter(|joint| joint.is_fixed()).map(|joint| joint.child()));
    }
    rigid
}

/// What of some links is farthest from the last joint.
pub(super) struct End {
    pub(super) link: usize,
    pub(super) point: Vector3<f64>,
    pub(super) out: f64,
    pub(super) ball: bool,
}

/// The end of what the links collide as, else of what they look like.
pub(super) fn end_of(model: &Model, links: &[usize], read: MeshReader<'_>) -> Option<End> {
    let mut farthest = |shapes: fn(&Link) -> &[Shape]| {
        let mut end: Option<End> = None;
        for &link in links {
            let joint_from_link = joint_from_link(model, link);
            for shape in model.links().get(link).map_or(&[][..], shapes) {
                let Some(point) = farthest_point(shape, &joint_from_link, read) else { continue };
                let out = (joint_from_link * Point3::from(point)).coords.norm();
                if out > end.as_ref().map_or(MIN_TIP, |end| end.out) {
                    end = Some(End { link, point, out, ball: matches!(shape.geometry, Geometry::Sphere { .. }) });
                }
            }
        }
        end
    };
    farthest(Link::collisions).or_else(|| farthest(Link::visuals))
}

fn nowhere(model: &Model, link: usize, beside: &str) -> ModelError {
    let Some(of) = model.links().get(link) else {
        return ModelError::new(ModelFault::Legs, Place::default(), "has no link", "add one");
    };
    let (name, place) = (of.name(), Place::named("link", of.name(), of.line()));
    let found = format!("ends a leg, but nothing says where its foot is{beside}");
    let hint = format!(
        "add a link \"{name}_foot\" at the tip with a fixed joint from \"{name}\", or give the foot in robot.yaml, as in \
         feet: {{{name}: [0.1, 0.0, 0.0]}}; where it is a wheel, make its joint fixed"
    );
    ModelError::new(ModelFault::Legs, place, found, hint)
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
    // A link about its joint's axis is a wheel or a roller, and has no end.
    if by_mass.is_some_and(|point| point.cross(&joint.axis()).norm() < ABOUT_AXIS * point.norm()) {
        return None;
    }
    let straight_on = || {
        let offset = joint.parent_from_joint();
        Some(offset.rotation.inverse() * offset.translation.vector).filter(|p| p.norm() > MIN_GUESS)
    };
    let (point, how) = match by_mass {
        Some(point) => (point, "twice as far as its centre of mass"),
        None => (straight_on()?, "as far from its joint as the link before it is long"),
    };
    let why = why_not_read(mesh);
    let (x, y, z) = (point.x, point.y, point.z);
    let name = of.name();
    let reason = format!(
        "a guess at {x:.4} {y:.4} {z:.4} of link \"{name}\" ({how}): its mesh {mesh} {why}, so where the link ends is not \
         known; measure it and give it in robot.yaml, as in feet: {{{name}: [{x:.4}, {y:.4}, {z:.4}]}}"
    );
    Some(Foot { guessed: true, unseen: true, ..Foot::at(link, point, reason) })
}

/// Why a mesh does not say how long a link is.
fn why_not_read(mesh: &str) -> String {
    let kind = mesh.rsplit_once('.').map(|(_, kind)| kind.to_uppercase()).unwrap_or_default();
    match kind.as_str() {
        "STL" | "OBJ" | "DAE" => "is not found, or holds no triangles".into(),
        "" => "is of no known kind (STL, OBJ and DAE meshes are read)".into(),
        kind => format!("is {kind}, which is not read (STL, OBJ and DAE meshes are)"),
    }
}

/// Product of the fixed joints between the last moving joint and a link.
pub(super) fn joint_from_link(model: &Model, link: usize) -> Isometry3<f64> {
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
    let in_link = |p: Vector3<f64>| (shape.link_from_shape * Point3::from(p)).coords;
    let from_joint = |p: &Vector3<f64>| (joint_from_link * Point3::from(*p)).coords.norm();
    let farther = |a: &Vector3<f64>, b: &Vector3<f64>| from_joint(a).total_cmp(&from_joint(b));
    let half = match &shape.geometry {
        Geometry::Box { size } => size * 0.5,
        Geometry::Cylinder { length, .. } => Vector3::new(0.0, 0.0, length * 0.5),
        Geometry::Capsule { radius, length } => Vector3::new(0.0, 0.0, length * 0.5 + radius),
        Geometry::Sphere { .. } => Vector3::zeros(),
        Geometry::Mesh { filename, scale, .. } => {
            let vertices = mesh_vertices(&read(filename)?)?;
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
