//! The robot's centre of mass at a pose, without allocation.

use crate::plane::support::SupportPolygon;
use hexapod_kinematics::{Lane, Leg, LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Robot, Vectors, sin_cos_lanes};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Vector2, Vector3};
use std::f64::consts::PI;

/// Mass and moment (mass times position).
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    mass: f64,
    moment: Vector3<f64>,
}

/// The joints of one rank and what they carry, a lane for each leg, in frames turned so that z is the joint's axis.
#[derive(Clone, Copy, Debug)]
struct Rank {
    /// Moment of what the joint itself moves, without what is beyond the next joint.
    own: [Lane; 3],
    /// From the joint's frame to that of the joint before it, or to the body's: the turn, row by row, and the moment of
    /// all that is carried, as if it were at the joint.
    turn: [[Lane; 3]; 3],
    at: [Lane; 3],
}

/// The robot's masses by leg and joint; what no leg carries counts to the body.
#[derive(Clone, Debug)]
pub(crate) struct Masses {
    body: Vector3<f64>,
    ranks: [Rank; MAX_LEG_JOINTS],
    legs: usize,
    joints: usize,
    total: f64,
    /// The robot's legs, where joints of theirs mimic others.
    mimicking: Vec<Leg>,
    vectors: Vectors,
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
            let fraction = match carrier {
                Some((leg, joint)) => &mut legs[leg][joint],
                None => &mut body,
            };
            fraction.mass += inertial.mass;
            fraction.moment += at.coords * inertial.mass;
        }
        let none = Rank { own: NOTHING, turn: [NOTHING; 3], at: NOTHING };
        let mut masses = Self {
            body: body.moment,
            ranks: [none; MAX_LEG_JOINTS],
            legs: robot.legs().len(),
            joints: robot.legs().iter().map(|leg| leg.moving().len()).max().unwrap_or(0),
            total: model.total_mass(),
            mimicking: mimicking(robot),
            vectors: Vectors::of_this_processor(),
        };
        for (index, (leg, carried)) in robot.legs().iter().zip(&legs).enumerate() {
            let mut before = Matrix3::identity();
            for (place, (joint, rank)) in leg.moving().iter().zip(&mut masses.ranks).enumerate() {
                let frame = with_axis_along_z(&joint.axis());
                let mass: f64 = carried[place..].iter().map(|carried| carried.mass).sum();
                let turn = before * joint.origin().rotation.to_rotation_matrix().into_inner() * frame.transpose();
                rank.put(
                    index,
                    &(frame * carried[place].moment),
                    &turn,
                    &(before * joint.origin().translation.vector * mass),
                );
                before = frame;
            }
        }
        masses
    }

    /// Distance (m) of the centre of mass from the edge of the hull of the planted feet, negative outside, with the
    /// body at `footprint_from_body`.
    pub(crate) fn margin(
        &self,
        angles: &[LegAngles; MAX_LEGS],
        feet: impl Iterator<Item = Vector2<f64>>,
        footprint_from_body: &Isometry3<f64>,
    ) -> f64 {
        let centre = footprint_from_body.transform_point(&Point3::from(self.centre(angles)));
        SupportPolygon::new(feet).margin(centre.coords.xy())
    }

    /// The centre of mass in the body frame, m; the body's origin for a robot without masses.
    pub(crate) fn centre(&self, angles: &[LegAngles; MAX_LEGS]) -> Vector3<f64> {
        if self.total <= 0.0 {
            return Vector3::zeros();
        }
        if self.mimicking.is_empty() {
            return self.centre_at(angles);
        }
        let mut turns = [LegAngles::zeros(0); MAX_LEGS];
        let legs = self.mimicking.iter().zip(angles).zip(&mut turns);
        legs.for_each(|((leg, angles), turns)| *turns = leg.turns(angles));
        self.centre_at(&turns)
    }

    /// The same at the angles of all joints that move.
    #[inline]
    fn centre_at(&self, angles: &[LegAngles; MAX_LEGS]) -> Vector3<f64> {
        // Numbers of lanes known to the compiler, so that it makes vectors of them.
        let carried = match self.legs {
            0..=4 => self.vectors.run(
                #[inline(always)]
                || self.carried::<4>(angles),
            ),
            5..=6 => self.vectors.run(
                #[inline(always)]
                || self.carried::<6>(angles),
            ),
            _ => self.vectors.run(
                #[inline(always)]
                || self.carried::<MAX_LEGS>(angles),
            ),
        };
        (self.body + carried) / self.total
    }

    /// The moment of all that the first `N` legs carry: from the feet inwards, so that one vector of each leg is turned
    /// and no frame.
    #[inline(always)]
    fn carried<const N: usize>(&self, angles: &[LegAngles; MAX_LEGS]) -> Vector3<f64> {
        let mut beyond = [[0.0; N]; 3];
        for (place, rank) in self.ranks.iter().enumerate().take(self.joints).rev() {
            let mut lane = [0.0; N];
            for (lane, angles) in lane.iter_mut().zip(angles) {
                *lane = angles.padded().get(place).copied().unwrap_or(0.0);
            }
            beyond = rank.carried(&beyond, &sin_cos_lanes(&lane));
        }
        let [x, y, z] = &beyond;
        Vector3::new(x.iter().sum(), y.iter().sum(), z.iter().sum())
    }
}

