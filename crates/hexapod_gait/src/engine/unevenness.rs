//! How far the ground is from plane, as the feet have met it and as it is seen.

use super::Engine;
use crate::plane::nearest::NearestPlane;
use crate::state::foot::Foot;
use nalgebra::Vector3;

impl Engine {
    /// How far from a plane the feet stand or stood last, or, where the ground is seen, are to stand next, whichever is more: root
    /// mean square of heights, m. Zero where nothing is felt or seen.
    #[must_use]
    pub fn unevenness(&self) -> f64 {
        let walk = &self.now.route.start().walk;
        let met = |foot: &Foot| match foot {
            Foot::Planted { at } => Some(*at),
            Foot::Swinging(swing) => Some(swing.lift_off),
            // Deeper than planned, however deep.
            Foot::Probing(swing) => Some(swing.at),
            Foot::Missing => None,
        };
        let felt = || walk.feet().iter().filter_map(met);
        let sensing = &self.now.control.sensing;
        let seen = || (0..walk.feet().len()).filter_map(|leg| sensing.foothold(leg)).map(|foothold| foothold.at);
        let is_seen = seen().count() > walk.feet().len() / 2;
        self.plant.size * if is_seen { spread(seen) } else { spread(felt) }
    }
}

fn spread<P: Iterator<Item = Vector3<f64>>>(points: impl Fn() -> P) -> f64 {
    if points().all(|at| at.z == 0.0) { 0.0 } else { NearestPlane::through(&points).spread(&points) }
}
