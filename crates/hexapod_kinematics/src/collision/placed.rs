//! A leg's capsules where they are.

use crate::solid::capsule::{Bounds, Capsule};

/// Most capsules of a leg; a leg of more shapes has its last ones put together.
pub(super) const MAX_CAPSULES: usize = 8;

/// The capsules of a leg in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    capsules: [Capsule; MAX_CAPSULES],
    bounds: [Bounds; MAX_CAPSULES],
    all: Bounds,
    count: usize,
}

impl Placed {
    pub const NONE: Self = Self {
        capsules: [Capsule::POINT; MAX_CAPSULES],
        bounds: [Bounds::NONE; MAX_CAPSULES],
        all: Bounds::NONE,
        count: 0,
    };

    pub fn push(&mut self, capsule: Capsule) {
        if let (Some(slot), Some(bounds)) = (self.capsules.get_mut(self.count), self.bounds.get_mut(self.count)) {
            (*slot, *bounds) = (capsule, capsule.bounds());
            self.all = self.all.with(bounds);
            self.count += 1;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Capsule, &Bounds)> + Clone {
        self.capsules.iter().zip(&self.bounds).take(self.count)
    }

    /// Distance between two legs, m; what is at least `enough` apart may be reported as anything from there on.
    pub fn distance(&self, other: &Self, enough: f64) -> f64 {
        let mut nearest = enough;
        if self.all.gap(&other.all) >= enough {
            return nearest;
        }
        for (mine, my_bounds) in self.iter() {
            for (its, its_bounds) in other.iter() {
                if my_bounds.gap(its_bounds) < nearest {
                    nearest = nearest.min(mine.distance(its));
                }
            }
        }
        nearest
    }
}
