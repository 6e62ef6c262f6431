//! One leg as rigid bodies, each on a revolute joint, and where they are at given angles.

use hexapod_kinematics::{CouplingMatrix, Joint, Leg, LegAngles, LegJoint, MAX_LEG_JOINTS, Matrix3xN, Model, math};
use nalgebra::{Isometry3, Matrix3, SMatrix, SVector, Vector3};

use crate::friction::Friction;
use crate::inertia::{Inertia, LINK_PARAMETERS};

/// A number per joint (torques in N m, speeds in rad/s), hip first; entries past the leg's joints are zero.
pub type JointVector = SVector<f64, MAX_LEG_JOINTS>;

/// A number per pair of joints; rows and columns past the leg's joints are zero.
pub type JointMatrix = SMatrix<f64, MAX_LEG_JOINTS, MAX_LEG_JOINTS>;

/// A joint and the rigid body on it: its link and all that is fixed to that.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    /// `parent_from_body = turn[0] + cos(q) turn[1] + sin(q) turn[2]` (Rodrigues, with the joint's origin in it).
    turn: [Matrix3<f64>; 3],
    /// The joint's point in the parent's frame, m.
    origin: Vector3<f64>,
    /// Unit axis in the body's own frame.
    axis: Vector3<f64>,
    /// About the joint's point in the body's own frame, which is the URDF frame of the joint's child link.
    inertia: Inertia,
}

impl Body {
    fn none() -> Self {
        let turn = [Matrix3::identity(), Matrix3::zeros(), Matrix3::zeros()];
        Self { turn, origin: Vector3::zeros(), axis: Vector3::z(), inertia: Inertia::zero() }
    }
}

/// The dynamics of one leg of 3 to 6 joints on a moving body.
///
/// Links hung on the leg by joints that are not the leg's own (a gripper, a spring) count as fixed at position zero.
/// Rotors and friction are not in the equations.
#[derive(Clone, Debug, PartialEq)]
pub struct LegDynamics {
    bodies: [Body; MAX_LEG_JOINTS],
    /// How many bodies there are: one for each joint that moves.
    count: usize,
    /// How many joints have motors, and how the bodies' joints follow them where others do.
    joints: usize,
    coupling: Option<CouplingMatrix>,
    /// In the last body's frame, m.
    foot: Vector3<f64>,
    length: f64,
    friction: [Friction; MAX_LEG_JOINTS],
    speeds: JointVector,
    torques: JointVector,
}

impl LegDynamics {
    /// The dynamics of a leg of this model, with inertias as the model gives them; a link without any weighs nothing.
    pub fn new(model: &Model, leg: &Leg) -> Self {
        let mut bodies = [Body::none(); MAX_LEG_JOINTS];
        for (body, joint) in bodies.iter_mut().zip(leg.moving()) {
            let (axis, origin) = (joint.axis().into_inner(), joint.origin());
            let from_joint = origin.rotation.to_rotation_matrix().into_inner();
            let along = axis * axis.transpose();
            body.turn = [along, Matrix3::identity() - along, axis.cross_matrix()].map(|part| from_joint * part);
            (body.origin, body.axis) = (origin.translation.vector, axis);
        }
        for (index, link) in model.links().iter().enumerate() {
            let Some((joint, pose)) = carrier(model, leg, index) else { continue };
            if let (Some(body), Some(inertial)) = (bodies.get_mut(joint), link.inertial()) {
                body.inertia = body.inertia + Inertia::of_link(inertial, &pose);
            }
        }
        let foot = leg.tip().translation.vector;
        let (count, joints) = (leg.moving().len().min(MAX_LEG_JOINTS), leg.joint_count());
        let length = bodies.iter().take(count).skip(1).map(|b| b.origin.norm()).sum::<f64>() + foot.norm();
        let mut friction = [Friction::default(); MAX_LEG_JOINTS];
        let [mut speeds, mut torques] = [JointVector::repeat(f64::INFINITY); 2];
        for (((friction, speed), torque), joint) in
            friction.iter_mut().zip(speeds.iter_mut()).zip(torques.iter_mut()).zip(leg.joints())
        {
            *speed = joint.limits().velocity;
            *torque = Some(joint.limits().effort).filter(|effort| *effort > 0.0).unwrap_or(f64::INFINITY);
            let given = model.joints().get(joint.joint_index()).map(Joint::friction).unwrap_or_default();
            *friction = Friction { coulomb_nm: given.coulomb, viscous_nm_s: given.viscous };
            for (by, mimic) in mimics(leg, joint) {
                let given = model.joints().get(mimic.joint_index()).map(Joint::friction).unwrap_or_default();
                friction.coulomb_nm += by.abs() * given.coulomb;
                friction.viscous_nm_s += by * by * given.viscous;
            }
        }
        let coupling = leg.coupling().copied();
        Self { bodies, count, joints, coupling, foot, length, friction, speeds, torques }
    }

