//! Order of legs: left front to rear, then right front to rear.

use crate::leg::Leg;

/// A hip nearer than this to the body's middle line says nothing about its side; the foot does, m.
const MIDDLE: f64 = 1e-3;

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

/// Side of a leg and how far forward its hip is, m.
pub(super) fn side_of(leg: &Leg) -> (Side, f64) {
    let hip = leg.hip_in_body();
    let foot = leg.foot_in_body(&leg.home());
    let y = if hip.y.abs() > MIDDLE { hip.y } else { foot.y };
    let x = if hip.xy().norm() > MIDDLE { hip.x } else { foot.x };
    (if y < -MIDDLE { Side::Right } else { Side::Left }, x)
}

/// Sorts legs left front to rear, then right front to rear; legs that are equally far forward keep their order.
pub(super) fn sort(legs: &mut [Leg]) {
    legs.sort_by(|a, b| {
        let ((side_a, x_a), (side_b, x_b)) = (side_of(a), side_of(b));
        side_a.cmp(&side_b).then(x_b.total_cmp(&x_a))
    });
}
