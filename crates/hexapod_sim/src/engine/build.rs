//! An assembly becomes bodies, joints and colliders of the engine.

use super::convert;
use super::settings::Mount;
use crate::body::{Assembly, BuildError, Hinge, HingeKind, Part};
use crate::ground::{Ground, Meets};
use hexapod_kinematics::{Geometry, Shape};
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use rapier::math::Vector;
use rapier::prelude::{
    ActiveHooks, CoefficientCombineRule, ColliderBuilder, ColliderHandle, ColliderSet, GenericJoint,
    GenericJointBuilder, Group, InteractionGroups, InteractionTestMode, JointAxesMask, MassProperties,
    MultibodyDofCoupling, MultibodyJointHandle, MultibodyJointSet, RigidBodyBuilder, RigidBodyHandle, RigidBodySet,
    SharedShape,
};

/// Parts with feet, and the others: they meet the ground alone.
const FEET: Group = Group::GROUP_1;
const OTHERS: Group = Group::GROUP_3;
const GROUND: Group = Group::GROUP_2;

/// Index of a revolute joint's axis among the engine's six, and of a prismatic joint's.
pub(super) const fn axis_index(kind: HingeKind) -> usize {
    match kind {
        HingeKind::Turning => 3,
        HingeKind::Sliding => 0,
    }
}

/// The engine's sets, filled.
#[derive(Default)]
pub(super) struct Built {
    pub bodies: RigidBodySet,
    pub colliders: ColliderSet,
    pub joints: MultibodyJointSet,
    pub parts: Vec<RigidBodyHandle>,
    pub hinges: Vec<MultibodyJointHandle>,
    /// The colliders of each part.
    pub shapes: Vec<Vec<ColliderHandle>>,
}

pub(super) fn build(
    assembly: &Assembly,
    names: impl Fn(usize) -> String,
    ground: &Ground,
    mount: &Mount,
) -> Result<Built, BuildError> {
    let mut built = Built::default();
    for (index, part) in assembly.parts.iter().enumerate() {
        let own = if assembly.feet.iter().any(|foot| foot.part == index) { FEET } else { OTHERS };
        built.put(part, own, if index == 0 { *mount } else { Mount::Free(Isometry3::identity()) });
    }
    for hinge in &assembly.hinges {
        let ends = [hinge.parent, hinge.child].map(|part| built.parts.get(part).copied());
        let [Some(parent), Some(child)] = ends else { continue };
        let joint = built.joints.insert(parent, child, joint(hinge), true);
        built.hinges.push(joint.ok_or_else(|| BuildError::Loop { joint: names(hinge.joint) })?);
    }
    built.settle(&assembly.hinges);
    built.lay(ground);
    Ok(built)
}

impl Built {
    /// Adds a part.
    fn put(&mut self, part: &Part, own: Group, mount: Mount) {
        let builder = match mount {
            Mount::Free(_) => RigidBodyBuilder::dynamic(),
            Mount::Fixed(_) => RigidBodyBuilder::fixed(),
        };
        let (centre, inertia) = (convert::vector(&part.centre), convert::matrix(&part.inertia));
        let mass = MassProperties::with_inertia_matrix(centre, part.mass, inertia);
        let body = builder.pose(convert::pose(mount.pose())).can_sleep(false).additional_mass_properties(mass);
        let body = self.bodies.insert(body);
        let shapes = part.shapes.iter().filter_map(collider).map(|shape| {
            let shape = shape.density(0.0).friction(1.0).friction_combine_rule(CoefficientCombineRule::Multiply);
            let shape = shape.collision_groups(groups(own, GROUND)).user_data(self.parts.len() as u128 + 1);
            self.colliders.insert_with_parent(shape, body, &mut self.bodies)
        });
        self.shapes.push(shapes.collect());
        // Else only the first step would take its mass into account, and the joints would not know its centre before.
        if let Some(body) = self.bodies.get_mut(body) {
            body.recompute_mass_properties_from_colliders(&self.colliders);
        }
        self.parts.push(body);
    }

