//! What happens to a robot from outside: pushes, payloads, slippery places.

use super::convert;
use super::settings::Push;
use super::world::World;
use crate::ground::Patch;
use nalgebra::{Matrix3, Point3, Vector3};
use rapier::prelude::MassProperties;

impl World {
    /// Pushes the robot from now on; several pushes add up.
    pub fn push(&mut self, push: Push) {
        self.pushes.push(push);
    }

    /// Fixes a mass to a part, at a point of its frame (m), and leaves it there; a load of no extent, kg.
    pub fn load(&mut self, part: usize, mass: f64, point: &Vector3<f64>) {
        let Some(of) = self.assembly.parts.get_mut(part).filter(|_| mass > 0.0 && mass.is_finite()) else { return };
        let total = of.mass + mass;
        let centre = (of.mass * of.centre + mass * point) / total;
        of.inertia += of.mass * spread(&(of.centre - centre)) + mass * spread(&(point - centre));
        (of.mass, of.centre) = (total, centre);
        self.weigh(part);
    }

    /// Takes all loads off a part.
    pub fn unload(&mut self, part: usize) {
        let Some((of, bare)) = self.assembly.parts.get_mut(part).zip(self.bare.get(part)) else { return };
        if of != bare {
            of.clone_from(bare);
            self.weigh(part);
        }
    }

    /// Tells the engine what a part weighs.
    fn weigh(&mut self, part: usize) {
        let Some(of) = self.assembly.parts.get(part) else { return };
        let properties =
            MassProperties::with_inertia_matrix(convert::vector(&of.centre), of.mass, convert::matrix(&of.inertia));
        let body = self.built.parts.get(part).and_then(|&handle| self.built.bodies.get_mut(handle));
        if let Some(body) = body {
            body.set_additional_mass_properties(properties, true);
            body.recompute_mass_properties_from_colliders(&self.built.colliders);
        }
        self.refresh(|_| ());
    }

    /// Places with another surface from now on, in place of those that there are.
    pub fn set_patches(&mut self, patches: Vec<Patch>) {
        self.ground.patches = patches;
        self.slip();
    }

    /// Lets parts with feet feel the surface that is below them.
    pub(super) fn slip(&mut self) {
        let usual = self.ground.surface.friction.max(f64::MIN_POSITIVE);
        for (leg, foot) in self.assembly.feet.iter().enumerate() {
            let at = self.foot(leg);
            // The engine multiplies the two surfaces' coefficients.
            let factor = self.ground.surface_at(at.x, at.y).friction / usual;
            for &shape in self.built.shapes.get(foot.part).into_iter().flatten() {
                let Some(shape) = self.built.colliders.get_mut(shape).filter(|shape| shape.friction() != factor) else {
                    continue;
                };
                shape.set_friction(factor);
            }
        }
    }

    /// Hands the forces of pushes to the engine, for one step.
    pub(super) fn apply_pushes(&mut self) {
        for push in &self.pushes {
            let Some(body) = self.built.parts.get(push.part).and_then(|&handle| self.built.bodies.get_mut(handle))
            else {
                continue;
            };
            body.reset_forces(true);
            body.reset_torques(true);
        }
        self.pushes.retain(|push| push.seconds > 0.0);
        let step_s = self.settings.step_s;
        for push in &mut self.pushes {
            let Some(body) = self.built.parts.get(push.part).and_then(|&handle| self.built.bodies.get_mut(handle))
            else {
                continue;
            };
            // The last step bears what is left of the time.
            let force = push.force * (push.seconds / step_s).min(1.0);
            let at = convert::from_pose(body.position()) * Point3::from(push.point);
            body.add_force_at_point(convert::vector(&force), convert::vector(&at.coords), true);
            push.seconds -= step_s;
        }
    }
}

/// Inertia of a unit mass at a place, about the origin.
fn spread(at: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(at.norm_squared()) - at * at.transpose()
}