    /// How many joints it has.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// How many bodies it has: one for each joint that moves, with a motor or after another joint.
    pub fn body_count(&self) -> usize {
        self.count
    }

    /// Length of the stretched leg from its first joint, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Friction of each joint as the model gives it. It is in no equation of the leg: a motor overcomes it before its
    /// torque is that of the joint.
    pub fn friction(&self) -> &[Friction; MAX_LEG_JOINTS] {
        &self.friction
    }

    /// Greatest speed of each joint as the model gives it, rad/s.
    pub fn greatest_speeds(&self) -> &JointVector {
        &self.speeds
    }

    /// Greatest torque of each joint's servo as the model gives it, N m; infinite where it gives none.
    pub fn greatest_torques(&self) -> &JointVector {
        &self.torques
    }

    /// Inertia of each body about its joint's point, in the frame of the joint's child link; hip first.
    pub fn inertias(&self) -> impl Iterator<Item = &Inertia> {
        self.bodies.iter().take(self.count).map(|body| &body.inertia)
    }

    /// All inertial parameters, link by link in the order of [`PARAMETER_NAMES`](crate::PARAMETER_NAMES).
    pub fn parameters(&self) -> Vec<f64> {
        self.inertias().flat_map(Inertia::parameters).collect()
    }

    /// The same leg with other inertial parameters, as [`LegDynamics::parameters`] gives them; what is missing stays.
    pub fn with_parameters(&self, parameters: &[f64]) -> Self {
        let mut changed = self.clone();
        let links = parameters.chunks_exact(LINK_PARAMETERS).filter_map(|chunk| chunk.try_into().ok());
        for (body, link) in changed.bodies.iter_mut().take(self.count).zip(links) {
            body.inertia = Inertia::from_parameters(link);
        }
        changed
    }

    /// The leg at these angles, rad, for several questions about one pose. Missing angles count as zero; angles that
    /// are not finite give results that are not finite.
    #[inline]
    pub fn at(&self, angles: &LegAngles) -> PlacedLeg {
        let mut placed = self.unplaced();
        self.place(angles, &mut placed);
        placed
    }

    /// For [`Self::place`].
    pub(crate) fn unplaced(&self) -> PlacedLeg {
        PlacedLeg::empty(self.count, self.joints, self.coupling)
    }

    /// The same, into a leg that was placed before: at a control rate, clearing and copying would cost a tenth.
    #[inline]
    pub(crate) fn place(&self, angles: &LegAngles, placed: &mut PlacedLeg) {
        let (mut turn, mut point) = (Matrix3::identity(), Vector3::zeros());
        let turns = self.coupling.map(|coupling| coupling * JointVector::from(*angles.padded()));
        let angles = turns.as_ref().map_or(angles.padded().as_slice(), |turns| turns.as_slice());
        let bodies = self.bodies.iter().zip(angles).zip(&mut placed.bodies).take(self.count);
        for ((body, angle), at) in bodies {
            let (sin, cos) = math::sin_cos(*angle);
            let [fixed, of_cos, of_sin] = &body.turn;
            at.arm = turn * body.origin;
            point += at.arm;
            turn *= fixed + of_cos * cos + of_sin * sin;
            (at.point, at.turn, at.axis) = (point, turn, turn * body.axis);
            at.inertia = body.inertia.turned(&turn);
        }
        placed.foot = point + turn * self.foot;
    }
}

