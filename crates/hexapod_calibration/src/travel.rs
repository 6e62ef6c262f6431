//! How far a joint turns, by the stops that were found and by the limits of the URDF.

/// One degree, rad.
pub(crate) const DEG: f64 = std::f64::consts::PI / 180.0;
/// A horn is at most this far off, or it is to be mounted anew.
const HORN_RAD: f64 = 30.0 * DEG;
/// How well a stop is seen.
const EYE_RAD: f64 = 3.0 * DEG;

/// How far a joint turns: angles at the stops by what is known so far, minus side first, and the URDF's limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    pub minus_rad: f64,
    pub plus_rad: f64,
    pub urdf_rad: (f64, f64),
}

impl Travel {
    /// Angles that are surely inside, though the horn may be off by an unknown angle.
    ///
    /// The stops lie inside the URDF's limits, so that a joint which turns as far as those allow tells the offset.
    pub(crate) fn surely_inside(&self) -> (f64, f64) {
        let least = (self.urdf_rad.0 - self.minus_rad).max(-HORN_RAD) - EYE_RAD;
        let most = (self.urdf_rad.1 - self.plus_rad).min(HORN_RAD) + EYE_RAD;
        let (least, most) = (least.min(most), least.max(most));
        self.within_urdf(self.minus_rad + most, self.plus_rad + least)
    }

    /// Angles that are inside by what is known.
    pub(crate) fn inside(&self) -> (f64, f64) {
        self.within_urdf(self.minus_rad, self.plus_rad)
    }

    fn within_urdf(&self, lower: f64, upper: f64) -> (f64, f64) {
        let (lower, upper) = (lower.max(self.urdf_rad.0), upper.min(self.urdf_rad.1));
        if lower <= upper { (lower, upper) } else { (0.5 * (lower + upper), 0.5 * (lower + upper)) }
    }
}
