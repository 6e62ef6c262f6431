//! Where feet were a moment ago, which separates those that slide from the others.

use crate::ground::{Flags, both};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;
use std::time::Duration;

/// Feet are compared with those of this long ago at least, and of twice that at most.
const AGO: Duration = Duration::from_millis(60);
/// The noise of angles that are measured is a mean over so many samples; and feet miss one motion by less than so many times
/// what the three that fit it best do.
const SAMPLES: f64 = 30.0;
const MISFITS: f64 = 25.0;

/// Feet in the body at a time, and those that have stayed on the ground since.
#[derive(Clone, Copy, Debug)]
struct Then {
    time: Duration,
    feet: [Vector3<f64>; MAX_LEGS],
    stayed: Flags,
}

/// Feet of a moment ago, and of a later one that takes its place in turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lately {
    earlier: Option<Then>,
    later: Option<Then>,
    misfit_m: f64,
}

impl Lately {
    /// Takes a sample in, with the feet that are on the ground.
    pub(crate) fn push(&mut self, time: Duration, feet: &[Vector3<f64>; MAX_LEGS], down: &Flags) {
        for then in self.earlier.iter_mut().chain(&mut self.later) {
            then.stayed = both(&then.stayed, down);
        }
        if self.later.is_none_or(|later| time.checked_sub(later.time).is_none_or(|since| since >= AGO)) {
            self.earlier = self.later.replace(Then { time, feet: *feet, stayed: *down });
        }
    }

    /// Where the feet were, and which of them have stayed on the ground since.
    pub(crate) fn feet(&self) -> Option<(&[Vector3<f64>; MAX_LEGS], &Flags)> {
        self.earlier.as_ref().map(|then| (&then.feet, &then.stayed))
    }

    /// Takes in by how little the three feet that fit one motion best have missed it since the sample before, m. By how much
    /// those may miss it that do not slide.
    pub(crate) fn tolerance(&mut self, misfit: f64) -> f64 {
        self.misfit_m += (misfit - self.misfit_m) / SAMPLES;
        MISFITS * self.misfit_m
    }
}
