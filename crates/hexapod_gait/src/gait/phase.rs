//! Where legs are in their cycles.

/// Where a leg is in its cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LegPhase {
    /// On the ground, with the part of the stance that is over, in [0, 1).
    Stance(f64),
    /// In the air, with the part of the swing that is over, in [0, 1).
    Swing(f64),
}

/// The part after the point, in [0, 1).
pub(crate) fn wrap_phase(x: f64) -> f64 {
    // Mostly a difference of two such parts, for which no rounding is called.
    let fraction = if (0.0..1.0).contains(&x) {
        x
    } else if (-1.0..0.0).contains(&x) {
        x + 1.0
    } else {
        x - x.floor()
    };
    if fraction < 1.0 { fraction } else { 0.0 }
}
