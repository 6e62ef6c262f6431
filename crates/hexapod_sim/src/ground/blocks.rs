//! Terrain of upright blocks: stairs, stones, planks.

use super::FLAT_M;
use crate::random::Random;

/// A block: its extent seen from above, and the height of its top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    /// Least and greatest x, m.
    pub x: [f64; 2],
    /// Least and greatest y, m.
    pub y: [f64; 2],
    /// m.
    pub top: f64,
}

/// How far the ground goes on where it has no end, m.
pub(super) const FAR: f64 = 50.0;

pub(super) fn steps(start: f64, rise: f64, tread: f64, count: usize) -> Vec<Block> {
    let step = |n: usize| {
        let from = start + n as f64 * tread;
        let to = if n + 1 == count { FAR } else { from + tread };
        Block { x: [from, to], y: [-FAR, FAR], top: (n + 1) as f64 * rise }
    };
    let floor = Block { x: [-FAR, if count > 0 { start } else { FAR }], y: [-FAR, FAR], top: 0.0 };
    std::iter::once(floor).chain((0..count).map(step)).collect()
}

pub(super) fn gaps(plank: f64, gap: f64, count: usize) -> Vec<Block> {
    let ends = |n: usize| FLAT_M + n as f64 * (plank + gap) + gap;
    let planks = (0..count).map(|n| {
        let to = if n + 1 == count { FAR } else { ends(n) + plank };
        Block { x: [ends(n), to], y: [-FAR, FAR], top: 0.0 }
    });
    let floor = Block { x: [-FAR, if count > 0 { FLAT_M } else { FAR }], y: [-FAR, FAR], top: 0.0 };
    std::iter::once(floor).chain(planks).collect()
}

/// Stones beyond the flat square. Each has its own height whatever the others are, and none is lower than the floor.
pub(super) fn rubble(height: f64, stone: f64, reach: f64, seed: u64) -> Vec<Block> {
    let stone = stone.max(LEAST_STONE_M);
    let half = (reach / stone).clamp(0.0, MOST_STONES) as i64;
    let mut random = Random(seed);
    let mut stones = Vec::new();
    for row in -half..half {
        for column in -half..half {
            let [x, y] = [row, column].map(|index| [index as f64 * stone, (index + 1) as f64 * stone]);
            let top = height * random.unit();
            let flat = |[from, to]: [f64; 2]| from < FLAT_M && to > -FLAT_M;
            if !(flat(x) && flat(y)) {
                stones.push(Block { x, y, top });
            }
        }
    }
    stones
}

/// The engine finds its way among thousands of stones, not among millions.
const LEAST_STONE_M: f64 = 0.005;
const MOST_STONES: f64 = 100.0;
