//! The part of the plane that the map covers, and where in memory each of its cells is.

use crate::layout::Layout;
use nalgebra::{Point2, Vector2};
use std::ops::Range;

/// A body farther out than this, in cells, is lost: neighbouring cells would no longer differ in an `f64`.
const FARTHEST_CELLS: f64 = 1e9;

/// A cell of the window, counted from its corner of least x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index {
    pub column: usize,
    pub row: usize,
}

/// A rectangle of cells, and maybe an empty one.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

impl Span {
    pub(crate) fn indices(self) -> impl Iterator<Item = Index> {
        self.rows.flat_map(move |row| self.columns.clone().map(move |column| Index { column, row }))
    }
}

/// The window scrolls over the infinite grid of the odometry frame. A cell of that grid has the same slot in memory for as
/// long as it is within, so scrolling touches only what enters.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    layout: Layout,
    /// Cells per metre.
    per_m: f64,
    /// Column and row, in the infinite grid, of the corner of least x and y.
    first: [i64; 2],
    /// Where the origin of the infinite grid is, m in the odometry frame.
    origin_m: [f64; 2],
    /// The corner, m in the odometry frame, and its slot along each axis.
    corner_m: [f64; 2],
    corner_slot: [usize; 2],
}

impl Window {
    /// Centred on the origin.
    pub(crate) fn new(layout: Layout) -> Self {
        let mut window = Self {
            layout,
            per_m: 1.0 / layout.cell_m(),
            first: [0; 2],
            origin_m: [0.0; 2],
            corner_m: [0.0; 2],
            corner_slot: [0; 2],
        };
        window.put([-(layout.cells_per_side() as i64 / 2); 2]);
        window
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The middle, m in the odometry frame.
    pub(crate) fn middle(&self) -> Point2<f64> {
        let half_m = self.layout.cells_per_side() as f64 / 2.0 * self.layout.cell_m();
        Point2::new(self.corner_m[0] + half_m, self.corner_m[1] + half_m)
    }

    fn put(&mut self, first: [i64; 2]) {
        self.first = first;
        self.corner_m = std::array::from_fn(|axis| first[axis] as f64 * self.layout.cell_m() + self.origin_m[axis]);
        // The remainder is less than the number of cells and not negative.
        self.corner_slot = first.map(|first| first.rem_euclid(self.layout.cells_per_side() as i64) as usize);
    }

    /// Moves all cells, m in the odometry frame.
    pub(crate) fn shift(&mut self, by: &Vector2<f64>) {
        self.origin_m = [self.origin_m[0] + by.x, self.origin_m[1] + by.y];
        self.put(self.first);
    }

    /// Scrolls so that the middle cell holds this point. Calls `enters` with the slot of each cell that enters.
    pub(crate) fn centre_on(&mut self, at: &Point2<f64>, mut enters: impl FnMut(usize)) {
        let side = self.layout.cells_per_side();
        let cells = [at.x - self.origin_m[0], at.y - self.origin_m[1]].map(|m| (m / self.layout.cell_m()).floor());
        if !cells.iter().all(|cell| cell.abs() < FARTHEST_CELLS) {
            return;
        }
        let first = cells.map(|cell| cell as i64 - side as i64 / 2);
        let by = [first[0] - self.first[0], first[1] - self.first[1]];
        self.put(first);
        let columns = entered(by[0], side);
        self.span_slots(columns.clone(), 0..side, &mut enters);
        let (stay, rows) =
            (if columns.start == 0 { columns.end..side } else { 0..columns.start }, entered(by[1], side));
        self.span_slots(stay, rows, &mut enters);
    }

    fn span_slots(&self, columns: Range<usize>, rows: Range<usize>, visit: &mut impl FnMut(usize)) {
        Span { columns, rows }.indices().for_each(|index| visit(self.slot(index)));
    }

    /// Where in memory a cell of the window is.
    #[inline]
    pub(crate) fn slot(&self, index: Index) -> usize {
        let side = self.layout.cells_per_side();
        let wrapped = |slot: usize| if slot < side { slot } else { slot - side };
        wrapped(index.row + self.corner_slot[1]) * side + wrapped(index.column + self.corner_slot[0])
    }

    /// The cell that holds a point, if that is within.
    #[inline]
    pub(crate) fn index(&self, x_m: f64, y_m: f64) -> Option<Index> {
        let side = self.layout.cells_per_side() as f64;
        let (column, row) = ((x_m - self.corner_m[0]) * self.per_m, (y_m - self.corner_m[1]) * self.per_m);
        let is_within = column >= 0.0 && column < side && row >= 0.0 && row < side;
        is_within.then_some(Index { column: column as usize, row: row as usize })
    }

    /// The centre of a cell, m in the odometry frame.
    #[inline]
    pub(crate) fn centre_of(&self, index: Index) -> Point2<f64> {
        Point2::new(self.centre_along(0, index.column), self.centre_along(1, index.row))
    }

    /// The centre along an axis of a column or a row, m in the odometry frame.
    #[inline]
    pub(crate) fn centre_along(&self, axis: usize, cells: usize) -> f64 {
        // From whole numbers, so that a cell has the same centre, to the bit, wherever the window is.
        ((self.first[axis] + cells as i64) as f64 + 0.5) * self.layout.cell_m() + self.origin_m[axis]
    }

    /// The cells that a rectangle touches, without those outside of the window; none where a corner is not a number.
    pub(crate) fn span(&self, least: &Point2<f64>, most: &Point2<f64>) -> Span {
        let side = self.layout.cells_per_side() as f64;
        // Casts of NaN are 0, and so is the end of what is left of the window.
        let cells =
            |m: f64, axis: usize, add: f64| ((m - self.corner_m[axis]) * self.per_m + add).clamp(0.0, side) as usize;
        let along = |axis: usize| cells(least[axis], axis, 0.0)..cells(most[axis], axis, 1.0);
        Span { columns: along(0), rows: along(1) }
    }

    /// The cell beside one, along x, and the cell above it, along y, if they are in the window.
    #[inline]
    pub(crate) fn neighbours(&self, index: Index) -> (Option<Index>, Option<Index>) {
        let side = self.layout.cells_per_side();
        let beside = Index { column: index.column + 1, ..index };
        let above = Index { row: index.row + 1, ..index };
        ((beside.column < side).then_some(beside), (above.row < side).then_some(above))
    }

    /// The cells that the square about a disc touches.
    pub(crate) fn span_about(&self, at: &Point2<f64>, radius_m: f64) -> Span {
        let by = nalgebra::Vector2::repeat(radius_m);
        self.span(&(at - by), &(at + by))
    }
}

/// The cells along an axis that enter when the window moves by so many cells.
fn entered(by: i64, side: usize) -> Range<usize> {
    let count = usize::try_from(by.unsigned_abs()).unwrap_or(side).min(side);
    if by > 0 { side - count..side } else { 0..count }
}
