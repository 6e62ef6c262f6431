//! Links: rigid bodies of the robot.

use crate::solid::Bulk;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Mass, centre of mass and inertia of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Inertial {
    /// Pose of the inertial frame (origin at the centre of mass) in the link's frame.
    pub link_from_inertial: Isometry3<f64>,
    /// Mass in kg, above zero.
    pub mass: f64,
    /// Inertia tensor about the centre of mass in kg m², in the inertial frame; symmetric.
    pub inertia: Matrix3<f64>,
}

impl Inertial {
    /// Centre of mass in the link's frame, m.
    pub fn centre_of_mass(&self) -> Vector3<f64> {
        self.link_from_inertial.translation.vector
    }
}

/// A shape of a link, as drawn or as it collides.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Pose of the shape in the link's frame.
    pub link_from_shape: Isometry3<f64>,
    /// What it is.
    pub geometry: Geometry,
}

/// The kinds of geometry of a URDF; lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box centred on its frame.
    Box {
        /// Edge lengths.
        size: Vector3<f64>,
    },
    /// A cylinder along z, centred on its frame.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length along z.
        length: f64,
    },
    /// A capsule along z, centred on its frame; the caps come on top of `length`.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length of the cylinder between the caps.
        length: f64,
    },
    /// A ball centred on its frame.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A mesh kept in a file, which this crate does not open itself.
    Mesh {
        /// The address as written, often `package://...`.
        filename: String,
        /// Scale along each axis.
        scale: Vector3<f64>,
        /// The room that it takes up, where it is a collision shape whose file could be read.
        bulk: Option<Bulk>,
    },
}

/// One link of the robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub(crate) name: String,
    pub(crate) inertial: Option<Inertial>,
    pub(crate) visuals: Vec<Shape>,
    pub(crate) collisions: Vec<Shape>,
    pub(crate) line: Option<u32>,
}

impl Link {
    /// Name, unique in the robot.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Mass properties, where the description gives them.
    pub fn inertial(&self) -> Option<&Inertial> {
        self.inertial.as_ref()
    }

    /// What is drawn.
    pub fn visuals(&self) -> &[Shape] {
        &self.visuals
    }

    /// What collides.
    pub fn collisions(&self) -> &[Shape] {
        &self.collisions
    }

    /// Line of the description that defines it.
    pub fn line(&self) -> Option<u32> {
        self.line
    }
}
