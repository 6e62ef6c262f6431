//! The reachable set of a foot at one height, on a grid.

use nalgebra::Vector3;

use crate::leg::Leg;

/// Most cells along one side.
const MAX_CELLS: usize = 2000;

/// Reachable points of a horizontal plane of the body frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    corner: [f64; 2],
    spacing: f64,
    height: f64,
    columns: usize,
    reachable: Vec<bool>,
}

impl Slice {
    /// The reachable set of a leg at height `height` of the body frame (m), on a grid of this spacing (m). A spacing that
    /// is too fine for the leg's length, or not a length, is made the finest that is not.
    pub fn new(leg: &Leg, height: f64, spacing: f64) -> Self {
        let radius = leg.length();
        let finest = 2.0 * radius / (MAX_CELLS as f64 - 2.0);
        let spacing = if spacing > finest { spacing } else { finest };
        let columns = (2.0 * radius / spacing).ceil() as usize + 1;
        let hip = leg.hip_in_body();
        let corner = [hip.x - radius, hip.y - radius];
        let mut slice = Self { corner, spacing, height, columns, reachable: vec![] };
        let mut seed = leg.posture();
        let cells = 0..columns * columns;
        slice.reachable = cells
            .map(|cell| match leg.inverse(&slice.point(cell), &seed) {
                Ok(angles) => {
                    seed = angles;
                    true
                }
                Err(_) => false,
            })
            .collect();
        slice
    }

    /// Spacing of the grid, m.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Area that is reachable, m².
    pub fn area(&self) -> f64 {
        self.reachable.iter().filter(|r| **r).count() as f64 * self.spacing * self.spacing
    }

    /// The reachable points of the grid in the body frame, m.
    pub fn points(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        self.reachable.iter().enumerate().filter(|(_, r)| **r).map(|(cell, _)| self.point(cell))
    }

    /// The border of the reachable set as line segments between grid corners in the body frame's x-y plane, m: what a
    /// plot draws.
    pub fn border(&self) -> Vec<[[f64; 2]; 2]> {
        let half = 0.5 * self.spacing;
        let mut segments = Vec::new();
        for cell in 0..self.reachable.len() {
            let (row, column) = (cell / self.columns, cell % self.columns);
            let p = self.point(cell);
            if self.is_in(row, column) {
                let sides = [
                    (self.is_in(row, column + 1), [[half, -half], [half, half]]),
                    (column > 0 && self.is_in(row, column - 1), [[-half, half], [-half, -half]]),
                    (self.is_in(row + 1, column), [[half, half], [-half, half]]),
                    (row > 0 && self.is_in(row - 1, column), [[-half, -half], [half, -half]]),
                ];
                let open = sides.iter().filter(|(neighbour, _)| !neighbour);
                segments.extend(open.map(|(_, ends)| ends.map(|[dx, dy]| [p.x + dx, p.y + dy])));
            }
        }
        segments
    }

    fn is_in(&self, row: usize, column: usize) -> bool {
        column < self.columns && self.reachable.get(row * self.columns + column).copied().unwrap_or(false)
    }

    fn point(&self, cell: usize) -> Vector3<f64> {
        let [x, y] = self.corner;
        let (row, column) = (cell / self.columns, cell % self.columns);
        Vector3::new(x + column as f64 * self.spacing, y + row as f64 * self.spacing, self.height)
    }
}
