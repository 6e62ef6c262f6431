//! Speeds and accelerations of logged angles, without the lag that a live sampler has.
//!
//! A polynomial of fourth degree is fitted to the samples on both sides of each (Savitzky & Golay 1964), so that
//! neither phase nor, for slow motion, size is changed.

use hexapod_kinematics::{JointMotion, LegAngles, math};
use nalgebra::{DMatrix, DVector};

/// Coefficients of a polynomial of fourth degree.
const COEFFICIENTS: usize = 5;

/// Samples that cannot be smoothed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SmoothError {
    /// The step time is not a time.
    #[error("step time is {0} s; give a finite time above zero")]
    StepTime(f64),
    /// Too few samples on either side for a polynomial of fourth degree.
    #[error("{0} samples on either side; give 3 to 50")]
    HalfWindow(usize),
}

/// Motion at each sample from itself and `half_window` samples on either side, all `step_s` apart. It is not valid at
/// both ends, and where a sample nearby is missing or not finite.
///
/// # Errors
/// [`SmoothError`] for a step that is not above zero or a window outside 3 to 50.
pub fn smooth_motion(samples: &[LegAngles], step_s: f64, half_window: usize) -> Result<Vec<JointMotion>, SmoothError> {
    if !(step_s.is_finite() && step_s > 0.0) {
        return Err(SmoothError::StepTime(step_s));
    }
    let weights = weights(half_window).ok_or(SmoothError::HalfWindow(half_window))?;
    let scale = [1.0, 1.0 / step_s, 2.0 / (step_s * step_s)];
    let at = |k: usize| -> JointMotion {
        let middle = samples.get(k).copied().unwrap_or(LegAngles::zeros(0));
        let none = LegAngles::zeros(middle.len());
        let invalid = JointMotion { angles: middle, speeds: none, accelerations: none, valid: false };
        let first = k.checked_sub(half_window);
        let Some(window) = first.and_then(|first| samples.get(first..=k + half_window)) else { return invalid };
        if window.iter().any(|sample| sample.len() != middle.len() || !sample.is_finite()) {
            return invalid;
        }
        let [angles, speeds, accelerations] = [0, 1, 2].map(|order| {
            LegAngles::from_fn(middle.len(), |joint| {
                let sum: f64 = weights.row(order).iter().zip(window).map(|(w, s)| w * (s[joint] - middle[joint])).sum();
                scale[order] * sum + if order == 0 { middle[joint] } else { 0.0 }
            })
        });
        JointMotion { angles, speeds, accelerations, valid: true }
    };
    Ok((0..samples.len()).map(at).collect())
}

/// A row of weights per coefficient of the polynomial, a column per sample.
fn weights(half_window: usize) -> Option<DMatrix<f64>> {
    if !(3..=50).contains(&half_window) {
        return None;
    }
    // In units of the window, so that powers stay of the same size.
    let unit = half_window as f64;
    let place = |k: usize| (k as f64 - unit) / unit;
    let powers =
        DMatrix::from_fn(2 * half_window + 1, COEFFICIENTS, |k, power| math::whole_power(place(k), power as u32));
    let mut weights = (powers.transpose() * &powers).try_inverse()? * powers.transpose();
    let units = DVector::from_fn(COEFFICIENTS, |power, _| math::whole_power(unit, power as u32).recip());
    weights.row_iter_mut().zip(units.iter()).for_each(|(mut row, unit)| row *= *unit);
    Some(weights)
}
