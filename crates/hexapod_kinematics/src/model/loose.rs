//! Joints as a description gives them, with links and joints by name.

use nalgebra::{Isometry3, Unit, Vector3};

use super::{JointFriction, JointKind, JointLimits};
use crate::error::{ModelError, Place};

/// A joint as the description gives it, with links by name.
pub(crate) struct LooseJoint {
    pub name: String,
    pub kind: JointKind,
    pub parent: String,
    pub child: String,
    pub parent_from_joint: Isometry3<f64>,
    pub axis: Unit<Vector3<f64>>,
    pub limits: Option<JointLimits>,
    pub mimic: Option<LooseMimic>,
    pub friction: JointFriction,
    /// Why its limits cannot be, where they cannot.
    pub fault: Option<Box<ModelError>>,
    pub line: Option<u32>,
    /// Lines of the elements that name the parent and the child link.
    pub ends: [Option<u32>; 2],
}

impl LooseJoint {
    pub(super) fn place(&self, end: &str) -> Place {
        let [parent, child] = self.ends;
        let line = if end == "parent" { parent } else { child };
        Place::named("joint", &self.name, self.line).on_line(line).attribute(format!("{end} link"))
    }
}

/// A mimic as the description gives it, with the joint by name.
pub(crate) struct LooseMimic {
    pub joint: String,
    pub multiplier: f64,
    pub offset: f64,
}
