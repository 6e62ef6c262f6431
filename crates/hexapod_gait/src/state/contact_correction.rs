//! What is added to the feet's path before the joints are solved. A foot may so be held elsewhere than the path has it,
//! for a time: one that has pressed into the ground comes back out of it.

use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;

/// How far above its path each foot is held, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ContactCorrection {
    up: [f64; MAX_LEGS],
    is_used: bool,
}

/// Its change per second until the next point of the grid.
pub(crate) type CorrectionRates = [f64; MAX_LEGS];

/// What is less than this is nothing, m.
const LEAST_M: f64 = 1e-9;

impl ContactCorrection {
    pub(crate) const NONE: Self = Self { up: [0.0; MAX_LEGS], is_used: false };

    /// Whether every foot is held where its path has it.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        !self.is_used
    }

    /// Where a foot is held whose path has it there.
    #[inline]
    pub(crate) fn over(&self, leg: usize, path: Vector3<f64>) -> Vector3<f64> {
        if self.is_used { Vector3::new(path.x, path.y, path.z + self.of(leg)) } else { path }
    }

    fn of(&self, leg: usize) -> f64 {
        self.up.get(leg).copied().unwrap_or(0.0)
    }

    /// Holds a foot farther up.
    pub(crate) fn add(&mut self, leg: usize, up: f64) {
        if let Some(own) = self.up.get_mut(leg)
            && up != 0.0
        {
            *own += up;
            self.is_used = true;
        }
    }

    /// The rates that follow for each foot from its own shift and rate.
    #[inline]
    pub(crate) fn rates(&self, last: &CorrectionRates, rate: impl Fn(f64, f64) -> f64) -> CorrectionRates {
        std::array::from_fn(|leg| rate(self.of(leg), last.get(leg).copied().unwrap_or(0.0)))
    }

    #[inline]
    pub(crate) fn advance(&mut self, rates: &CorrectionRates, seconds: f64) {
        if !self.is_used {
            return;
        }
        self.is_used = false;
        for (up, rate) in self.up.iter_mut().zip(rates) {
            *up += rate * seconds;
            if up.abs() < LEAST_M {
                *up = 0.0;
            }
            self.is_used |= *up != 0.0;
        }
    }
}
