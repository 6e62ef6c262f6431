//! Terrain of upright blocks: stairs, stones, planks.

use super::{FLAT_M, Terrain};
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

impl Terrain {
    /// The blocks that it is made of, beside a floor; none where it is made of something else.
    pub(super) fn blocks(&self) -> Vec<Block> {
        match self {
            Self::Nothing | Self::Flat | Self::Ramp { .. } | Self::Heights(_) => Vec::new(),
            Self::Steps { start, rise, tread, count } => flight(*start, *tread, &climb(*rise, *count)),
            Self::Stairs { start, rise, tread, count } => flight(*start, *tread, &up_and_down(*rise, *count)),
            Self::Gaps { plank, gap, count } => gaps(*plank, *gap, *count),
            Self::Stones { stone, pitch, reach } => stones(*stone, *pitch, *reach),
            Self::Rubble { height, stone, reach, seed } => {
                let mut random = Random(*seed);
                field(*stone, *reach, || height * random.unit())
            }
            Self::Stepfield { height, cell, reach, seed } => {
                let mut random = Random(*seed);
                field(*cell, *reach, || height * (LEVELS * random.unit()).floor() / (LEVELS - 1.0))
            }
        }
    }
}

/// Heights of posts in a stepfield.
const LEVELS: f64 = 5.0;
/// Length of the landing at the top of stairs, in treads.
const LANDING: usize = 4;

fn climb(rise: f64, count: usize) -> Vec<f64> {
    (1..=count).map(|n| n as f64 * rise).collect()
}

fn up_and_down(rise: f64, count: usize) -> Vec<f64> {
    let landing = std::iter::repeat_n(count as f64 * rise, LANDING - 1);
    let up = climb(rise, count);
    up.iter().copied().chain(landing).chain(up.iter().rev().skip(1).copied()).chain([0.0]).collect()
}

/// A floor, and treads of such heights from `start` on; the last one goes on.
fn flight(start: f64, tread: f64, tops: &[f64]) -> Vec<Block> {
    let step = |(n, top): (usize, &f64)| {
        let from = start + n as f64 * tread;
        let to = if n + 1 == tops.len() { FAR } else { from + tread };
        Block { x: [from, to], y: [-FAR, FAR], top: *top }
    };
    let floor = Block { x: [-FAR, if tops.is_empty() { FAR } else { start }], y: [-FAR, FAR], top: 0.0 };
    std::iter::once(floor).chain(tops.iter().enumerate().map(step)).collect()
}

fn gaps(plank: f64, gap: f64, count: usize) -> Vec<Block> {
    let ends = |n: usize| FLAT_M + n as f64 * (plank + gap) + gap;
    let planks = (0..count).map(|n| {
        let to = if n + 1 == count { FAR } else { ends(n) + plank };
        Block { x: [ends(n), to], y: [-FAR, FAR], top: 0.0 }
    });
    let floor = Block { x: [-FAR, if count > 0 { FLAT_M } else { FAR }], y: [-FAR, FAR], top: 0.0 };
    std::iter::once(floor).chain(planks).collect()
}

/// Blocks side by side beyond the flat square. Each has its own height whatever the others are, and none is lower than the
/// floor.
fn field(edge: f64, reach: f64, mut top: impl FnMut() -> f64) -> Vec<Block> {
    let edge = edge.max(LEAST_BLOCK_M);
    let mut all = Vec::new();
    for place in places(edge, reach) {
        let [x, y] = place.map(|index| [index as f64 * edge, (index + 1) as f64 * edge]);
        let block = Block { x, y, top: top() };
        let is_flat = |[from, to]: [f64; 2]| from < FLAT_M && to > -FLAT_M;
        if !(is_flat(block.x) && is_flat(block.y)) {
            all.push(block);
        }
    }
    all
}

/// A slab where the robot starts, and stones about it.
fn stones(stone: f64, pitch: f64, reach: f64) -> Vec<Block> {
    let (pitch, slab) = (pitch.max(LEAST_BLOCK_M), [-FLAT_M, FLAT_M]);
    let around = |index: i64| [index as f64 * pitch - 0.5 * stone, index as f64 * pitch + 0.5 * stone];
    let all = places(pitch, reach).map(|[x, y]| Block { x: around(x), y: around(y), top: 0.0 });
    let is_within = |[from, to]: [f64; 2]| from >= slab[0] && to <= slab[1];
    let beyond = all.filter(|block| !(is_within(block.x) && is_within(block.y)));
    std::iter::once(Block { x: slab, y: slab, top: 0.0 }).chain(beyond).collect()
}

/// The places of a square grid, counted along x and y from the origin.
fn places(pitch: f64, reach: f64) -> impl Iterator<Item = [i64; 2]> {
    let half = (reach / pitch).clamp(0.0, MOST_BLOCKS) as i64;
    (-half..half).flat_map(move |row| (-half..half).map(move |column| [row, column]))
}

/// The engine finds its way among thousands of blocks, not among millions.
const LEAST_BLOCK_M: f64 = 0.005;
const MOST_BLOCKS: f64 = 100.0;
