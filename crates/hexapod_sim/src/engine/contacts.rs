//! Forces between the robot and the ground.

use super::convert;
use super::world::World;
use nalgebra::Vector3;
use rapier::math::Vector;
use rapier::prelude::{ColliderHandle, ContactManifold, ContactPair};

impl World {
    /// Mean force of the ground on a part over the last step, N, in the world's axes.
    ///
    /// None where the robot has just been put: the engine's contacts are those of where it was.
    pub fn ground_force(&self, part: usize) -> Vector3<f64> {
        if self.placed.count > 0 && self.placed.time_s == self.time_s() {
            return Vector3::zeros();
        }
        let earlier = self.impulses.get(part).copied().unwrap_or_default();
        (earlier + self.impulse(part)) / self.settings.step_s
    }

    /// Impulse of the ground on a robot's part over the last part of a step, N s.
    fn impulse(&self, part: usize) -> Vector3<f64> {
        let shapes = self.built.shapes.get(part).into_iter().flatten();
        let impulses =
            shapes.flat_map(|&shape| self.narrow_phase.contact_pairs_with(shape).map(move |pair| impulse(pair, shape)));
        impulses.map(convert::from_vector).sum()
    }

    /// Takes down the impulses of a part of a step that others follow.
    pub(super) fn keep_impulses(&mut self) {
        for part in 0..self.assembly.parts.len() {
            let impulse = self.impulse(part);
            if let Some(sum) = self.impulses.get_mut(part) {
                *sum += impulse;
            }
        }
    }

    /// Mean force of the ground on a leg's foot, and on what else of the leg hangs on its last joint, N.
    pub fn foot_force(&self, leg: usize) -> Vector3<f64> {
        self.assembly.feet.get(leg).map_or_else(Vector3::zeros, |foot| self.ground_force(foot.part))
    }

    /// The same in the axes of the base, as `foot_forces` has it.
    pub fn foot_force_in_base(&self, leg: usize) -> Vector3<f64> {
        self.base().rotation.inverse() * self.foot_force(leg)
    }
}

/// Impulse of a contact on the part that owns `shape`.
fn impulse(pair: &ContactPair, shape: ColliderHandle) -> Vector {
    let on_first: Vector = pair.manifolds().iter().map(on_first).sum();
    if pair.collider1 == shape { on_first } else { -on_first }
}

/// Impulse on the first of two bodies: the normal points away from it.
fn on_first(manifold: &ContactManifold) -> Vector {
    let of = manifold
        .points
        .iter()
        .map(|point| point.data.warmstart_tangent_world - manifold.data.normal * point.data.impulse);
    of.sum()
}
