//! What a depth sensor measures, and how well.

/// Least and greatest standard deviation of a measured height, m: a sensor outside of these is misdescribed.
const LEAST_M: f64 = 1e-6;
const MOST_M: f64 = 1.0;

/// How far points are off, as standard deviations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Of a point at no distance, m.
    pub constant_m: f64,
    /// What each metre of range adds, m/m.
    pub per_m: f64,
    /// Of a cell, however often it is seen, m: errors that all points share, of the mounting and of the body's pose.
    pub least_m: f64,
}

impl Noise {
    /// Standard deviation of the height of a point at a range, m.
    #[inline]
    pub(crate) fn deviation_m(&self, range_m: f64) -> f64 {
        bounded(self.constant_m + self.per_m * range_m)
    }

    /// The least variance of a cell, m².
    pub(crate) fn least_m2(&self) -> f64 {
        let least_m = bounded(self.least_m);
        least_m * least_m
    }
}

/// A deviation between the least and the most, m; what is not a number is the most.
#[inline]
fn bounded(deviation_m: f64) -> f64 {
    if deviation_m <= MOST_M { deviation_m.max(LEAST_M) } else { MOST_M }
}

impl Default for Noise {
    /// Of a small stereo camera near the ground: 2 mm, and 1 % of the range.
    fn default() -> Self {
        Self { constant_m: 0.002, per_m: 0.01, least_m: 0.001 }
    }
}

/// Which points of a cloud count, and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensor {
    /// How far points are off.
    pub noise: Noise,
    /// Points nearer to the sensor than this are dropped, m.
    pub nearest_m: f64,
    /// Points farther from the sensor than this are dropped, m.
    pub farthest_m: f64,
    /// Points higher above the body's origin than this are dropped, m: branches and ceilings, which no foot steps on.
    pub highest_above_body_m: f64,
}

impl Sensor {
    /// The same on a robot so many times as large: it sees as well and as near, and what is above a larger one is higher.
    #[must_use]
    pub fn enlarged(self, size: f64) -> Self {
        Self { farthest_m: self.farthest_m * size, highest_above_body_m: self.highest_above_body_m * size, ..self }
    }
}

impl Default for Sensor {
    /// From 50 mm to 1.5 m, up to 150 mm above the body.
    fn default() -> Self {
        Self { noise: Noise::default(), nearest_m: 0.05, farthest_m: 1.5, highest_above_body_m: 0.15 }
    }
}
