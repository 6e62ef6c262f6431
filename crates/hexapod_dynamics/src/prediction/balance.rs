//! Which forces the feet must give so that the body neither falls, slips nor tips: the smallest that do.

use hexapod_kinematics::{MAX_LEGS, math};
use nalgebra::Vector3;

use super::qp::{Constraint, MAX_UNKNOWNS, shortest};
use crate::base::BaseMotion;

/// Facets of the pyramid inside a friction cone.
const FACETS: usize = 8;
/// Constraints: force and moment, then per foot the facets and one that keeps it from pulling.
const MAX_CONSTRAINTS: usize = 6 + MAX_LEGS * (FACETS + 1);

/// What all feet together must give: a force, N, and a moment about the body's origin, N m, in the body frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// N.
    pub force: Vector3<f64>,
    /// N m.
    pub moment: Vector3<f64>,
}

impl Load {
    /// Weight, and inertia of the whole mass at its centre, of a robot whose body moves like this.
    pub fn of_robot(mass: f64, centre_of_mass: &Vector3<f64>, base: &BaseMotion) -> Self {
        let (spin, centre) = (&base.angular_velocity, centre_of_mass);
        let turning = base.angular_acceleration.cross(centre) + spin.cross(&spin.cross(centre));
        let force = mass * (base.specific_force() + turning);
        Self { force, moment: centre.cross(&force) }
    }
}

/// The ground under the feet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Unit vector out of it, in the body frame.
    pub normal: Vector3<f64>,
    /// Coefficient of friction.
    pub friction: f64,
}

/// Feet that cannot carry a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BalanceError {
    /// Not a robot.
    #[error("{0} feet are more than a robot has")]
    Feet(usize),
    /// A number is NaN or infinite, or friction is negative.
    #[error("a foot, the load or the ground is not finite, the ground has no normal, or its friction is below zero")]
    NotFinite,
    /// The body tips over or slips, whatever the feet do.
    #[error("the feet on the ground cannot hold the body: it tips over or slips")]
    Unbalanced,
}

/// Predicted forces of the ground on the feet: in the body frame, N; zero for a foot in the air. They are what would
/// be, not what is measured.
///
/// A foot is a point in the body frame, m, or `None` in the air. Where statics leaves the forces open, as with more
/// than three feet, the sum of their squares is the least, so that they change smoothly with the feet. Each force is
/// inside a pyramid inside the friction cone.
///
/// # Errors
/// [`BalanceError`] when no such forces make up the load.
pub fn foot_forces(
    feet: &[Option<Vector3<f64>>],
    ground: &Ground,
    load: &Load,
) -> Result<[Vector3<f64>; MAX_LEGS], BalanceError> {
    if feet.len() > MAX_LEGS {
        return Err(BalanceError::Feet(feet.len()));
    }
    let normal = ground.normal.try_normalize(1e-9).ok_or(BalanceError::NotFinite)?;
    let numbers = feet.iter().flatten().chain([&normal, &load.force, &load.moment]);
    if !numbers.flat_map(|v| v.iter()).all(|x| x.is_finite()) || !(0.0..f64::INFINITY).contains(&ground.friction) {
        return Err(BalanceError::NotFinite);
    }
    let standing = feet.iter().flatten().count();
    let mut constraints = Constraints::new();
    constraints.balance(feet, load);
    (0..standing).for_each(|foot| constraints.cone(foot, &normal, ground.friction));
    let found = shortest(constraints.all(), 3 * standing).ok_or(BalanceError::Unbalanced)?;
    let mut forces = [Vector3::zeros(); MAX_LEGS];
    let on_ground = forces.iter_mut().zip(feet).filter(|(_, foot)| foot.is_some());
    on_ground.zip(found.as_chunks::<3>().0).for_each(|((force, _), part)| *force = Vector3::from(*part));
    Ok(forces)
}

struct Constraints {
    all: [Constraint; MAX_CONSTRAINTS],
    len: usize,
}

impl Constraints {
    fn new() -> Self {
        let none = Constraint { normal: [0.0; MAX_UNKNOWNS], bound: 0.0, equality: false };
        Self { all: [none; MAX_CONSTRAINTS], len: 0 }
    }

    fn all(&self) -> &[Constraint] {
        self.all.get(..self.len).unwrap_or(&[])
    }

    /// The next constraint, to be filled in.
    fn next(&mut self, bound: f64, equality: bool) -> Option<&mut Constraint> {
        let next = self.all.get_mut(self.len)?;
        self.len += 1;
        (next.bound, next.equality) = (bound, equality);
        Some(next)
    }

    /// Forces add up to the load's force, and their moments to its moment.
    fn balance(&mut self, feet: &[Option<Vector3<f64>>], load: &Load) {
        for (axis, unit) in [Vector3::x(), Vector3::y(), Vector3::z()].iter().enumerate() {
            if let Some(sum) = self.next(load.force[axis], true) {
                (0..feet.iter().flatten().count()).for_each(|foot| put(sum, foot, unit));
            }
        }
        for (axis, unit) in [Vector3::x(), Vector3::y(), Vector3::z()].iter().enumerate() {
            if let Some(sum) = self.next(load.moment[axis], true) {
                // unit . (foot x force) = (unit x foot) . force
                feet.iter().flatten().enumerate().for_each(|(k, foot)| put(sum, k, &unit.cross(foot)));
            }
        }
    }

    /// A foot pushes, and inside its friction pyramid.
    fn cone(&mut self, foot: usize, normal: &Vector3<f64>, friction: f64) {
        if let Some(pushes) = self.next(0.0, false) {
            put(pushes, foot, normal);
        }
        let along = normal.cross(&if normal.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() }).normalize();
        let other = normal.cross(&along);
        let inside = friction * math::cos(std::f64::consts::PI / FACETS as f64);
        for facet in 0..FACETS {
            let (sin, cos) = math::sin_cos(std::f64::consts::TAU * facet as f64 / FACETS as f64);
            if let Some(holds) = self.next(0.0, false) {
                put(holds, foot, &(normal * inside - along * cos - other * sin));
            }
        }
    }
}

fn put(constraint: &mut Constraint, foot: usize, part: &Vector3<f64>) {
    let places = constraint.normal.iter_mut().skip(3 * foot);
    places.zip(part.iter()).for_each(|(place, value)| *place = *value);
}
