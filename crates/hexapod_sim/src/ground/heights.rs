//! Hills: heights on a grid.

/// Heights of the ground on a grid, triangles between them.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightMap {
    columns: usize,
    rows: usize,
    cell: f64,
    heights: Vec<f64>,
    /// Where it is centred, m.
    middle: [f64; 2],
}

/// Heights that are no ground.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HeightMapError {
    /// Not a grid of at least two by two.
    #[error("{count} heights do not fill {columns} columns and {rows} rows of at least 2")]
    Grid {
        /// How many heights there are.
        count: usize,
        /// Along x.
        columns: usize,
        /// Along y.
        rows: usize,
    },
    /// A height or the length of a cell is not a number, or the cell has no length.
    #[error("{value} is not a height, or not the length of a cell in m")]
    NotFinite {
        /// The value.
        value: f64,
    },
}

impl HeightMap {
    /// Heights in m, row by row from the least y, each from the least x, `cell` m apart; centred on the origin.
    ///
    /// # Errors
    /// [`HeightMapError`].
    pub fn try_new(columns: usize, rows: usize, cell: f64, heights: Vec<f64>) -> Result<Self, HeightMapError> {
        let count = heights.len();
        if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(count) {
            return Err(HeightMapError::Grid { count, columns, rows });
        }
        let bad = heights.iter().copied().find(|height| !height.is_finite());
        match bad.or((!(cell.is_finite() && cell > 0.0)).then_some(cell)) {
            Some(value) => Err(HeightMapError::NotFinite { value }),
            None => Ok(Self { columns, rows, cell, heights, middle: [0.0; 2] }),
        }
    }

    /// From brightnesses, as of a picture whose first row is the farthest to the left (greatest y): 0 is height zero, 1
    /// is `greatest` m.
    ///
    /// # Errors
    /// [`HeightMapError`].
    pub fn from_picture(width: usize, cell: f64, greatest: f64, bright: &[f64]) -> Result<Self, HeightMapError> {
        let rows = bright.chunks(width.max(1)).rev();
        let heights = rows.flatten().map(|bright| bright * greatest).collect();
        Self::try_new(width, bright.len() / width.max(1), cell, heights)
    }

    /// Points along x and along y.
    pub fn size(&self) -> [usize; 2] {
        [self.columns, self.rows]
    }

    /// Length along x and along y, m.
    pub fn extent(&self) -> [f64; 2] {
        [self.columns, self.rows].map(|count| (count - 1) as f64 * self.cell)
    }

    /// Length of a cell, m.
    pub(super) fn cell(&self) -> f64 {
        self.cell
    }

    /// Where it is centred, m.
    pub(super) fn middle(&self) -> [f64; 2] {
        self.middle
    }

    /// How many cells go into a length, m; one at least.
    pub(super) fn cells_to(&self, length: f64) -> usize {
        (length / self.cell).ceil().max(1.0) as usize
    }

