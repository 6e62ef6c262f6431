//! Edges: where the ground drops or rises from one cell to the next by more than a foot should meet.

use crate::map::ElevationMap;
use crate::window::Index;
use nalgebra::{Point2, Vector2};
use std::ops::ControlFlow::{self, Break, Continue};

/// So many edges are kept for all candidates; where there are more, each candidate looks for its own, and finds one soon.
const KEPT: usize = 128;

/// The place of an edge: a rectangle, m in the odometry frame.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    middle: Vector2<f64>,
    half_m: Vector2<f64>,
}

impl Edge {
    /// Between two cells. A cell has the height of the upper side of what is in it, so the edge is anywhere in the higher
    /// one. The half of that next to the lower one is taken, which errs by half a cell at most, and not for a foot on the
    /// lower side.
    fn between(map: &ElevationMap, higher: Index, lower: Index) -> Self {
        let (high, low) = (map.window().centre_of(higher), map.window().centre_of(lower));
        let half_m = map.layout().cell_m() / 2.0;
        let along = |same: bool| if same { half_m } else { half_m / 2.0 };
        let half_m = Vector2::new(along(higher.column == lower.column), along(higher.row == lower.row));
        Self { middle: high.coords + (low - high) / 4.0, half_m }
    }

    fn distance_m2(&self, at: &Point2<f64>) -> f64 {
        let beyond = (at.coords - self.middle).abs() - self.half_m;
        beyond.sup(&Vector2::zeros()).norm_squared()
    }
}

/// The edges of some part of the map.
pub(crate) struct Edges<'a> {
    map: &'a ElevationMap,
    least_step_m: f64,
    kept: [Edge; KEPT],
    /// More than are kept if there are more than that.
    count: usize,
}

impl<'a> Edges<'a> {
    /// Edges by more than a step, m, within a disc.
    pub(crate) fn about(map: &'a ElevationMap, at: &Point2<f64>, radius_m: f64, least_step_m: f64) -> Self {
        let (mut kept, mut count) = ([Edge::default(); KEPT], 0);
        visit_edges(map, at, radius_m, least_step_m, |edge| {
            let Some(place) = kept.get_mut(count) else {
                count = usize::MAX;
                return Break(());
            };
            *place = edge;
            count += 1;
            Continue(())
        });
        Self { map, least_step_m, kept, count }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How far the nearest edge is from a point of the disc, m, if one is within `reach_m`. Of edges that are nearer than
    /// `enough_m`, any may be the answer.
    pub(crate) fn nearest_m(&self, at: &Point2<f64>, enough_m: f64, reach_m: f64) -> Option<f64> {
        let mut nearest_m2 = f64::INFINITY;
        let mut meet = |edge: &Edge| {
            nearest_m2 = edge.distance_m2(at).min(nearest_m2);
            if nearest_m2 < enough_m * enough_m { Break(()) } else { Continue(()) }
        };
        match self.kept.get(..self.count) {
            Some(kept) => _ = kept.iter().try_for_each(meet),
            None => {
                // On ground so broken one is mostly in the cell itself.
                for radius_m in [0.0, reach_m] {
                    visit_edges(self.map, at, radius_m, self.least_step_m, |edge| meet(&edge));
                }
            }
        }
        let nearest_m = nearest_m2.sqrt();
        (nearest_m < reach_m).then_some(nearest_m)
    }
}

/// Goes through the edges in a disc, and maybe some near it, until `visit` breaks off.
fn visit_edges(
    map: &ElevationMap,
    at: &Point2<f64>,
    radius_m: f64,
    least_step_m: f64,
    mut visit: impl FnMut(Edge) -> ControlFlow<()>,
) {
    // The lower cell of an edge that is just within may be just outside.
    for index in map.window().span_about(at, radius_m + map.layout().cell_m()).indices() {
        let Some(here_m) = map.height_m(index) else { continue };
        let (beside, above) = map.window().neighbours(index);
        let mut meet = |other: Option<Index>| {
            let Some((other, there_m)) = other.and_then(|other| Some((other, map.height_m(other)?))) else {
                return Continue(());
            };
            if (there_m - here_m).abs() <= least_step_m {
                return Continue(());
            }
            let (higher, lower) = if there_m > here_m { (other, index) } else { (index, other) };
            visit(Edge::between(map, higher, lower))
        };
        if meet(beside).is_break() || meet(above).is_break() {
            return;
        }
    }
}
