//! How far a servo turns between two pulses, in place of measured points.

use super::raw::RawPoint;
use serde::Deserialize;

/// Points that a kind's travel gives are rounded to this, in parts of a radian: as fine as a calibration is written.
const PARTS: f64 = 1e4;

/// A servo whose angle is in proportion to its pulse.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a travel such as {angle_rad: 3.1416, from_us: 500.0, to_us: 2500.0}")]
pub(super) struct Travel {
    /// Angle between the two pulses, in radians.
    pub angle_rad: f64,
    /// Shortest pulse, in microseconds; also `min_pulse_us` where that is not given.
    pub from_us: f64,
    /// Longest pulse, in microseconds; also `max_pulse_us` where that is not given.
    pub to_us: f64,
}

impl Travel {
    /// Pulse at a servo angle, where the middle of the travel is at another; none beyond the travel, or for one that cannot be.
    pub(super) fn pulse_us(&self, angle_rad: f64, middle_rad: f64) -> Option<f64> {
        let middle_us = 0.5 * (self.from_us + self.to_us);
        let pulse_us = middle_us + (angle_rad - middle_rad) * self.us_per_rad()?;
        // As fine as a board could tell.
        Some((10.0 * pulse_us).round() / 10.0).filter(|pulse_us| (self.from_us..=self.to_us).contains(pulse_us))
    }

    fn us_per_rad(&self) -> Option<f64> {
        let us_per_rad = (self.to_us - self.from_us) / self.angle_rad;
        (us_per_rad.is_finite() && us_per_rad > 0.0 && self.angle_rad > 0.0).then_some(us_per_rad)
    }

    /// Points at both pulse limits and in the middle, around a servo angle; `None` for a travel that cannot be.
    pub(super) fn points(self, middle_rad: f64, limits_us: (f64, f64)) -> Option<Vec<RawPoint>> {
        let us_per_rad = self.us_per_rad()?;
        let middle_us = 0.5 * (self.from_us + self.to_us);
        let (shortest_us, longest_us) = (self.from_us.max(limits_us.0), self.to_us.min(limits_us.1));
        let inside = shortest_us < middle_us && middle_us < longest_us;
        let between_us = if inside { middle_us } else { 0.5 * (shortest_us + longest_us) };
        let point = |pulse_us: f64| {
            let angle_rad = middle_rad + (pulse_us - middle_us) / us_per_rad;
            RawPoint { angle_rad: (angle_rad * PARTS).round() / PARTS, pulse_us }
        };
        Some([shortest_us, between_us, longest_us].map(point).to_vec())
    }
}