    /// A map of cells so many times as long, nowhere below this one, which it covers; none where that is once.
    pub(super) fn coarser(&self, times: usize) -> Option<Self> {
        if times < 2 {
            return None;
        }
        let size = |points: usize| (points - 1).div_ceil(times) + 1;
        let (columns, rows) = (size(self.columns), size(self.rows));
        // Of all points that share a cell with one: first along x, then along y.
        let near = |at: usize, points: usize| {
            let (from, to) = ((at * times).saturating_sub(times), (at * times + times).min(points - 1));
            from.min(points - 1)..=to
        };
        let along =
            |row: usize, column: usize| near(column, self.columns).map(|x| self.at(x, row)).fold(f64::MIN, f64::max);
        let highest: Vec<Vec<f64>> =
            (0..self.rows).map(|row| (0..columns).map(|column| along(row, column)).collect()).collect();
        let of =
            |(row, column): (usize, usize)| near(row, self.rows).map(|y| highest[y][column]).fold(f64::MIN, f64::max);
        let heights = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).map(of).collect();
        let cell = self.cell * times as f64;
        let [x, y] = [(columns, self.columns), (rows, self.rows)]
            .map(|(coarse, fine)| 0.5 * ((coarse - 1) as f64 * cell - (fine - 1) as f64 * self.cell));
        Some(Self { columns, rows, cell, heights, middle: [x, y] })
    }

    /// Least height, m.
    pub fn lowest(&self) -> f64 {
        self.heights.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Place of a point of the grid, m.
    pub fn place(&self, column: usize, row: usize) -> [f64; 2] {
        let [x, y] = self.extent();
        [self.middle[0] + column as f64 * self.cell - 0.5 * x, self.middle[1] + row as f64 * self.cell - 0.5 * y]
    }

    /// Greatest height between two x and two y, m, of the points of the grid; none where it has no point there.
    pub fn highest_within(&self, x: [f64; 2], y: [f64; 2]) -> Option<f64> {
        let within = |[from, to]: [f64; 2], axis: usize, points: usize| {
            let place = move |index: usize| self.place(index, index)[axis];
            let index = |at: f64| (at - place(0)) / self.cell;
            // A point more at either end, for rounding: which are between is looked at.
            let first = (index(from) - 1.0).max(0.0) as usize;
            let end = (index(to) + 2.0).clamp(0.0, points as f64) as usize;
            (first..end).filter(move |&index| (from..=to).contains(&place(index)))
        };
        let points =
            within(y, 1, self.rows).flat_map(|row| within(x, 0, self.columns).map(move |column| (column, row)));
        points.map(|(column, row)| self.at(column, row)).reduce(f64::max)
    }

    /// How much two points differ at most that are no farther than `reach` m from each other along x or y, m: at this
    /// distance, half of it, a quarter, and so on.
    pub(super) fn rise_over(&self, reach: f64) -> f64 {
        let cells = ((reach / self.cell) as usize).max(1);
        let apart: Vec<usize> =
            std::iter::successors(Some(cells), |cells| Some(cells / 2)).take_while(|n| *n > 0).collect();
        let mut most = 0.0_f64;
        for (column, row) in (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (column, row))) {
            for &n in &apart {
                let ends = [(column + n, row), (column, row + n)];
                let there = ends.into_iter().filter(|&(column, row)| column < self.columns && row < self.rows);
                let here = self.at(column, row);
                most = there.map(|(column, row)| (self.at(column, row) - here).abs()).fold(most, f64::max);
            }
        }
        most
    }

    /// Height at a point of the grid, m; zero beyond it.
    pub fn at(&self, column: usize, row: usize) -> f64 {
        if column >= self.columns { 0.0 } else { self.heights.get(row * self.columns + column).copied().unwrap_or(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn rough(columns: usize, rows: usize, cell: f64) -> HeightMap {
        let mut random = Random(3);
        let heights = (0..columns * rows).map(|_| random.unit()).collect();
        HeightMap::try_new(columns, rows, cell, heights).expect("a grid")
    }

    #[test]
    fn when_the_highest_is_asked_between_places_expect_that_of_all_points_there() {
        let map = rough(23, 17, 0.01);
        let mut random = Random(5);
        for _ in 0..500 {
            let mut range = || {
                let (from, length) = (0.3 * (random.unit() - 0.5), 0.1 * random.unit());
                [from, from + length]
            };
            let (x, y) = (range(), range());
            let is_in = |[from, to]: [f64; 2], at: f64| (from..=to).contains(&at);
            let all = (0..17).flat_map(|row| (0..23).map(move |column| (column, row)));
            let there = all.filter(|&(c, r)| is_in(x, map.place(c, r)[0]) && is_in(y, map.place(c, r)[1]));
            assert_eq!(map.highest_within(x, y), there.map(|(c, r)| map.at(c, r)).reduce(f64::max), "{x:?} {y:?}");
        }
    }

    #[test]
    fn when_a_map_is_made_coarser_expect_it_to_cover_it_and_nowhere_below() {
        let (fine, times) = (rough(23, 17, 0.005), 4);
        let coarse = fine.coarser(times).expect("coarser");
        assert_eq!(fine.coarser(1), None);
        let [first, last] = [coarse.place(0, 0), coarse.place(coarse.columns - 1, coarse.rows - 1)];
        let ends = [fine.place(0, 0), fine.place(22, 16)];
        assert!((0..2).all(|axis| (first[axis] - ends[0][axis]).abs() < 1e-12 && last[axis] > ends[1][axis] - 1e-12));
        for (column, row) in (0..17).flat_map(|row| (0..23).map(move |column| (column, row))) {
            // A point of the fine map is within a cell of the coarse one, all of whose corners are as high.
            let corners = [0, 1].map(|dc| [0, 1].map(|dr| coarse.at(column / times + dc, row / times + dr)));
            let lowest = corners.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let is_on_line = column % times == 0 || row % times == 0;
            assert!(lowest >= fine.at(column, row) || is_on_line, "{column} {row}");
            if column % times == 0 && row % times == 0 {
                assert!(coarse.at(column / times, row / times) >= fine.at(column, row));
            }
        }
    }
}
