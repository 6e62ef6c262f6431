//! The validated robot: a tree of links and joints (S4).

mod joint;
mod limits;
mod link;
pub(crate) mod loose;
mod mimics;
mod pose;
mod transform;
pub(crate) mod tree;

use nalgebra::Isometry3;

pub use joint::{Joint, JointFriction, JointKind, Mimic};
pub use limits::{JointLimits, LimitChange, LimitsError};
pub use link::{Geometry, Inertial, Link, Shape};
pub use transform::{rotation, rotation_derivative, rotation_second_derivative};

/// A robot that is one tree: a base link, every other link hanging on exactly one joint, all numbers finite.
///
/// Positions are given as a slice in the order of [`Joint::position_index`], which is the order in which the
/// description lists the joints that move by themselves. A slice that is too short, or a position that is not
/// finite, counts as zero, so that no call fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    /// Index of the base link.
    pub(crate) base: usize,
    /// Joints from the base outwards: a joint comes after the one that carries its parent link.
    pub(crate) order: Vec<usize>,
    /// The joint that carries each link; `None` for the base.
    pub(crate) parent_joint: Vec<Option<usize>>,
    /// The joints that hang on each link.
    pub(crate) children: Vec<Vec<usize>>,
    pub(crate) positions: usize,
    pub(crate) notes: Vec<String>,
}

impl Model {
    /// Name of the robot.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Links in the order of the description.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Joints in the order of the description, fixed ones included.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Name of the base link: the root of the tree, whose frame is the body frame.
    pub fn base_link(&self) -> &str {
        self.links.get(self.base).map_or("", |l| l.name())
    }

    /// Index of the link of that name.
    pub fn link_index(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }

    /// Index of the joint of that name.
    pub fn joint_index(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// How many joints move by themselves: the length of a slice of positions.
    pub fn position_count(&self) -> usize {
        self.positions
    }

    /// The joint that carries a link; `None` for the base or an index out of range.
    pub fn parent_joint(&self, link: usize) -> Option<usize> {
        self.parent_joint.get(link).copied().flatten()
    }

    /// The joints from the base to a link, base first.
    pub fn path_to(&self, link: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = link;
        while let Some(joint) = self.parent_joint(at) {
            path.push(joint);
            at = self.joints.get(joint).map_or(self.base, |j| j.parent);
        }
        path.reverse();
        path
    }

    /// The same with another frame of the base link, `base_from_frame` being its pose in the present one.
    pub(crate) fn in_frame(&self, base_from_frame: &Isometry3<f64>) -> Self {
        let mut model = self.clone();
        let moved = |pose: &mut Isometry3<f64>| *pose = base_from_frame.inv_mul(pose);
        for joint in model.joints.iter_mut().filter(|joint| joint.parent == self.base) {
            moved(&mut joint.parent_from_joint);
        }
        if let Some(base) = model.links.get_mut(self.base) {
            base.inertial.iter_mut().for_each(|inertial| moved(&mut inertial.link_from_inertial));
            let shapes = base.visuals.iter_mut().chain(&mut base.collisions);
            shapes.for_each(|shape| moved(&mut shape.link_from_shape));
        }
        model
    }

    /// Remarks on what the description leaves open and how it was read, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
