//! Speeds and accelerations from angles at uneven times: a parabola through the last samples, by least squares.
//!
//! Drivers report not quite evenly, and messages are lost on the way. Taken for even, times that are off by a few
//! milliseconds make accelerations of a hundred rad/s².

use hexapod_kinematics::{JointMotion, LegAngles};
use nalgebra::{Matrix3, Vector3};

/// Time that the parabola spans, s, where samples are not too rare or too many for that. A longer one makes
/// accelerations quieter and later: a swing of a third of a second changes them within 50 ms.
pub(super) const SPAN_S: f64 = 0.03;
/// Fraction of the span that is enough: stamps are not quite even.
const SPAN_FRACTION: f64 = 0.9;
const FEWEST: usize = 3;
/// The fewest may be spread over this, s: 20 Hz with one of them lost. More says too little of a swing.
const LONGEST_SPAN_S: f64 = 0.16;
const MOST: usize = 9;

/// The last samples of a leg's angles.
#[derive(Clone, Debug)]
pub(super) struct Track {
    /// Angles, rad, and how long before the newest they were taken, s; newest first.
    samples: [(LegAngles, f64); MOST],
    count: usize,
}

impl Track {
    pub(super) fn new(joints: usize) -> Self {
        Self { samples: [(LegAngles::zeros(joints), 0.0); MOST], count: 0 }
    }

    /// Forgets all samples, as after a gap.
    pub(super) fn reset(&mut self) {
        self.count = 0;
    }

    /// The newest angles.
    pub(super) fn newest(&self) -> Option<&LegAngles> {
        self.samples.first().filter(|_| self.count > 0).map(|(angles, _)| angles)
    }

    /// Adds a sample `step_s` after the last one. Gives the motion, valid once enough is known, and the longest time
    /// between two of the samples it rests on, s.
    pub(super) fn add(&mut self, angles: &LegAngles, step_s: f64) -> (JointMotion, f64) {
        self.samples.iter_mut().for_each(|(_, age)| *age += step_s);
        self.samples.rotate_right(1);
        if let Some(first) = self.samples.first_mut() {
            *first = (*angles, 0.0);
        }
        self.count = (self.count + 1).min(MOST);
        let still = LegAngles::zeros(angles.len());
        let motion = JointMotion { angles: *angles, speeds: still, accelerations: still, valid: false };
        let Some(used) = self.used() else { return (motion, step_s) };
        let pairs = used.iter().zip(used.iter().skip(1));
        let longest_s = pairs.map(|((_, newer), (_, older))| older - newer).fold(0.0, f64::max);
        let fitted =
            fit(used).map(|[speeds, accelerations]| JointMotion { speeds, accelerations, valid: true, ..motion });
        (fitted.unwrap_or(motion), longest_s)
    }

    /// The samples that make up the span.
    fn used(&self) -> Option<&[(LegAngles, f64)]> {
        let known = self.samples.get(..self.count)?;
        let spans = known.iter().position(|(_, age)| *age >= SPAN_FRACTION * SPAN_S);
        let enough = spans.map(|last| (last + 1).max(FEWEST)).or((self.count == MOST).then_some(MOST))?;
        known.get(..enough).filter(|used| used.last().is_some_and(|(_, age)| *age <= LONGEST_SPAN_S))
    }
}

/// Slope and second derivative of the parabola at the newest sample.
fn fit(samples: &[(LegAngles, f64)]) -> Option<[LegAngles; 2]> {
    let (newest, _) = samples.first()?;
    let (_, span_s) = samples.last()?;
    // In units of the span, so that all entries are alike in size.
    let row = |age: f64| Vector3::new(1.0, -age / span_s, (age / span_s) * (age / span_s));
    let normal: Matrix3<f64> = samples.iter().map(|(_, age)| row(*age) * row(*age).transpose()).sum();
    let inverse = normal.try_inverse()?;
    let (mut slope, mut curvature) = (LegAngles::zeros(newest.len()), LegAngles::zeros(newest.len()));
    for (angles, age) in samples {
        let weights = inverse * row(*age);
        for (joint, (slope, curvature)) in slope.iter_mut().zip(curvature.iter_mut()).enumerate() {
            // Differences from the newest sample, so that large angles do not cost digits.
            let Some((angle, newest)) = angles.get(joint).zip(newest.get(joint)) else { continue };
            *slope += weights.y * (angle - newest) / span_s;
            *curvature += 2.0 * weights.z * (angle - newest) / (span_s * span_s);
        }
    }
    Some([slope, curvature])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_acceleration_is_constant_expect_it_exactly_whatever_the_times() {
        for steps_ms in [&[20.0, 20.0, 20.0][..], &[20.0, 40.0], &[3.0, 9.0, 1.0, 11.0], &[0.5], &[50.0, 100.0]] {
            let (mut track, mut t, mut last) = (Track::new(3), 0.0, None);
            for k in 0..30 {
                let step_s = steps_ms[k % steps_ms.len()] * 1e-3;
                t += step_s;
                last = Some(track.add(&LegAngles::from([100.0 + 0.3 * t - 4.0 * t * t, t, 0.5]), step_s));
            }
            let (motion, longest_s) = last.unwrap();
            assert!(motion.valid && (motion.speeds[0] - (0.3 - 8.0 * t)).abs() < 1e-6, "{motion:?}");
            assert!((motion.accelerations[0] + 8.0).abs() < 1e-3 && (motion.speeds[1] - 1.0).abs() < 1e-8);
            let most = steps_ms.iter().copied().fold(0.0, f64::max) * 1e-3;
            assert!(longest_s <= most + 1e-12 && longest_s > 0.0, "{longest_s}");
        }
    }

    #[test]
    fn when_too_little_is_known_expect_no_valid_motion() {
        let mut track = Track::new(3);
        let good = LegAngles::from([0.1, 0.2, 0.3]);
        let mut valid = |step_s: f64| track.add(&good, step_s).0.valid;
        assert_eq!([valid(0.01), valid(0.01), valid(0.01), valid(0.01)], [false, false, false, true]);
        track.reset();
        assert!(track.newest().is_none() && !track.add(&good, 0.05).0.valid && !track.add(&good, 0.05).0.valid);
        assert!(track.add(&good, 0.05).0.valid);
        assert!(track.add(&good, 0.1).0.valid, "one is lost");
        assert!((0..20).all(|_| !track.add(&good, 0.1).0.valid), "10 Hz says too little");
    }
}
