//! How rough the ground is, by how far from a plane feet have met it: body and levelling follow a plane, whose slope is not
//! roughness. Feet are lifted higher the rougher it is, from their next lift-off on.

use crate::gait::rough::RoughLevels;
use crate::plane::grid::GRID_S;
use crate::plane::nearest::NearestPlane;
use crate::state::State;
use crate::state::mode::Mode;

/// The ground of the last cycle or so.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroundWalked {
    /// Mean square of how far feet have met it from a plane, m^2.
    mean_square: f64,
    /// Of the levels in `config/gaits.yaml`, from 1; 0 where it is not rough.
    pub level: usize,
}

impl GroundWalked {
    /// Root mean square of how far feet have met the ground from a plane, m.
    pub(crate) fn height(&self) -> f64 {
        self.mean_square.sqrt()
    }

    /// How rough it is at the next point of the grid: a robot that sits has left its ground behind.
    #[inline]
    pub(crate) fn next(self, levels: &RoughLevels, start: &State) -> Self {
        match start.mode {
            Mode::Walking if !levels.is_empty() => self.after(levels, distance(start), GRID_S / start.walk.cycle),
            Mode::Sitting => Self::default(),
            _ => self,
        }
    }

    /// After ground on which feet are so far from a plane, m, for this part of a cycle.
    fn after(self, levels: &RoughLevels, distance: f64, part: f64) -> Self {
        let mean_square = self.mean_square + (distance * distance - self.mean_square) * part.clamp(0.0, 1.0);
        let level = levels.level_after(self.level, mean_square.sqrt());
        Self { mean_square, level }
    }
}

/// How far from a plane feet have met the ground last, m.
fn distance(start: &State) -> f64 {
    let points = || start.walk.met();
    NearestPlane::through(points).spread(points)
}
