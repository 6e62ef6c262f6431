//! What numbers are believed, and how one that is not is reported.

use std::ops::RangeInclusive;

use crate::calibration::error::ServoConfigError as E;

/// No servo has pulse limits outside these, in microseconds.
pub const PULSE_US: RangeInclusive<f64> = 300.0..=2700.0;

/// Angles of a servo are believed up to this: a turn either way.
pub(in crate::calibration) const GREATEST_ANGLE_RAD: f64 = 6.3;

/// All that is wrong, in the order in which it was found.
pub(super) type Findings = Vec<E>;

/// The value, or nothing where an error stands in its place, which is taken down.
pub(super) fn note<T>(found: &mut Findings, result: Result<T, E>) -> Option<T> {
    result.map_err(|error| found.push(error)).ok()
}

pub(super) fn finite(value: f64, path: impl Fn() -> String) -> Result<(), E> {
    if value.is_finite() { Ok(()) } else { Err(E::NotFinite { path: path(), value }) }
}

pub(super) fn within(
    value: f64,
    range: RangeInclusive<f64>,
    path: &impl Fn(&str) -> String,
    key: &str,
    error: impl Fn(String, f64) -> E,
) -> Result<f64, E> {
    finite(value, || path(key))?;
    if range.contains(&value) { Ok(value) } else { Err(error(path(key), value)) }
}
