//! What a foot in the air must clear.

use crate::map::ElevationMap;
use nalgebra::Point2;

/// The highest known ground, m along z of the odometry frame, that a foot of this half width, m, passes over on the straight
/// line between two points of the odometry frame, ends included: what the swing apex has to clear. `None` where nothing is
/// known. Cells count that the corridor touches, even if their centres are outside.
#[must_use]
pub fn highest_between(map: &ElevationMap, from: &Point2<f64>, to: &Point2<f64>, half_width_m: f64) -> Option<f64> {
    let (window, way) = (map.window(), to - from);
    let half_diagonal_m = map.layout().cell_m() * std::f64::consts::FRAC_1_SQRT_2;
    let reach_m = half_width_m.max(0.0) + half_diagonal_m;
    let length_m2 = way.norm_squared();
    let per_length_m2 = if length_m2 > 0.0 { 1.0 / length_m2 } else { 0.0 };
    let by = nalgebra::Vector2::repeat(reach_m);
    let touched = window.span(&(from.inf(to) - by), &(from.sup(to) + by)).indices().filter(|index| {
        let from_start = window.centre_of(*index) - from;
        let share = (from_start.dot(&way) * per_length_m2).clamp(0.0, 1.0);
        (from_start - share * way).norm_squared() <= reach_m * reach_m
    });
    touched.filter_map(|index| map.height_m(index)).reduce(f64::max)
}
