//! A leg's capsules and boxes where they are.

use crate::solid::capsule::{Bounds, Capsule};
use crate::solid::convex::Convex;
use nalgebra::{Matrix3, Vector3};

/// Most capsules and boxes of a leg; a leg of more shapes has its last ones put together.
pub(super) const MAX_SHAPES: usize = 8;

/// How exactly a distance is worked out, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// What is less than this is worked out exactly; of what is more, a distance that it is not less than may do.
    pub exact: f64,
    /// What is more counts as this.
    pub most: f64,
}

impl Detail {
    /// Exactly, as far as it is less than this.
    pub fn up_to(most: f64) -> Self {
        Self { exact: most, most }
    }
}

/// The shapes of a leg in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    shapes: [Convex; MAX_SHAPES],
    bounds: [Bounds; MAX_SHAPES],
    all: Bounds,
    count: usize,
}

impl Placed {
    /// All zeros, which costs little to write.
    pub const NONE: Self = Self {
        shapes: [Convex::Capsule(Capsule::POINT); MAX_SHAPES],
        bounds: [Bounds::POINT; MAX_SHAPES],
        all: Bounds::POINT,
        count: 0,
    };

    /// Adds a shape of a frame that is turned and placed like this in the body's.
    pub fn push(&mut self, shape: &Convex, turn: &Matrix3<f64>, at: &Vector3<f64>) {
        if let (Some(slot), Some(bounds)) = (self.shapes.get_mut(self.count), self.bounds.get_mut(self.count)) {
            *slot = shape.placed(turn, at);
            *bounds = slot.bounds();
            self.all = if self.count == 0 { *bounds } else { self.all.with(bounds) };
            self.count += 1;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Convex, &Bounds)> + Clone {
        self.shapes.iter().zip(&self.bounds).take(self.count)
    }

    /// Distance between two legs, m.
    pub fn distance(&self, other: &Self, Detail { exact, most }: Detail) -> f64 {
        let gap = self.all.gap(&other.all);
        if gap >= exact {
            return gap.min(most);
        }
        let mut nearest = most;
        for (mine, my_bounds) in self.iter() {
            for (its, its_bounds) in other.iter() {
                let gap = my_bounds.gap(its_bounds);
                if gap < nearest {
                    nearest = nearest.min(if gap < exact { mine.distance(its, exact.min(nearest)) } else { gap });
                }
            }
        }
        nearest
    }
}
