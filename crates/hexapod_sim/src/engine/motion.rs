//! Where everything is and how it moves.

use super::build::{Built, axis_index};
use super::convert;
use super::world::{Placed, World};
use nalgebra::{Isometry3, Vector3};
use rapier::math::Real;

/// Velocity of a frame, in the world's axes where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Velocity {
    /// Of its origin, m/s.
    pub linear: Vector3<f64>,
    /// rad/s.
    pub angular: Vector3<f64>,
}

/// Momentum of the robot, in the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// kg m/s.
    pub linear: Vector3<f64>,
    /// About the world's origin, kg m²/s.
    pub angular: Vector3<f64>,
}

impl World {
    /// Position of a hinge, rad or m.
    pub fn position(&self, hinge: usize) -> f64 {
        let axis = self.assembly.hinges.get(hinge).map_or(0, |hinge| axis_index(hinge.kind));
        self.link(hinge)
            .map_or(0.0, |(multibody, link)| multibody.link(link).map_or(0.0, |link| link.joint().coords()[axis]))
    }

    /// Speed of a hinge, rad/s or m/s.
    pub fn speed(&self, hinge: usize) -> f64 {
        self.link(hinge).map_or(0.0, |(multibody, link)| {
            let dof = multibody.link(link).map(|link| link.assembly_id());
            dof.and_then(|dof| multibody.generalized_velocity().get(dof).copied()).unwrap_or(0.0)
        })
    }

    /// Torque, or force, of what drives a hinge, with its dry friction left out, N m or N.
    pub fn effort(&self, hinge: usize) -> f64 {
        let drive = self.driven(hinge);
        drive.torque - drive.stiffness * (self.position(hinge) - drive.rest) - drive.damping * self.speed(hinge)
    }

    fn link(&self, hinge: usize) -> Option<(&rapier::prelude::Multibody, usize)> {
        self.built.joints.get(*self.built.hinges.get(hinge)?)
    }

    /// Puts the robot into a pose, at rest: its base and its hinges, as many as are given.
    pub fn put(&mut self, base: &Isometry3<f64>, positions: &[f64]) {
        let Some(&root) = self.built.parts.first() else { return };
        if let Some(body) = self.built.bodies.get_mut(root) {
            body.set_position(convert::pose(base), true);
        }
        for (hinge, &position) in positions.iter().enumerate() {
            let copied = self.assembly.hinges.get(hinge).and_then(|hinge| hinge.mimic);
            let copied = copied.and_then(|(source, by, offset)| Some(by * positions.get(source)? + offset));
            let by = copied.unwrap_or(position) - self.position(hinge);
            let Some((multibody, _)) = self.dof(hinge) else { continue };
            if let Some(link) = multibody.link_mut(hinge + 1) {
                link.joint.apply_displacement(&[by]);
            }
        }
        self.refresh(|velocities| velocities.fill(0.0));
        let parts = (0..self.assembly.parts.len()).map(|part| self.part(part)).collect();
        self.placed = Placed { count: self.placed.count + 1, time_s: self.time_s(), parts };
    }

    /// Sets the speed of a hinge.
    pub fn set_speed(&mut self, hinge: usize, speed: f64) {
        let Some((_, dof)) = self.dof(hinge) else { return };
        self.refresh(|velocities| {
            if let Some(slot) = velocities.get_mut(dof) {
                *slot = speed;
            }
        });
    }

    /// Changes the velocities of all coordinates, and takes poses over from coordinates.
    pub(super) fn refresh(&mut self, change: impl FnOnce(&mut [Real])) {
        let Some(&first) = self.built.hinges.first() else { return };
        let Built { joints, bodies, .. } = &mut self.built;
        let Some((multibody, _)) = joints.get_mut(first) else { return };
        change(multibody.generalized_velocity_mut().as_mut_slice());
        multibody.forward_kinematics(bodies, true);
        multibody.update_rigid_bodies(bodies, true);
    }

    /// Pose of the base in the world.
    pub fn base(&self) -> Isometry3<f64> {
        self.part(0)
    }

