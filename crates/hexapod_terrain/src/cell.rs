//! What is known of one cell.

use crate::height::Height;

/// Clouds without ground where some should be after which there is none: a leg, or dust, may have been in the way of one.
const MISSED: u8 = 3;

/// One cell. Its heights are relative to the map's datum, which moves and grows less certain for all cells at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    surface: Option<Height>,
    /// What the last cloud saw instead of the surface: taken once another cloud agrees.
    contradiction: Option<Height>,
    /// Clouds that should have shown it while nothing was known of it.
    missed: u8,
}

impl Cell {
    /// The surface in the odometry frame, if it is known.
    #[inline]
    pub(crate) fn surface(&self, datum: Height) -> Option<Height> {
        self.surface.map(|surface| surface.above(datum))
    }

    /// The surface's height above the datum, m.
    #[inline]
    pub(crate) fn above_datum_m(&self) -> Option<f64> {
        self.surface.map(|surface| surface.mean_m)
    }

    /// Takes a height as it is, whatever was known before.
    pub(crate) fn set(&mut self, height: Height, datum: Height) {
        *self = Self { surface: Some(height.relative_to(datum)), contradiction: None, missed: 0 };
    }

    /// Whether anything is known of it.
    pub(crate) fn is_known(&self) -> bool {
        self.surface.is_some()
    }

    /// A cloud should have shown it, and did not.
    pub(crate) fn miss(&mut self) {
        self.missed = self.missed.saturating_add(1);
    }

    /// Whether there is no ground where clouds should have shown some, again and again.
    pub(crate) fn is_missing(&self) -> bool {
        self.surface.is_none() && self.missed >= MISSED
    }

    /// Fuses what one cloud saw. What contradicts the surface replaces it when the next cloud that sees the cell agrees:
    /// things are moved and odometry slips, but one wild cloud must not open a hole under a foot.
    pub(crate) fn see(&mut self, seen: Height, datum: Height, least_m2: f64) {
        let Some(surface) = self.surface(datum) else {
            return self.set(seen, datum);
        };
        if surface.agrees_with(seen) {
            return self.set(surface.fused_with(seen, least_m2), datum);
        }
        let before = self.contradiction.map(|height| height.above(datum));
        match before.filter(|before| before.agrees_with(seen)) {
            Some(before) => self.set(before.fused_with(seen, least_m2), datum),
            None => self.contradiction = Some(seen.relative_to(datum)),
        }
    }
}
