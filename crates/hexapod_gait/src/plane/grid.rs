//! The grid of time on which decisions are taken.

/// Commands are taken and limits applied at multiples of this time, whatever the rate of the ticks; between them all
/// goes on in closed form. So the path does not depend on the rate.
pub(crate) const GRID_NS: u64 = 10_000_000;
/// [`GRID_NS`] in seconds.
pub(crate) const GRID_S: f64 = GRID_NS as f64 * 1e-9;
/// The longest time that is taken at once, s.
const MOST_S: f64 = 0.1;
/// The shortest, s: over less than half a nanosecond nothing moves.
const LEAST_S: f64 = 0.5e-9;

/// The time that a tick takes which is to take `dt` seconds.
pub(crate) fn tick_s(dt: f64) -> f64 {
    if dt >= LEAST_S && dt.is_finite() { dt.min(MOST_S) } else { 0.0 }
}
