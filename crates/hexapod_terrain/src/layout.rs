//! How large the map is.

/// Fewest and most cells along a side.
const CELLS: std::ops::RangeInclusive<usize> = 4..=1024;
/// Shortest and longest side of a cell, m.
const CELL_M: std::ops::RangeInclusive<f64> = 1e-3..=1.0;

/// The square grid of an [`ElevationMap`](crate::ElevationMap).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    cells_per_side: usize,
    cell_m: f64,
}

/// Why there is no such grid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LayoutError {
    /// Too few or too many cells.
    #[error("an elevation map has 4 to 1024 cells per side, not {0}")]
    CellsPerSide(usize),
    /// Cells too small, too large or not finite, m.
    #[error("a cell of an elevation map is 0.001 to 1 m wide, not {0}")]
    Cell(f64),
}

impl Layout {
    /// A grid of 4 to 1024 cells along each side, each 0.001 to 1 m wide.
    ///
    /// # Errors
    ///
    /// If either number is outside of its range.
    pub fn try_new(cells_per_side: usize, cell_m: f64) -> Result<Self, LayoutError> {
        if !CELLS.contains(&cells_per_side) {
            return Err(LayoutError::CellsPerSide(cells_per_side));
        }
        if !CELL_M.contains(&cell_m) {
            return Err(LayoutError::Cell(cell_m));
        }
        Ok(Self { cells_per_side, cell_m })
    }

    /// As many cells, each so many times as wide, as far as cells may be.
    #[must_use]
    pub fn enlarged(self, size: f64) -> Self {
        let cell_m = self.cell_m * size;
        if cell_m.is_finite() { Self { cell_m: cell_m.clamp(*CELL_M.start(), *CELL_M.end()), ..self } } else { self }
    }

    /// Cells along each side.
    #[must_use]
    pub fn cells_per_side(&self) -> usize {
        self.cells_per_side
    }

    /// Length of a cell's side, m.
    #[must_use]
    pub fn cell_m(&self) -> f64 {
        self.cell_m
    }
}

impl Default for Layout {
    /// 64 x 64 cells of 15 mm: 0.96 m, about twice the span of a small hexapod's feet.
    fn default() -> Self {
        Self { cells_per_side: 64, cell_m: 0.015 }
    }
}