    /// Velocity of the base in its own axes at the end of the last step, of which it is no mean:
    /// [`TruePace`](crate::TruePace) is.
    pub fn twist(&self) -> Velocity {
        let (turn, of_base) = (self.base().rotation.inverse(), self.velocity(0));
        Velocity { linear: turn * of_base.linear, angular: turn * of_base.angular }
    }

    /// Pose of a part in the world.
    pub fn part(&self, part: usize) -> Isometry3<f64> {
        let body = self.built.parts.get(part).and_then(|&handle| self.built.bodies.get(handle));
        body.map_or_else(Isometry3::identity, |body| convert::from_pose(body.position()))
    }

    /// Velocity of a part's frame.
    pub fn velocity(&self, part: usize) -> Velocity {
        let of_centre = self.velocity_of_centre(part);
        let centre = self.assembly.parts.get(part).map_or_else(Vector3::zeros, |part| part.centre);
        let arm = self.part(part).rotation * centre;
        Velocity { linear: of_centre.linear - of_centre.angular.cross(&arm), angular: of_centre.angular }
    }

    /// Velocity of a part's centre of mass. From the joints' speeds: what the engine says of a link's body is a step old.
    fn velocity_of_centre(&self, part: usize) -> Velocity {
        let rest = Velocity { linear: Vector3::zeros(), angular: Vector3::zeros() };
        let multibody = self.built.hinges.first().and_then(|&first| self.built.joints.get(first));
        let Some((multibody, _)) = multibody.filter(|_| part < self.assembly.parts.len()) else { return rest };
        let all = multibody.body_jacobian(part) * multibody.generalized_velocity();
        let three = |from: usize| Vector3::from_fn(|i, _| all[from + i]);
        Velocity { linear: three(0), angular: three(3) }
    }

    /// A foot in the world, m.
    pub fn foot(&self, leg: usize) -> Vector3<f64> {
        let Some(foot) = self.assembly.feet.get(leg) else { return Vector3::zeros() };
        (self.part(foot.part) * nalgebra::Point3::from(foot.point)).coords
    }

    /// Kinetic energy and energy of position (zero at the world's origin), J; without that of springs.
    pub fn energy(&self) -> f64 {
        let parts = self.bodies().map(|body| {
            let (linear, angular) = (body.linear.norm_squared(), body.angular.dot(&(body.inertia * body.angular)));
            body.mass * (0.5 * linear + self.settings.gravity * body.centre.z) + 0.5 * angular
        });
        parts.sum()
    }

    /// Momentum.
    pub fn momentum(&self) -> Momentum {
        let mut sum = Momentum { linear: Vector3::zeros(), angular: Vector3::zeros() };
        for body in self.bodies() {
            sum.linear += body.mass * body.linear;
            sum.angular += body.centre.cross(&(body.mass * body.linear)) + body.inertia * body.angular;
        }
        sum
    }

    /// Centre of mass in the world, m.
    pub fn centre_of_mass(&self) -> Vector3<f64> {
        let moment: Vector3<f64> = self.bodies().map(|body| body.mass * body.centre).sum();
        moment / self.assembly.mass().max(f64::MIN_POSITIVE)
    }

    /// Parts as they move, in the world's axes.
    fn bodies(&self) -> impl Iterator<Item = Moving> {
        self.assembly.parts.iter().enumerate().map(|(index, part)| {
            let (pose, of_centre) = (self.part(index), self.velocity_of_centre(index));
            let turn = pose.rotation.to_rotation_matrix().into_inner();
            Moving {
                mass: part.mass,
                centre: (pose * nalgebra::Point3::from(part.centre)).coords,
                inertia: turn * part.inertia * turn.transpose(),
                linear: of_centre.linear,
                angular: of_centre.angular,
            }
        })
    }
}

/// A part's mass, centre, inertia and velocities in the world's axes.
struct Moving {
    mass: f64,
    centre: Vector3<f64>,
    inertia: nalgebra::Matrix3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}
