//! The grid of time on which decisions are taken.

/// Commands are taken and limits applied at multiples of this time, whatever the rate of the ticks; between them all
/// goes on in closed form. So the path does not depend on the rate.
pub(crate) const GRID_NS: u64 = 10_000_000;
/// [`GRID_NS`] in seconds.
pub(crate) const GRID_S: f64 = GRID_NS as f64 * 1e-9;
