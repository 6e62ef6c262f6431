//! How high the ground is.

use super::pieces::{BELOW_M, COARSE_M};
use super::{Ground, HeightMap, Terrain};

impl Ground {
    /// Height in m from which nothing of the ground is touched between two x and two y, m.
    pub fn highest_within(&self, x: [f64; 2], y: [f64; 2]) -> f64 {
        match &self.terrain {
            Terrain::Nothing | Terrain::Flat => 0.0,
            Terrain::Ramp { start, slope, length } => {
                let rise = |x: f64| (x - start).clamp(0.0, *length) * hexapod_kinematics::math::tan(*slope);
                rise(x[0]).max(rise(x[1]))
            }
            Terrain::Steps { .. } | Terrain::Stairs { .. } | Terrain::Gaps { .. } | Terrain::Stones { .. } => {
                self.highest_block(x, y).unwrap_or_default()
            }
            Terrain::Rubble { .. } | Terrain::Stepfield { .. } => self.highest_block(x, y).unwrap_or_default().max(0.0),
            Terrain::Heights(map) => of_hills(map, x, y),
        }
    }

    fn highest_block(&self, x: [f64; 2], y: [f64; 2]) -> Option<f64> {
        let blocks = self.terrain.blocks().into_iter();
        let touched = blocks.filter(|block| overlap(block.x, x) && overlap(block.y, y));
        touched.map(|block| block.top).reduce(f64::max)
    }
}

/// Of the floor around them, and of the points of all triangles that reach between.
fn of_hills(map: &HeightMap, x: [f64; 2], y: [f64; 2]) -> f64 {
    // As far as the coarser hills reach that the body meets.
    let margin = map.cell().max(2.0 * COARSE_M * f64::from(u8::from(map.cells_to(COARSE_M) > 1)));
    let around = |[from, to]: [f64; 2]| [from - margin, to + margin];
    map.highest_within(around(x), around(y)).unwrap_or_else(|| map.lowest() - BELOW_M)
}

fn overlap(one: [f64; 2], other: [f64; 2]) -> bool {
    one[0] <= other[1] && other[0] <= one[1]
}
