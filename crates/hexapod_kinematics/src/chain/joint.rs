//! One joint of a leg.

use nalgebra::{Isometry3, Unit, Vector3};

use crate::model::JointLimits;

/// One joint of a leg.
#[derive(Clone, Debug, PartialEq)]
pub struct LegJoint {
    pub(crate) name: String,
    pub(crate) limits: JointLimits,
    pub(crate) axis: Unit<Vector3<f64>>,
    pub(crate) origin: Isometry3<f64>,
    pub(crate) joint: usize,
    pub(crate) position: usize,
    /// How it turns with the joint that it mimics, whose position is its own then; none of a joint with a motor.
    pub(crate) mimics: Option<f64>,
}

impl LegJoint {
    /// Name of the joint in the description.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Limits.
    pub fn limits(&self) -> &JointLimits {
        &self.limits
    }

    /// Unit axis in the joint's own frame.
    pub fn axis(&self) -> Unit<Vector3<f64>> {
        self.axis
    }

    /// Pose of the joint's frame, with all at zero, in the frame of the joint before it in the same list (of the body for
    /// the first), what is between them included.
    pub fn origin(&self) -> &Isometry3<f64> {
        &self.origin
    }

    /// By how much it turns with the joint that it mimics; none of a joint with a motor.
    pub fn mimics(&self) -> Option<f64> {
        self.mimics
    }

    /// Index of the joint in [`Model::joints`](crate::Model::joints).
    pub fn joint_index(&self) -> usize {
        self.joint
    }

    /// Index of its position in the slices that [`Model`](crate::Model) takes.
    pub fn position_index(&self) -> usize {
        self.position
    }
}
