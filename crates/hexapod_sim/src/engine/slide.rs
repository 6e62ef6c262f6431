//! How feet slide over the ground.

use super::convert;
use super::world::World;
use nalgebra::Vector3;
use rapier::prelude::{ColliderHandle, ContactPair};

/// A place where a foot presses on the ground.
struct Touch {
    /// In the world, m.
    point: Vector3<f64>,
    /// Of the ground, a unit vector.
    normal: Vector3<f64>,
    /// With which it is pressed, N s.
    impulse: f64,
}

impl World {
    /// How fast a leg's foot slides over the ground that it presses on, m/s: the mean over where they touch, by how hard
    /// they press. Zero in the air. A foot that rolls does not slide.
    pub fn foot_slide(&self, leg: usize) -> f64 {
        let Some(part) = self.assembly.feet.get(leg).map(|foot| foot.part) else { return 0.0 };
        let (origin, moves) = (self.part(part).translation.vector, self.velocity(part));
        let across = |touch: &Touch| {
            let speed = moves.linear + moves.angular.cross(&(touch.point - origin));
            (speed - touch.normal * touch.normal.dot(&speed)).norm()
        };
        let (mut sliding, mut pressing) = (0.0, 0.0);
        for touch in self.touches(part) {
            sliding += touch.impulse * across(&touch);
            pressing += touch.impulse;
        }
        if pressing > 0.0 { sliding / pressing } else { 0.0 }
    }

    fn touches(&self, part: usize) -> impl Iterator<Item = Touch> {
        let shapes = self.built.shapes.get(part).into_iter().flatten();
        let pairs =
            shapes.flat_map(|&shape| self.narrow_phase.contact_pairs_with(shape).map(move |pair| (pair, shape)));
        pairs.flat_map(|(pair, shape)| touches_of(pair, shape))
    }
}

/// The places of a pair of which one is `shape` and the other the ground, whose side of a contact the engine tells in the
/// world.
fn touches_of(pair: &ContactPair, shape: ColliderHandle) -> impl Iterator<Item = Touch> {
    let is_first = pair.collider1 == shape;
    pair.manifolds().iter().flat_map(move |manifold| {
        manifold.data.solver_contacts.iter().filter_map(move |contact| {
            let [index] = contact.contact_indices();
            let point = manifold.points.get(usize::try_from(index).ok()?)?;
            Some(Touch {
                point: convert::from_vector(if is_first { contact.anchor2 } else { contact.anchor1 }),
                normal: convert::from_vector(manifold.data.normal),
                impulse: point.data.impulse,
            })
        })
    })
}
