//! Feet that feel the ground stand higher or deeper than planned, and one that is told late of it, too deep: the body
//! goes back to its height over the mean of the feet that stand. So it follows stairs and slopes, and late contacts do
//! not add up.

use crate::plan::body::height::SAME;
use crate::plan::context::Context;
use crate::plane::grid::GRID_S;
use crate::plane::limits::gentle;
use crate::state::State;
use nalgebra::Vector1;

/// How fast the body goes back to its height, m/s, and how fast that changes, m/s^2.
const LEVEL_RATE_M_S: f64 = 0.02;
const LEVEL_M_S2: f64 = 0.1;

/// How fast the ground comes up under the body until the next point of the grid, m/s.
pub(crate) fn level_rate(cx: &Context, start: &State) -> f64 {
    let depth = if start.mode.steps() { -start.walk.mean_height() } else { 0.0 };
    if depth.abs() < SAME && start.rates.level == 0.0 {
        return 0.0;
    }
    let wanted = (depth / GRID_S).clamp(-LEVEL_RATE_M_S, LEVEL_RATE_M_S);
    let greatest = cx.plant.shift_m_s2().min(LEVEL_M_S2);
    let rate = gentle(Vector1::new(start.rates.level), Vector1::new(wanted), depth.abs(), greatest).x;
    if depth.abs() < SAME && rate.abs() < SAME { 0.0 } else { rate }
}
