//! A height and how certain it is.

/// No variance is less than this, m²: (1 um)². Two certain heights that differ would leave no way to fuse them.
const LEAST_M2: f64 = 1e-12;
/// No height is farther from zero than this, m, and none less certain than this, m².
pub(crate) const FARTHEST_M: f64 = 1e6;
const MOST_M2: f64 = 1.0;
/// Heights that differ by fewer standard deviations than this are of one surface (Mahalanobis distance).
const GATE: f64 = 3.0;

/// A height as a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Height {
    /// Along z of the odometry frame, m.
    pub mean_m: f64,
    /// Its variance, m².
    pub variance_m2: f64,
}

impl Height {
    /// A height with which sums stay finite, if it can be one and the variance is not negative.
    pub(crate) fn checked(mean_m: f64, variance_m2: f64) -> Option<Self> {
        let is_sound = mean_m.abs() <= FARTHEST_M && variance_m2 >= 0.0;
        is_sound.then_some(Self { mean_m, variance_m2: variance_m2.min(MOST_M2) })
    }

    /// This height, given above a datum, in the frame of the datum.
    pub(crate) fn above(self, datum: Self) -> Self {
        let variance_m2 = (self.variance_m2 + datum.variance_m2).max(LEAST_M2);
        Self { mean_m: self.mean_m + datum.mean_m, variance_m2 }
    }

    /// The inverse of [`Height::above`]. The variance may be negative: it is that of a time when the datum was more certain.
    pub(crate) fn relative_to(self, datum: Self) -> Self {
        Self { mean_m: self.mean_m - datum.mean_m, variance_m2: self.variance_m2 - datum.variance_m2 }
    }

    /// Whether both may be measurements of one surface.
    pub(crate) fn agrees_with(self, other: Self) -> bool {
        let apart_m = self.mean_m - other.mean_m;
        apart_m * apart_m <= GATE * GATE * (self.variance_m2 + other.variance_m2)
    }

    /// The Kalman update of this height by an independent measurement, with a variance of at least `least_m2`.
    pub(crate) fn fused_with(self, seen: Self, least_m2: f64) -> Self {
        let gain = self.variance_m2 / (self.variance_m2 + seen.variance_m2).max(LEAST_M2);
        let variance_m2 = ((1.0 - gain) * self.variance_m2).max(least_m2).max(LEAST_M2);
        Self { mean_m: self.mean_m + gain * (seen.mean_m - self.mean_m), variance_m2 }
    }
}
