//! Joints between links.

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

use super::limits::JointLimits;
use crate::error::ModelError;

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about its axis between limits.
    Revolute,
    /// Turns about its axis without end; limits are taken as one turn about zero.
    Continuous,
    /// Slides along its axis between limits.
    Prismatic,
    /// Does not move.
    Fixed,
}

/// A joint that copies another: `position = multiplier * other + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Index of the joint that is copied.
    pub joint: usize,
    /// Factor.
    pub multiplier: f64,
    /// Offset in rad or m.
    pub offset: f64,
}

/// Friction of a joint (URDF `<dynamics>`): `coulomb * sign(speed) + viscous * speed`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointFriction {
    /// N m (N where it slides).
    pub coulomb: f64,
    /// N m s/rad (N s/m).
    pub viscous: f64,
}

impl JointFriction {
    /// That of a description; NaN or a negative value counts as none.
    pub(crate) fn new(coulomb: f64, viscous: f64) -> Self {
        let known = |value: f64| if value.is_finite() && value > 0.0 { value } else { 0.0 };
        Self { coulomb: known(coulomb), viscous: known(viscous) }
    }
}

/// One joint of the robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    pub(crate) name: String,
    pub(crate) kind: JointKind,
    pub(crate) parent: usize,
    pub(crate) child: usize,
    pub(crate) parent_from_joint: Isometry3<f64>,
    pub(crate) axis: Unit<Vector3<f64>>,
    pub(crate) limits: Option<JointLimits>,
    pub(crate) mimic: Option<Mimic>,
    pub(crate) friction: JointFriction,
    pub(crate) position: Option<usize>,
    /// Why its limits cannot be, where they cannot: no joint of a leg has such limits.
    pub(crate) fault: Option<Box<ModelError>>,
    pub(crate) line: Option<u32>,
}

impl Joint {
    /// Name, unique in the robot.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it moves.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// Index of the link it hangs on.
    pub fn parent(&self) -> usize {
        self.parent
    }

    /// Index of the link it carries.
    pub fn child(&self) -> usize {
        self.child
    }

    /// Pose of the joint's frame at position zero in the parent link's frame (URDF `<origin>`).
    pub fn parent_from_joint(&self) -> &Isometry3<f64> {
        &self.parent_from_joint
    }

    /// Unit axis in the joint's frame.
    pub fn axis(&self) -> Unit<Vector3<f64>> {
        self.axis
    }

    /// Limits; `None` for a fixed joint.
    pub fn limits(&self) -> Option<&JointLimits> {
        self.limits.as_ref()
    }

    /// The joint it copies, if any.
    pub fn mimic(&self) -> Option<&Mimic> {
        self.mimic.as_ref()
    }

    /// True when it does not move.
    pub fn is_fixed(&self) -> bool {
        self.kind == JointKind::Fixed
    }

    /// True when it moves but not by itself: it copies another joint (S4's virtual flag).
    pub fn is_virtual(&self) -> bool {
        self.mimic.is_some()
    }

    /// Index of its position in the slices that [`Model`](crate::Model) takes; `None` when it is fixed or virtual.
    pub fn position_index(&self) -> Option<usize> {
        self.position
    }

    /// Line of the description that defines it.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// Friction as the description gives it; none where it gives none.
    pub fn friction(&self) -> JointFriction {
        self.friction
    }

    /// Pose of the child link in the parent link's frame at `position` (rad or m; ignored by a fixed joint).
    pub fn parent_from_child(&self, position: f64) -> Isometry3<f64> {
        match self.kind {
            JointKind::Fixed => self.parent_from_joint,
            JointKind::Prismatic => {
                self.parent_from_joint * nalgebra::Translation3::from(self.axis.into_inner() * position)
            }
            JointKind::Revolute | JointKind::Continuous => {
                self.parent_from_joint * UnitQuaternion::from_axis_angle(&self.axis, position)
            }
        }
    }
}
