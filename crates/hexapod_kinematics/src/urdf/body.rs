//! Links: mass, inertia and shapes as bodies can have them.

use nalgebra::{Matrix3, Vector3};

use super::lines::ElementLines;
use super::origin::pose;
use super::remarks::Remarks;
use super::shapes::LinkShapes;
use crate::error::{ModelError, ModelFault, Place};
use crate::model::{Geometry, Inertial, Link, Shape};

/// A principal moment of a body is at most the sum of the two others. Published descriptions break this (unit
/// slips, the inertia of another frame), so up to this many times the sum is noted; beyond it is refused.
const REFUSED_MOMENT_RATIO: f64 = 1.5;
/// Links lighter than this share of the robot are not refused for it, only noted: they are often placeholders.
const LIGHT: f64 = 0.01;
/// Rounding allowed in the same rule, and in the sign of the least moment, relative to the greatest.
const ROUNDING: f64 = 1e-3;

/// An inertia that is rounding and nothing else, kg m².
const ROUND_OFF: f64 = 1e-12;

/// What is known of the whole robot while its links are checked.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// Sum of all masses, kg.
    pub(super) mass: f64,
    /// What is said of links.
    pub(super) remarks: Remarks,
}

impl Whole {
    /// The remarks, each for all links together.
    pub(super) fn into_notes(self) -> impl Iterator<Item = String> {
        self.remarks.into_notes("links")
    }
}

/// One link, checked, with its shapes where those have been read already.
pub(super) fn link(
    link: &urdf_rs::Link,
    lines: &ElementLines,
    shapes: Option<LinkShapes>,
    whole: &mut Whole,
) -> Result<Link, ModelError> {
    let place = |tag: &str| Place::named("link", &link.name, lines.line).on_line(lines.of(tag)).attribute(tag);
    let LinkShapes { visuals, collisions } = shapes.unwrap_or_else(|| shapes_of(link));
    Ok(Link {
        name: link.name.clone(),
        inertial: inertial(&link.inertial, &link.name, place, whole)?,
        visuals,
        collisions,
        line: lines.line,
    })
}

fn inertial(
    given: &urdf_rs::Inertial,
    name: &str,
    place: impl Fn(&str) -> Place,
    whole: &mut Whole,
) -> Result<Option<Inertial>, ModelError> {
    let i = &given.inertia;
    let inertia = Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
    let mass = given.mass.value;
    if mass == 0.0 && inertia == Matrix3::zeros() {
        return Ok(None);
    }
    if mass == 0.0 {
        whole.remarks.add("weightless", || {
            format!("link \"{name}\" has an inertia and a mass of 0 kg: it is taken to weigh nothing")
        });
        return Ok(None);
    }
    if mass.is_nan() || mass < 0.0 {
        let found = format!("is {mass} kg");
        return Err(ModelError::new(
            ModelFault::Inertia,
            place("mass"),
            found,
            "write a mass above zero, or no <inertial>",
        ));
    }
    let mut moments: [f64; 3] = inertia.symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let [least, middle, greatest] = moments;
    if least < -ROUNDING * greatest.abs() - ROUND_OFF {
        let found = format!("has a negative principal moment ({least:.3e} kg m²)");
        let hint = "give the inertia about the centre of mass; all principal moments are positive";
        return Err(ModelError::new(ModelFault::Inertia, place("inertia"), found, hint));
    }
    let sum = least + middle;
    let found = format!("has a principal moment of {greatest:.3e} kg m², and the other two sum up to {sum:.3e}");
    if greatest > sum * REFUSED_MOMENT_RATIO + ROUND_OFF && mass >= LIGHT * whole.mass {
        let hint = "a principal moment is at most the sum of the two others: correct it, or leave the <inertial> out";
        return Err(ModelError::new(ModelFault::Inertia, place("inertia"), found, hint));
    }
    if greatest > sum * (1.0 + ROUNDING) + ROUND_OFF {
        whole.remarks.add("moments", || format!("link \"{name}\" {found}, which no body has"));
    }
    Ok(Some(Inertial { link_from_inertial: pose(&given.origin), mass, inertia }))
}

pub(super) fn shapes_of(link: &urdf_rs::Link) -> LinkShapes {
    LinkShapes {
        visuals: shapes(link.visual.iter().map(|v| (&v.origin, &v.geometry))),
        collisions: shapes(link.collision.iter().map(|c| (&c.origin, &c.geometry))),
    }
}

fn shapes<'a>(given: impl Iterator<Item = (&'a urdf_rs::Pose, &'a urdf_rs::Geometry)>) -> Vec<Shape> {
    given.map(|(origin, of)| Shape { link_from_shape: pose(origin), geometry: geometry(of) }).collect()
}

fn geometry(given: &urdf_rs::Geometry) -> Geometry {
    match given {
        urdf_rs::Geometry::Box { size } => Geometry::Box { size: Vector3::from(size.0) },
        urdf_rs::Geometry::Cylinder { radius, length } => Geometry::Cylinder { radius: *radius, length: *length },
        urdf_rs::Geometry::Capsule { radius, length } => Geometry::Capsule { radius: *radius, length: *length },
        urdf_rs::Geometry::Sphere { radius } => Geometry::Sphere { radius: *radius },
        urdf_rs::Geometry::Mesh { filename, scale } => {
            let scale = scale.map_or([1.0; 3], |s| s.0);
            Geometry::Mesh { filename: filename.clone(), scale: Vector3::from(scale), bulk: None }
        }
    }
}