/// What follows a joint of a leg, and by how much.
fn mimics<'a>(leg: &'a Leg, joint: &'a LegJoint) -> impl Iterator<Item = (f64, &'a LegJoint)> {
    let follows = leg.moving().iter().filter(|other| other.position_index() == joint.position_index());
    follows.filter_map(|other| Some((other.mimics()?, other)))
}

/// The leg's joint that carries a link, and the link's pose in the frame of that joint's child.
fn carrier(model: &Model, leg: &Leg, link: usize) -> Option<(usize, Isometry3<f64>)> {
    let (mut at, mut pose) = (link, Isometry3::identity());
    loop {
        let index = model.parent_joint(at)?;
        if let Some(found) = leg.moving().iter().position(|joint| joint.joint_index() == index) {
            return Some((found, pose));
        }
        let joint = model.joints().get(index)?;
        pose = joint.parent_from_child(model.position_of(index, &[])) * pose;
        at = joint.parent();
    }
}

/// A body of the leg at given angles; all vectors in the body frame of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlacedBody {
    /// From the point of the joint before it (the base's origin for the first) to its own, m.
    pub(crate) arm: Vector3<f64>,
    /// The joint's point, m.
    pub(crate) point: Vector3<f64>,
    /// The joint's unit axis.
    pub(crate) axis: Vector3<f64>,
    /// From the body's own frame.
    pub(crate) turn: Matrix3<f64>,
    /// About the joint's point.
    pub(crate) inertia: Inertia,
}

/// A leg at given angles, see [`LegDynamics::at`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedLeg {
    pub(crate) bodies: [PlacedBody; MAX_LEG_JOINTS],
    count: usize,
    pub(crate) joints: usize,
    coupling: Option<CouplingMatrix>,
    foot: Vector3<f64>,
}

impl PlacedLeg {
    fn empty(count: usize, joints: usize, coupling: Option<CouplingMatrix>) -> Self {
        let zero = Vector3::zeros();
        let body =
            PlacedBody { arm: zero, point: zero, axis: zero, turn: Matrix3::identity(), inertia: Inertia::zero() };
        Self { bodies: [body; MAX_LEG_JOINTS], count, joints, coupling, foot: zero }
    }

    pub(crate) fn bodies(&self) -> impl DoubleEndedIterator<Item = &PlacedBody> + ExactSizeIterator {
        self.bodies.iter().take(self.count)
    }

    /// What the bodies' joints do, from what those with motors do.
    #[inline]
    pub(crate) fn of_bodies(&self, of_joints: &JointVector) -> JointVector {
        self.coupling.as_ref().map_or(*of_joints, |coupling| coupling * of_joints)
    }

    /// What motors do, from what the joints of the bodies do; row by row.
    #[inline]
    pub(crate) fn of_motors<const C: usize>(
        &self,
        of_bodies: SMatrix<f64, MAX_LEG_JOINTS, C>,
    ) -> SMatrix<f64, MAX_LEG_JOINTS, C> {
        match &self.coupling {
            None => of_bodies,
            Some(coupling) => coupling.tr_mul(&of_bodies),
        }
    }

    /// The foot in the body frame, m.
    pub fn foot_in_body(&self) -> Vector3<f64> {
        self.foot
    }

    /// Jacobian of the foot in the body frame, m/rad: as [`Leg::jacobian`], from what is known already.
    #[inline]
    pub fn jacobian(&self) -> Matrix3xN {
        let mut jacobian = Matrix3xN::zeros();
        for (mut column, body) in jacobian.column_iter_mut().zip(self.bodies()) {
            column.copy_from(&body.axis.cross(&(self.foot - body.point)));
        }
        self.coupling.as_ref().map_or(jacobian, |coupling| jacobian * coupling)
    }
}
