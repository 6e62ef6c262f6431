//! Joint speeds and accelerations from sampled angles: a parabola through the last samples, by least squares.
//!
//! A plain difference of two samples at 100 Hz turns an error of a milliradian into 0.14 rad/s and its difference into
//! 24 rad/s². A parabola fitted to the last `n` samples (Savitzky & Golay 1964, one-sided) is exact for motion of
//! constant acceleration and averages errors out; its slope and curvature at the newest sample are weighted sums with
//! weights that depend on `n` only.

use nalgebra::{Matrix3, Vector3};

use crate::angles::LegAngles;

/// Fewest and most samples of a fit.
const WINDOW: std::ops::RangeInclusive<usize> = 3..=MAX_WINDOW;
/// Most samples of a fit.
const MAX_WINDOW: usize = 15;

/// Angles, speeds and accelerations of a leg's joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMotion {
    /// Newest angles, rad.
    pub angles: LegAngles,
    /// Speeds, rad/s; zero while not valid.
    pub speeds: LegAngles,
    /// Accelerations, rad/s²; zero while not valid.
    pub accelerations: LegAngles,
    /// True when enough samples came in a row.
    pub valid: bool,
}

/// A sampler that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SamplerError {
    /// The step time is not a time.
    #[error("step time is {0} s; give a finite time above zero")]
    StepTime(f64),
    /// The window is too short for a parabola, or too long.
    #[error("window is {0} samples; give 3 to 15")]
    Window(usize),
}

/// Collects samples taken at a set step time; no allocation.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSampler {
    step_s: f64,
    window: usize,
    /// Newest first.
    samples: [LegAngles; MAX_WINDOW],
    count: usize,
    slope: [f64; MAX_WINDOW],
    curvature: [f64; MAX_WINDOW],
}

impl JointSampler {
    /// A sampler for `joints` joints, a sample each `step_s` seconds, and a fit over `window` samples.
    ///
    /// # Errors
    /// [`SamplerError`] for a step that is not above zero or a window outside 3 to 15.
    pub fn try_new(joints: usize, step_s: f64, window: usize) -> Result<Self, SamplerError> {
        if !(step_s.is_finite() && step_s > 0.0) {
            return Err(SamplerError::StepTime(step_s));
        }
        if !WINDOW.contains(&window) {
            return Err(SamplerError::Window(window));
        }
        let (slope, curvature) = weights(window).ok_or(SamplerError::Window(window))?;
        let samples = [LegAngles::zeros(joints); MAX_WINDOW];
        Ok(Self { step_s, window, samples, count: 0, slope, curvature })
    }

    /// Forgets all samples, as after a gap.
    pub fn reset(&mut self) {
        self.count = 0;
    }

    /// Adds a sample and gives the motion. A sample that is not finite is left out and makes the motion invalid until
    /// enough good ones have followed.
    pub fn add(&mut self, angles: &LegAngles) -> JointMotion {
        let joints = self.samples.first().map_or(0, |s| s.len());
        if angles.len() != joints || !angles.is_finite() {
            self.reset();
            let last = self.samples.first().copied().unwrap_or(LegAngles::zeros(joints));
            return JointMotion { angles: last, speeds: still(joints), accelerations: still(joints), valid: false };
        }
        self.samples.rotate_right(1);
        if let Some(first) = self.samples.first_mut() {
            *first = *angles;
        }
        self.count = (self.count + 1).min(self.window);
        let valid = self.count == self.window;
        if !valid {
            return JointMotion { angles: *angles, speeds: still(joints), accelerations: still(joints), valid };
        }
        let speeds = self.weighted(&self.slope, 1.0 / self.step_s);
        let accelerations = self.weighted(&self.curvature, 1.0 / (self.step_s * self.step_s));
        JointMotion { angles: *angles, speeds, accelerations, valid }
    }

    fn weighted(&self, weights: &[f64; MAX_WINDOW], scale: f64) -> LegAngles {
        // Differences from the newest sample, so that large angles do not cost digits.
        let newest = self.samples.first().copied().unwrap_or(LegAngles::zeros(0));
        LegAngles::from_fn(newest.len(), |joint| {
            let at = |s: &LegAngles| s.get(joint).copied().unwrap_or(0.0);
            let pairs = self.samples.iter().zip(weights).take(self.window);
            scale * pairs.map(|(s, w)| w * (at(s) - at(&newest))).sum::<f64>()
        })
    }
}

fn still(joints: usize) -> LegAngles {
    LegAngles::zeros(joints)
}

/// Weights of the slope and of the second derivative at the newest of `n` samples one step apart.
fn weights(n: usize) -> Option<([f64; MAX_WINDOW], [f64; MAX_WINDOW])> {
    let row = |k: usize| Vector3::new(1.0, -(k as f64), (k * k) as f64);
    let normal: Matrix3<f64> = (0..n).map(|k| row(k) * row(k).transpose()).sum();
    let inverse = normal.try_inverse()?;
    let (mut slope, mut curvature) = ([0.0; MAX_WINDOW], [0.0; MAX_WINDOW]);
    for (k, (s, c)) in slope.iter_mut().zip(&mut curvature).enumerate().take(n) {
        let fitted = inverse * row(k);
        *s = fitted.y;
        *c = 2.0 * fitted.z;
    }
    Some((slope, curvature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_acceleration_is_constant_expect_it_exactly() {
        for window in [3, 5, 9, 15] {
            let mut sampler = JointSampler::try_new(3, 0.01, window).unwrap();
            let mut motion = None;
            for k in 0..20 {
                let t = 0.01 * f64::from(k);
                motion = Some(sampler.add(&LegAngles::from([100.0 + 0.3 * t - 4.0 * t * t, t, 0.5])));
                assert_eq!(motion.unwrap().valid, k + 1 >= window as i32);
            }
            let motion = motion.unwrap();
            assert!((motion.speeds[0] - (0.3 - 8.0 * 0.19)).abs() < 1e-8, "{motion:?}");
            assert!((motion.accelerations[0] + 8.0).abs() < 1e-6);
            assert!((motion.speeds[1] - 1.0).abs() < 1e-10 && motion.speeds[2] == 0.0);
        }
    }

    #[test]
    fn when_a_sample_is_nan_expect_invalid_until_the_window_is_full_again() {
        let mut sampler = JointSampler::try_new(3, 0.01, 3).unwrap();
        let good = LegAngles::from([0.1, 0.2, 0.3]);
        assert!((0..3).map(|_| sampler.add(&good)).last().unwrap().valid);
        let bad = sampler.add(&LegAngles::from([0.1, f64::NAN, 0.3]));
        assert!(!bad.valid && bad.speeds.is_finite() && bad.angles == good);
        assert!(!sampler.add(&good).valid && !sampler.add(&good).valid && sampler.add(&good).valid);
        assert!(!sampler.add(&LegAngles::zeros(4)).valid);
    }

    #[test]
    fn when_step_or_window_cannot_be_expect_an_error() {
        assert!(matches!(JointSampler::try_new(3, 0.0, 5), Err(SamplerError::StepTime(_))));
        assert!(JointSampler::try_new(3, f64::NAN, 5).is_err());
        assert_eq!(JointSampler::try_new(3, 0.01, 2), Err(SamplerError::Window(2)));
        assert_eq!(JointSampler::try_new(3, 0.01, 16), Err(SamplerError::Window(16)));
    }
}
