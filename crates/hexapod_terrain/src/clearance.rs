//! What a foot in the air must clear.

use crate::map::ElevationMap;
use crate::window::Index;
use nalgebra::{Point2, Vector2};

/// The highest known ground, m along z of the odometry frame, that a foot of this half width, m, passes over on the straight
/// line between two points of the odometry frame, ends included: what the swing apex has to clear. `None` where nothing is
/// known. Cells count that the corridor touches, even if their centres are outside.
#[must_use]
pub fn highest_between(map: &ElevationMap, from: &Point2<f64>, to: &Point2<f64>, half_width_m: f64) -> Option<f64> {
    cells_between(map, *from, *to, half_width_m).filter_map(|index| map.height_m(index)).reduce(f64::max)
}

/// The cells of the map that a straight corridor between two points of the odometry frame touches, ends included.
pub(crate) fn cells_between(
    map: &ElevationMap,
    from: Point2<f64>,
    to: Point2<f64>,
    half_width_m: f64,
) -> impl Iterator<Item = Index> {
    let (window, way) = (map.window(), to - from);
    let half_diagonal_m = map.layout().cell_m() * std::f64::consts::FRAC_1_SQRT_2;
    let reach_m = half_width_m.max(0.0) + half_diagonal_m;
    let length_m2 = way.norm_squared();
    let per_length_m2 = if length_m2 > 0.0 { 1.0 / length_m2 } else { 0.0 };
    let by = Vector2::repeat(reach_m);
    window.span(&(from.inf(&to) - by), &(from.sup(&to) + by)).indices().filter(move |index| {
        let from_start = window.centre_of(*index) - from;
        let share = (from_start.dot(&way) * per_length_m2).clamp(0.0, 1.0);
        (from_start - share * way).norm_squared() <= reach_m * reach_m
    })
}
