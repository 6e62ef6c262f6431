//! Poses of links in the links that carry them.

use hexapod_kinematics::{Joint, Model};
use nalgebra::Isometry3;

/// A link, by name, and its pose in the link that carries it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub parent: String,
    pub child: String,
    pub parent_from_child: Isometry3<f64>,
}

/// All links but the root: those of fixed joints, and those of joints that move, in the order of the URDF as in
/// [`crate::joints::JointTable`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    pub fixed: Vec<Placed>,
    pub moving: Vec<Placed>,
    joints: Vec<Joint>,
}

impl Links {
    /// The links of a robot, at their joints' zero; none unless they are to be published.
    pub(crate) fn new(model: &Model, reported: bool) -> Self {
        if !reported {
            return Self::default();
        }
        let name = |link: usize| model.links().get(link).map_or("", |link| link.name()).to_owned();
        let placed = |joint: &Joint| Placed {
            parent: name(joint.parent()),
            child: name(joint.child()),
            parent_from_child: joint.parent_from_child(0.0),
        };
        let (fixed, joints): (Vec<Joint>, Vec<Joint>) = model.joints().iter().cloned().partition(Joint::is_fixed);
        Self { fixed: fixed.iter().map(placed).collect(), moving: joints.iter().map(placed).collect(), joints }
    }

    /// How many of them move.
    pub(crate) fn count(&self) -> usize {
        self.moving.len()
    }

    /// Moves links to the positions of all joints that move (rad, or m where they slide), joints that copy others too.
    pub(crate) fn place(&mut self, positions: &[f64]) {
        for ((link, joint), &position) in self.moving.iter_mut().zip(&self.joints).zip(positions) {
            link.parent_from_child = joint.parent_from_child(position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joints::JointTable;
    use hexapod_kinematics::Robot;
    use nalgebra::{Point3, Vector3};
    use std::collections::BTreeMap;

    const SHIPPED: &str = include_str!("../../../urdf/hexapod.urdf");

    /// The robot with a jaw that slides along a slanted axis, one that copies it, and a head that turns.
    fn with_jaws() -> String {
        let joint = |name: &str, kind: &str, parent: &str, inside: &str| {
            format!(
                "<link name=\"{name}_link\"/><joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/>\
                 <child link=\"{name}_link\"/><origin xyz=\"0.1 0.02 0.03\" rpy=\"0.3 -0.4 0.5\"/>\
                 <axis xyz=\"0.6 0 -0.8\"/><limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/>{inside}</joint>"
            )
        };
        let copy = "<mimic joint=\"jaw\" multiplier=\"-1\" offset=\"0.01\"/>";
        let more = [
            joint("head", "revolute", "base_link", ""),
            joint("jaw", "prismatic", "head_link", ""),
            joint("other_jaw", "prismatic", "head_link", copy),
        ];
        SHIPPED.replacen("</robot>", &format!("{}</robot>", more.concat()), 1)
    }

    /// Poses of all links in the root, put together as a listener of tf2 does.
    fn in_root(links: &Links, root: &str) -> BTreeMap<String, Isometry3<f64>> {
        let parents: BTreeMap<&str, &Placed> =
            links.fixed.iter().chain(&links.moving).map(|link| (link.child.as_str(), link)).collect();
        let pose = |child: &str| {
            let (mut pose, mut at) = (Isometry3::identity(), child);
            while at != root {
                pose = parents[at].parent_from_child * pose;
                at = &parents[at].parent;
            }
            pose
        };
        parents.keys().map(|child| ((*child).to_owned(), pose(child))).collect()
    }

    /// Angles that differ from joint to joint and from round to round, within the limits of all joints.
    fn angles(count: usize, round: usize) -> Vec<f64> {
        (0..count).map(|i| 0.5 * ((i * 7 + round * 13) as f64).sin()).collect()
    }

    #[test]
    fn when_transforms_are_chained_expect_each_foot_where_the_engine_has_it() {
        let robot = Robot::from_urdf(SHIPPED).unwrap();
        let table = JointTable::new(&robot);
        let mut links = Links::new(robot.model(), true);
        assert_eq!((links.fixed.len(), links.count()), (7, 18));
        for round in 0..200 {
            let positions = angles(table.len(), round);
            links.place(&positions);
            let poses = in_root(&links, robot.model().base_link());
            for leg in robot.legs() {
                let names: Vec<&str> = leg.joints().iter().map(|joint| joint.name()).collect();
                let at = |name: &str| table.names().iter().position(|joint| joint == name).unwrap();
                let angles = hexapod_kinematics::LegAngles::from_fn(names.len(), |i| positions[at(names[i])]);
                let foot = poses[&format!("{}_foot", leg.name())] * Point3::origin();
                assert!((foot.coords - leg.foot_in_body(&angles)).norm() < 1e-9, "{} in round {round}", leg.name());
            }
        }
    }

    #[test]
    fn when_joints_slide_or_copy_others_expect_their_links_where_the_model_has_them() {
        let robot = Robot::from_urdf(&with_jaws()).unwrap();
        let (table, model) = (JointTable::new(&robot), robot.model());
        let mut links = Links::new(model, true);
        for round in 0..50 {
            let mut positions = angles(table.len(), round);
            table.apply_mimics(&mut positions, &mut vec![0.0; table.len()]);
            links.place(&positions);
            let own: Vec<f64> = model
                .joints()
                .iter()
                .filter(|joint| !joint.is_fixed())
                .zip(&positions)
                .filter(|(joint, _)| joint.position_index().is_some())
                .map(|(_, &position)| position)
                .collect();
            for (name, pose) in in_root(&links, model.base_link()) {
                let expected = model.base_from_link(model.link_index(&name).unwrap(), &own);
                assert!((pose.to_homogeneous() - expected.to_homogeneous()).amax() < 1e-12, "{name}");
            }
        }
        let jaw = links.moving.iter().find(|link| link.child == "jaw_link").unwrap();
        assert!((jaw.parent_from_child.translation.vector - Vector3::new(0.1, 0.02, 0.03)).norm() > 1e-3, "it slides");
    }

    #[test]
    fn when_links_are_not_to_be_reported_expect_none() {
        let robot = Robot::from_urdf(SHIPPED).unwrap();
        let links = Links::new(robot.model(), false);
        assert!(links.fixed.is_empty() && links.count() == 0);
    }
}
