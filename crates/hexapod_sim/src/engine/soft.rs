//! Soft ground: it gives way below each part in proportion to the force, as a bed of springs side by side does (Winkler
//! 1867).
//!
//! The engine's own soft contacts yield by the mass behind them, not by newtons, so the ground's surface is lowered below
//! each part instead, a step after the force that lowers it. That is stable only where the surface follows slowly enough.

use super::world::World;
use rapier::prelude::{ColliderHandle, ColliderSet, ContactModificationContext, ModifiableContacts, PhysicsHooks};

/// How far the ground has given way below each part, m.
pub(super) struct Sinks<'a>(pub &'a [f64]);

impl Sinks<'_> {
    /// Below the part that a collider belongs to; the ground's own belong to none.
    fn below(&self, colliders: &ColliderSet, handle: ColliderHandle) -> Option<f64> {
        let part = colliders.get(handle)?.user_data.checked_sub(1)?;
        self.0.get(usize::try_from(part).ok()?).copied()
    }
}

impl PhysicsHooks for Sinks<'_> {
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext) {
        let ends = [context.collider1, context.collider2];
        let sink = ends.into_iter().find_map(|end| self.below(context.colliders, end)).unwrap_or_default();
        if let ModifiableContacts::Rigid(manifold) = &mut context.contacts {
            manifold.solver_contacts.iter_mut().for_each(|contact| contact.dist += sink);
        }
    }
}

impl World {
    /// Lets the ground follow the forces of the last step.
    pub(super) fn sink(&mut self) {
        let step_s = self.settings.step_s;
        let inertia = self.assembly.mass() / (step_s * step_s);
        for part in 0..self.sinks.len() {
            let at = self.part(part).translation.vector;
            let stiffness = self.ground.surface_at(at.x, at.y).stiffness;
            let (aim, share) = stiffness.map_or((0.0, 1.0), |stiffness| {
                (self.ground_force(part).norm() / stiffness, (0.5 * stiffness / inertia).min(0.5))
            });
            if let Some(sink) = self.sinks.get_mut(part) {
                *sink += share * (aim - *sink);
            }
        }
    }
}
