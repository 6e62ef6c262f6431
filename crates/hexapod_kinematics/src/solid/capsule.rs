//! Capsules, and boxes about them.

use super::distance;
use nalgebra::Vector3;
use std::f64::consts::PI;

/// What is at most a radius away from a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Ends of the segment, m.
    pub ends: [Vector3<f64>; 2],
    /// m.
    pub radius: f64,
}

impl Capsule {
    /// A point at the origin.
    pub(crate) const POINT: Self = Self { ends: [Vector3::new(0.0, 0.0, 0.0); 2], radius: 0.0 };

    /// Distance between two capsules, m; below zero where they overlap.
    pub fn distance(&self, other: &Self) -> f64 {
        distance::of_segments(&self.ends, &other.ends) - self.radius - other.radius
    }

    /// m³.
    pub(crate) fn volume(&self) -> f64 {
        let [a, b] = self.ends;
        PI * self.radius * self.radius * ((b - a).norm() + 4.0 / 3.0 * self.radius)
    }

    /// The box about it.
    pub(crate) fn bounds(&self) -> Bounds {
        let [a, b] = &self.ends;
        let out = Vector3::repeat(self.radius);
        Bounds { low: a.inf(b) - out, high: a.sup(b) + out }
    }

    /// This capsule, made longer so that it holds a ball too, where it need not be thicker for that.
    pub(crate) fn with_ball(&self, centre: &Vector3<f64>, radius: f64) -> Option<Self> {
        let [a, b] = self.ends;
        let along = (b - a).try_normalize(1e-9)?;
        let place = along.dot(&(centre - a));
        let aside = (centre - a - along * place).norm();
        let length = (b - a).norm();
        let ends = [a + along * place.min(0.0), a + along * place.max(length)];
        (aside + radius <= self.radius).then_some(Self { ends, ..*self })
    }
}

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub low: Vector3<f64>,
    pub high: Vector3<f64>,
}

impl Bounds {
    /// That of the origin.
    pub const POINT: Self = Self { low: Vector3::new(0.0, 0.0, 0.0), high: Vector3::new(0.0, 0.0, 0.0) };

    /// The box about both.
    pub fn with(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// A distance that what they hold is not nearer than: that along the axis on which they are farthest apart.
    pub fn gap(&self, other: &Self) -> f64 {
        (other.low - self.high).sup(&(self.low - other.high)).max()
    }
}