    /// Takes back what the engine adds by itself, and couples hinges that copy others.
    fn settle(&mut self, hinges: &[Hinge]) {
        let Some(&first) = self.hinges.first() else { return };
        let Some((multibody, _)) = self.joints.get_mut(first) else { return };
        multibody.set_self_contacts_enabled(false);
        multibody.forward_kinematics(&self.bodies, true);
        // 0.1 N m s/rad on every axis, those of the base included.
        multibody.damping_mut().fill(0.0);
        for (index, hinge) in hinges.iter().enumerate() {
            let Some((source, coeff, offset)) = hinge.mimic else { continue };
            let Some(other) = hinges.get(source) else { continue };
            multibody.add_dof_coupling(MultibodyDofCoupling {
                link1: source + 1,
                dof1: 0,
                axis1: axis_index(other.kind),
                link2: index + 1,
                dof2: 0,
                axis2: axis_index(hinge.kind),
                coeff,
                offset,
            });
        }
        multibody.update_rigid_bodies(&mut self.bodies, true);
    }

    fn lay(&mut self, ground: &Ground) {
        for piece in ground.pieces() {
            let shape = ColliderBuilder::new(piece.shape).position(convert::pose(&piece.pose));
            let shape = shape.friction(ground.surface.friction);
            let shape = if ground.is_soft() { shape.active_hooks(ActiveHooks::MODIFY_SOLVER_CONTACTS) } else { shape };
            let shape = shape.friction_combine_rule(CoefficientCombineRule::Multiply);
            let met = match piece.meets {
                Meets::All => FEET | OTHERS,
                Meets::Feet => FEET,
                Meets::Others => OTHERS,
            };
            self.colliders.insert(shape.collision_groups(groups(GROUND, met)));
        }
    }
}

fn groups(own: Group, others: Group) -> InteractionGroups {
    InteractionGroups::new(own, others, InteractionTestMode::And)
}

/// The engine's joints move along or about x: both frames are turned so that x is the axis.
fn joint(hinge: &Hinge) -> GenericJoint {
    let turn = from_x(&hinge.axis);
    let locked = match hinge.kind {
        HingeKind::Turning => JointAxesMask::LOCKED_REVOLUTE_AXES,
        HingeKind::Sliding => JointAxesMask::LOCKED_PRISMATIC_AXES,
    };
    let in_parent = hinge.parent_from_joint * turn;
    let in_child = Isometry3::identity() * turn;
    GenericJointBuilder::new(locked)
        .local_frame1(convert::pose(&in_parent))
        .local_frame2(convert::pose(&in_child))
        .contacts_enabled(false)
        .build()
}

/// A turn that takes x to `axis`.
fn from_x(axis: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let half_turn = || UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI);
    UnitQuaternion::rotation_between_axis(&Vector3::x_axis(), axis).unwrap_or_else(half_turn)
}

/// A collider in the frame of its part; none for a mesh.
fn collider(shape: &Shape) -> Option<ColliderBuilder> {
    let half = |length: f64| 0.5 * length;
    let (of, upright) = match &shape.geometry {
        Geometry::Box { size } => (SharedShape::cuboid(half(size.x), half(size.y), half(size.z)), true),
        Geometry::Sphere { radius } => (SharedShape::ball(*radius), true),
        // The engine's cylinders lie along y.
        Geometry::Cylinder { radius, length } => (SharedShape::cylinder(half(*length), *radius), false),
        Geometry::Capsule { radius, length } => {
            (SharedShape::capsule(Vector::Z * -half(*length), Vector::Z * half(*length), *radius), true)
        }
        Geometry::Mesh { .. } => return None,
    };
    let to_z = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let pose = if upright { shape.link_from_shape } else { shape.link_from_shape * to_z };
    Some(ColliderBuilder::new(of).position(convert::pose(&pose)))
}
