//! Numbers that no robot has, most often because they are in another unit.

use hexapod_config::units::{short, slip};
use hexapod_config::{ConfigError, Document, Faults};

/// Angles of a joint are believed up to a turn either way, rad.
pub(crate) const TURN_RAD: f64 = std::f64::consts::TAU;
/// Leans of a body are believed up to this, rad.
pub(crate) const LEAN_RAD: f64 = std::f64::consts::FRAC_PI_2;
/// Lengths of a robot are believed up to this, m.
pub(crate) const LENGTH_M: f64 = 2.0;

/// Refuses a number beyond `greatest` either way.
///
/// # Errors
/// Says which unit is meant, and what the number would be if it were in the usual other one.
pub(crate) fn check(document: &Document, path: &str, value: f64, greatest: f64, unit: &str) -> Result<(), ConfigError> {
    if (-greatest..=greatest).contains(&value) {
        return Ok(());
    }
    let most = short(greatest);
    let range = format!("give a number between -{most} and {most} {unit}");
    let help = slip(value, -greatest, greatest, unit).unwrap_or(range);
    Err(document.error_at(path, format!("{value} {unit} is out of range"), help))
}

/// As [`check`], of several keys below one.
pub(crate) fn check_all(
    document: &Document,
    at: &str,
    values: &[(&str, Option<f64>)],
    (greatest, unit): (f64, &str),
    faults: &mut Faults,
) {
    for (key, value) in values {
        if let Some(value) = value {
            faults.note(check(document, &format!("{at}.{key}"), *value, greatest, unit));
        }
    }
}
