//! How high the ground is.

use super::blocks::{self, Block};
use super::pieces::{BELOW_M, COARSE_M};
use super::{Ground, HeightMap, Terrain};

impl Ground {
    /// Height in m from which nothing of the ground is touched between two x and two y, m.
    pub fn highest_within(&self, x: [f64; 2], y: [f64; 2]) -> f64 {
        let highest = |blocks: Vec<Block>| {
            let tops = blocks.iter().filter(|block| overlap(block.x, x) && overlap(block.y, y)).map(|block| block.top);
            tops.reduce(f64::max).unwrap_or_default()
        };
        match &self.terrain {
            Terrain::Nothing | Terrain::Flat => 0.0,
            Terrain::Ramp { start, slope, length } => {
                let rise = |x: f64| (x - start).clamp(0.0, *length) * hexapod_kinematics::math::tan(*slope);
                rise(x[0]).max(rise(x[1]))
            }
            Terrain::Steps { start, rise, tread, count } => highest(blocks::steps(*start, *rise, *tread, *count)),
            Terrain::Gaps { plank, gap, count } => highest(blocks::gaps(*plank, *gap, *count)),
            Terrain::Rubble { height, stone, reach, seed } => {
                highest(blocks::rubble(*height, *stone, *reach, *seed)).max(0.0)
            }
            Terrain::Heights(map) => of_hills(map, x, y),
        }
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
