//! The robot's centre of mass at a pose, without allocation.

use crate::support::SupportPolygon;
use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Robot};
use nalgebra::{Isometry3, Matrix3, Point3, Vector2, Vector3};

/// Mass and moment (mass times position).
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    mass: f64,
    moment: Vector3<f64>,
}

/// A joint and what it carries, in its moved frame.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    own_moment: Vector3<f64>,
    /// Mass of this link and of all beyond it.
    mass: f64,
    axis: Vector3<f64>,
    parent_from_joint: Matrix3<f64>,
    at: Vector3<f64>,
}

/// The robot's masses by leg and joint; what no leg carries counts to the body.
#[derive(Clone, Debug)]
pub(crate) struct Masses {
    body: Vector3<f64>,
    legs: [[Link; MAX_LEG_JOINTS]; MAX_LEGS],
    total: f64,
}

impl Masses {
    pub(crate) fn of(robot: &Robot) -> Self {
        let model = robot.model();
        let mut body = Carried::default();
        let mut legs: [[Carried; MAX_LEG_JOINTS]; MAX_LEGS] = Default::default();
        for (index, link) in model.links().iter().enumerate() {
            let Some(inertial) = link.inertial() else { continue };
            let (carrier, carrier_from_link) = carrier(robot, index);
            let at = carrier_from_link * Point3::from(inertial.centre_of_mass());
            let part = match carrier {
                Some((leg, joint)) => &mut legs[leg][joint],
                None => &mut body,
            };
            part.mass += inertial.mass;
            part.moment += at.coords * inertial.mass;
        }
        let mut masses = Self { body: body.moment, legs: Default::default(), total: model.total_mass() };
        for ((leg, carried), links) in robot.legs().iter().zip(&legs).zip(&mut masses.legs) {
            for (place, (joint, link)) in leg.joints().iter().zip(links).enumerate() {
                let origin = joint.origin();
                *link = Link {
                    own_moment: carried[place].moment,
                    mass: carried[place..].iter().map(|carried| carried.mass).sum(),
                    axis: joint.axis().into_inner(),
                    parent_from_joint: origin.rotation.to_rotation_matrix().into_inner(),
                    at: origin.translation.vector,
                };
            }
        }
        masses
    }

    /// Distance (m) of the centre of mass from the edge of the hull of the planted feet, negative outside, with the
    /// body at `footprint_from_body`.
    pub(crate) fn margin(
        &self,
        angles: &[LegAngles],
        feet: impl Iterator<Item = Vector2<f64>>,
        footprint_from_body: &Isometry3<f64>,
    ) -> f64 {
        let centre = footprint_from_body.transform_point(&Point3::from(self.centre(angles)));
        SupportPolygon::new(feet).margin(centre.coords.xy())
    }

    /// The centre of mass in the body frame, m; the body's origin for a robot without masses. From the feet inwards, so
    /// that one vector of each leg is turned and no frame.
    pub(crate) fn centre(&self, angles: &[LegAngles]) -> Vector3<f64> {
        if self.total <= 0.0 {
            return Vector3::zeros();
        }
        let mut moment = self.body;
        for (links, angles) in self.legs.iter().zip(angles) {
            let mut beyond = Vector3::zeros();
            for (link, angle) in links.iter().zip(angles.iter()).rev() {
                let carried = beyond + link.own_moment;
                let (sin, cos) = angle.sin_cos();
                let along = link.axis * (link.axis.dot(&carried) * (1.0 - cos));
                let turned = carried * cos + link.axis.cross(&carried) * sin + along;
                beyond = link.parent_from_joint * turned + link.at * link.mass;
            }
            moment += beyond;
        }
        moment / self.total
    }
}

/// The leg and joint that carry a link, if any, and the link's pose in that joint's moved frame (else the body's).
fn carrier(robot: &Robot, link: usize) -> (Option<(usize, usize)>, Isometry3<f64>) {
    let model = robot.model();
    let (mut link, mut carrier_from_link) = (link, Isometry3::identity());
    // Climbs from joint to joint; the count bounds it, whatever the tree.
    for _ in 0..=model.joints().len() {
        let Some(index) = model.joints().iter().position(|joint| joint.child() == link) else { break };
        for (leg, found) in robot.legs().iter().enumerate() {
            if let Some(joint) = found.joints().iter().position(|joint| joint.joint_index() == index) {
                return (Some((leg, joint)), carrier_from_link);
            }
        }
        let joint = &model.joints()[index];
        carrier_from_link = joint.parent_from_child(0.0) * carrier_from_link;
        link = joint.parent();
    }
    (None, carrier_from_link)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn when_in_any_pose_expect_the_models_centre_of_mass(pose in prop::collection::vec(-0.6..0.4f64, 18)) {
            let robot = Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap();
            let mut positions = vec![0.0; robot.model().position_count()];
            let mut angles = [LegAngles::zeros(3); MAX_LEGS];
            for (leg, found) in robot.legs().iter().enumerate() {
                for (joint, at) in found.joints().iter().enumerate() {
                    angles[leg][joint] = pose[3 * leg + joint];
                    positions[at.position_index()] = pose[3 * leg + joint];
                }
            }
            let centre = Masses::of(&robot).centre(&angles[..6]);
            prop_assert!((centre - robot.model().centre_of_mass(&positions)).norm() < 1e-12);
        }
    }
}