/// All legs, if joints of any mimic others.
fn mimicking(robot: &Robot) -> Vec<Leg> {
    let any = robot.legs().iter().any(|leg| leg.coupling().is_some());
    if any { robot.legs().to_vec() } else { Vec::new() }
}

const NOTHING: [Lane; 3] = [[0.0; MAX_LEGS]; 3];

impl Rank {
    fn put(&mut self, leg: usize, own: &Vector3<f64>, turn: &Matrix3<f64>, at: &Vector3<f64>) {
        for row in 0..3 {
            (self.own[row][leg], self.at[row][leg]) = (own[row], at[row]);
            for column in 0..3 {
                self.turn[row][column][leg] = turn[(row, column)];
            }
        }
    }

    /// The moment about the joint before, from the one about the joint after.
    #[inline(always)]
    fn carried<const N: usize>(&self, beyond: &[[f64; N]; 3], [sin, cos]: &[[f64; N]; 2]) -> [[f64; N]; 3] {
        let mut found = [[0.0; N]; 3];
        for i in 0..N.min(MAX_LEGS) {
            let (x, y, z) =
                (beyond[0][i] + self.own[0][i], beyond[1][i] + self.own[1][i], beyond[2][i] + self.own[2][i]);
            let (x, y) = (x * cos[i] - y * sin[i], x * sin[i] + y * cos[i]);
            let [a, b, c] = &self.turn;
            found[0][i] = a[0][i] * x + a[1][i] * y + a[2][i] * z + self.at[0][i];
            found[1][i] = b[0][i] * x + b[1][i] * y + b[2][i] * z + self.at[1][i];
            found[2][i] = c[0][i] * x + c[1][i] * y + c[2][i] * z + self.at[2][i];
        }
        found
    }
}

/// The rotation into a frame whose z is this axis.
fn with_axis_along_z(axis: &Vector3<f64>) -> Matrix3<f64> {
    let turn = Rotation3::rotation_between(axis, &Vector3::z());
    turn.unwrap_or_else(|| Rotation3::from_axis_angle(&Vector3::x_axis(), PI)).into_inner()
}

/// The leg and joint that carry a link, if any, and the link's pose in that joint's moved frame (else the body's).
fn carrier(robot: &Robot, link: usize) -> (Option<(usize, usize)>, Isometry3<f64>) {
    let model = robot.model();
    let (mut link, mut carrier_from_link) = (link, Isometry3::identity());
    // Climbs from joint to joint; the count bounds it, whatever the tree.
    for _ in 0..=model.joints().len() {
        let Some(index) = model.joints().iter().position(|joint| joint.child() == link) else { break };
        for (leg, found) in robot.legs().iter().enumerate() {
            if let Some(joint) = found.moving().iter().position(|joint| joint.joint_index() == index) {
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
            let robot = Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap();
            let mut positions = vec![0.0; robot.model().position_count()];
            let mut angles = [LegAngles::zeros(3); MAX_LEGS];
            for (leg, found) in robot.legs().iter().enumerate() {
                for (joint, at) in found.joints().iter().enumerate() {
                    angles[leg][joint] = pose[3 * leg + joint];
                    positions[at.position_index()] = pose[3 * leg + joint];
                }
            }
            let centre = Masses::of(&robot).centre(&angles);
            prop_assert!((centre - robot.model().centre_of_mass(&positions)).norm() < 1e-12);
        }
    }
}
