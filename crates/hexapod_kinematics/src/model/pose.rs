//! Poses of all links, mass and centre of mass.

use nalgebra::{Isometry3, Vector3};

use super::Model;

impl Model {
    /// Position of a joint (rad or m): its own, the one its mimic gives, or zero when it is fixed.
    pub fn position_of(&self, joint: usize, positions: &[f64]) -> f64 {
        let Some(joint) = self.joints.get(joint) else { return 0.0 };
        match joint.mimic {
            None => own_position(joint.position, positions),
            Some(mimic) => {
                let source = self.joints.get(mimic.joint).and_then(|j| j.position);
                mimic.multiplier * own_position(source, positions) + mimic.offset
            }
        }
    }

    /// Pose of a link in the base frame. An index out of range gives the base itself.
    pub fn base_from_link(&self, link: usize, positions: &[f64]) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        let mut at = link;
        while let Some((index, joint)) = self.parent_joint(at).and_then(|i| Some((i, self.joints.get(i)?))) {
            pose = joint.parent_from_child(self.position_of(index, positions)) * pose;
            at = joint.parent;
        }
        pose
    }

    /// Pose in the base frame of what a message's `frame_id` names, after the prefix of a namespace if there is one; `None` where
    /// that is no link, or one that moves.
    pub fn fixed_frame(&self, frame_id: &str) -> Option<Isometry3<f64>> {
        self.fixed_in_base(self.link_index(frame_id.rsplit('/').next()?)?)
    }

    /// Pose in the base frame of a link that never moves in it; `None` where a joint between them moves, or the index is
    /// out of range.
    pub fn fixed_in_base(&self, link: usize) -> Option<Isometry3<f64>> {
        self.links.get(link)?;
        let path = self.path_to(link);
        let joints = path.iter().filter_map(|&joint| self.joints.get(joint));
        joints
            .into_iter()
            .try_fold(Isometry3::identity(), |pose, joint| joint.is_fixed().then(|| pose * joint.parent_from_joint))
    }

    /// Poses of all links in the base frame, written to `poses` (cleared first) in the order of [`Model::links`].
    ///
    /// Allocates only when `poses` has no room yet.
    pub fn link_poses(&self, positions: &[f64], poses: &mut Vec<Isometry3<f64>>) {
        poses.clear();
        poses.resize(self.links.len(), Isometry3::identity());
        for &index in &self.order {
            let Some(joint) = self.joints.get(index) else { continue };
            let parent = poses.get(joint.parent).copied().unwrap_or_default();
            if let Some(pose) = poses.get_mut(joint.child) {
                *pose = parent * joint.parent_from_child(self.position_of(index, positions));
            }
        }
    }

    /// Mass of all links together in kg; zero when the description gives none.
    pub fn total_mass(&self) -> f64 {
        self.links.iter().filter_map(|l| l.inertial()).fold(0.0, |sum, inertial| sum + inertial.mass)
    }

    /// Centre of mass of the whole robot in the base frame, m; the base's origin when no link has a mass.
    pub fn centre_of_mass(&self, positions: &[f64]) -> Vector3<f64> {
        let total = self.total_mass();
        if total <= 0.0 {
            return Vector3::zeros();
        }
        self.moment_below(self.base, &Isometry3::identity(), positions) / total
    }

    /// Sum of mass times position over a link and all it carries.
    fn moment_below(&self, link: usize, base_from_link: &Isometry3<f64>, positions: &[f64]) -> Vector3<f64> {
        let mut moment = self.links.get(link).and_then(|l| l.inertial()).map_or_else(Vector3::zeros, |inertial| {
            (base_from_link * nalgebra::Point3::from(inertial.centre_of_mass())).coords * inertial.mass
        });
        for &index in self.children.get(link).map_or(&[][..], Vec::as_slice) {
            let Some(joint) = self.joints.get(index) else { continue };
            let pose = base_from_link * joint.parent_from_child(self.position_of(index, positions));
            moment += self.moment_below(joint.child, &pose, positions);
        }
        moment
    }
}

fn own_position(index: Option<usize>, positions: &[f64]) -> f64 {
    index.and_then(|i| positions.get(i)).copied().filter(|q| q.is_finite()).unwrap_or(0.0)
}
