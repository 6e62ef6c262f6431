//! How far a foot may be from its resting place: farther in some directions than in others.

use crate::plane::twist::Displacement;
use nalgebra::Vector2;

/// Fraction of its reach in which a foot is put down.
const PLACE_FRACTION: f64 = 0.9;
/// Of feet that have no room at all, m.
const SHORTEST_M: f64 = 1e-6;
/// The fraction of the reach that a step at constant twist uses.
pub(crate) const STROKE_FRACTION: f64 = 0.8;

/// The ellipse about its resting place in which a foot may be put, along the axes of the footprint frame; the same for
/// all feet, so that a step ahead and a step aside each have a greatest length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Half its lengths ahead and aside, m.
    axes: Vector2<f64>,
    /// One over them.
    inverse: Vector2<f64>,
}

impl Reach {
    /// The ellipse with these half axes, ahead and aside, m; no axis is shorter than a micrometre.
    pub(crate) fn new(axes: Vector2<f64>) -> Self {
        let axes = axes.map(|axis| axis.max(SHORTEST_M));
        Self { axes, inverse: axes.map(|axis| 1.0 / axis) }
    }

    /// Half the lengths of its axes, ahead and aside, m.
    #[must_use]
    pub fn axes(&self) -> Vector2<f64> {
        self.axes
    }

    /// The same in all directions, m: the radius of the circle inside it.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.axes.min()
    }

    /// How far it goes in a direction of any length, m; the least where that is none.
    #[must_use]
    pub fn along(&self, direction: Vector2<f64>) -> f64 {
        let fraction = self.fraction(direction);
        if fraction > 0.0 { direction.norm() / fraction } else { self.least() }
    }

    /// Where a foot is put down that is wanted `ahead` of its resting place, footprint frame: well within its reach.
    #[inline]
    pub(crate) fn place(&self, rest: Vector2<f64>, ahead: &Displacement) -> Vector2<f64> {
        let step = ahead.apply(rest) - rest;
        let fraction = self.fraction(step);
        if fraction > PLACE_FRACTION { rest + step * (PLACE_FRACTION / fraction) } else { rest + step }
    }

    /// The place nearest to one that is wanted, on the way there from a foot's rest, at which the foot may be put down.
    #[inline]
    pub(crate) fn nearest(&self, rest: Vector2<f64>, wanted: Vector2<f64>) -> Vector2<f64> {
        let fraction = self.fraction(wanted - rest);
        if fraction > PLACE_FRACTION { rest + (wanted - rest) * (PLACE_FRACTION / fraction) } else { wanted }
    }

    /// The ellipse in this part of its size.
    pub(crate) fn scaled(&self, fraction: f64) -> Self {
        Self { axes: self.axes * fraction, inverse: self.inverse / fraction }
    }

    /// The length of a vector in parts of how far the ellipse goes that way: 1 on its edge.
    #[inline]
    pub(crate) fn fraction(&self, vector: Vector2<f64>) -> f64 {
        vector.component_mul(&self.inverse).norm()
    }

    /// How far it is from `offset` inside the ellipse to its edge along a direction of any length, m.
    pub(crate) fn chord(&self, offset: Vector2<f64>, direction: Vector2<f64>) -> f64 {
        let (at, way) = (offset.component_mul(&self.inverse), direction.component_mul(&self.inverse));
        let (square, across) = (way.norm_squared(), at.dot(&way));
        let root = (across * across + square * (1.0 - at.norm_squared()).max(0.0)).sqrt();
        if square > 0.0 { (root - across) * direction.norm() / square } else { self.least() }
    }

    /// How fast that part grows at `vector` when it changes by `rate`; at the centre, as for the way it goes.
    #[inline]
    pub(crate) fn fraction_and_growth(&self, vector: Vector2<f64>, rate: Vector2<f64>) -> (f64, f64) {
        let (at, moves) = (vector.component_mul(&self.inverse), rate.component_mul(&self.inverse));
        let fraction = at.norm();
        (fraction, if fraction > 1e-7 { at.dot(&moves) / fraction } else { moves.norm() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn when_there_is_no_room_expect_any_way_to_be_far_beyond() {
        let reach = Reach::new(Vector2::zeros());
        assert!(reach.fraction(Vector2::new(1e-3, 0.0)) > 100.0 && reach.fraction(Vector2::zeros()) == 0.0);
        assert!(
            reach.along(Vector2::zeros()) < 1e-5 && reach.fraction_and_growth(Vector2::zeros(), Vector2::x()).1 > 100.0
        );
    }

    proptest! {
        #[test]
        fn when_a_foot_goes_to_the_edge_expect_all_of_the_reach_and_its_growth_the_difference(
            axes in prop::array::uniform2(0.02..0.2f64), at in prop::array::uniform2(-0.1..0.1f64),
            rate in prop::array::uniform2(-0.3..0.3f64),
        ) {
            let (reach, at, rate) = (Reach::new(axes.into()), Vector2::from(at), Vector2::from(rate));
            prop_assume!(at.norm() > 1e-3);
            let edge = at.normalize() * reach.along(at);
            prop_assert!((reach.fraction(edge) - 1.0).abs() < 1e-12);
            prop_assert!((reach.scaled(0.5).fraction(edge) - 2.0).abs() < 1e-12);
            prop_assert!(reach.along(at) >= reach.least() - 1e-15 && reach.along(at) <= reach.axes().max() + 1e-15);
            let h = 1e-7;
            let difference = (reach.fraction(at + rate * h) - reach.fraction(at - rate * h)) / (2.0 * h);
            prop_assert!((difference - reach.fraction_and_growth(at, rate).1).abs() < 1e-4 * difference.abs().max(1.0));
        }
    }
}
