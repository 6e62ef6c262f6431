//! Order of legs: left front to rear, then right front to rear.

use nalgebra::{Isometry3, Vector3};

use crate::leg::Leg;

/// A hip nearer than this to the body's middle line, in lengths of its leg, says nothing about its side; the foot does.
const MIDDLE: f64 = 4e-3;
/// Hips are equally far forward when they differ by about this, in lengths of the longest leg.
const SAME: f64 = 1e-6;

/// Side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// y > 0 (REP-103), and legs on the middle line.
    Left,
    /// y < 0.
    Right,
}

impl Side {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// Side of a leg and how far forward its hip is, m, in the frame of the hips.
pub(super) fn side_of(leg: &Leg, base_from_hips: &Isometry3<f64>) -> (Side, f64) {
    let in_hips = |point: Vector3<f64>| base_from_hips.inverse_transform_point(&point.into());
    let (hip, foot) = (in_hips(leg.hip_in_body()), in_hips(leg.foot_in_body(&leg.home())));
    let middle = MIDDLE * leg.length();
    let y = if hip.y.abs() > middle { hip.y } else { foot.y };
    let x = if hip.xy().coords.norm() > middle { hip.x } else { foot.x };
    (if y < -middle { Side::Right } else { Side::Left }, x)
}

/// Sorts legs left front to rear, then right front to rear; legs that are equally far forward keep their order.
pub(super) fn sort(legs: &mut [Leg], base_from_hips: &Isometry3<f64>) {
    let longest = legs.iter().map(Leg::length).fold(0.0, f64::max);
    legs.sort_by_cached_key(|leg| {
        let (side, x) = side_of(leg, base_from_hips);
        (side, -(x / (SAME * longest)).round() as i64)
    });
}
