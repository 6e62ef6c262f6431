//! Piecewise linear map between angle and pulse.

use super::raw::RawPoint;

/// A strictly monotonic, piecewise linear map from angle (radians) to pulse (microseconds), extended beyond its ends
/// by the first and last segment.
#[derive(Clone, Debug, PartialEq)]
pub struct PulseCurve {
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    angle_rad: f64,
    pulse_us: f64,
    us_per_rad: f64,
}

impl PulseCurve {
    /// `None` unless there are two points or more, all finite, angles strictly rising and pulses strictly rising or
    /// strictly falling.
    pub fn try_new(points: &[RawPoint]) -> Option<Self> {
        if points.len() < 2 || bad_point(points).is_some() {
            return None;
        }
        let segments = points.windows(2).map(|pair| Segment {
            angle_rad: pair[0].angle_rad,
            pulse_us: pair[0].pulse_us,
            us_per_rad: (pair[1].pulse_us - pair[0].pulse_us) / (pair[1].angle_rad - pair[0].angle_rad),
        });
        Some(Self { segments: segments.collect() })
    }

    /// Pulse in microseconds at an angle in radians.
    pub fn pulse_us(&self, angle_rad: f64) -> f64 {
        let segment = self.segment(|segment| segment.angle_rad <= angle_rad);
        segment.pulse_us + (angle_rad - segment.angle_rad) * segment.us_per_rad
    }

    /// Angle in radians at a pulse in microseconds.
    pub fn angle_rad(&self, pulse_us: f64) -> f64 {
        let rising = self.segments[0].us_per_rad > 0.0;
        let segment = self.segment(|segment| (segment.pulse_us <= pulse_us) == rising);
        segment.angle_rad + (pulse_us - segment.pulse_us) / segment.us_per_rad
    }

    /// Whether pulses are the shorter the greater the angle is.
    pub(super) fn falls(&self) -> bool {
        self.segments[0].us_per_rad < 0.0
    }

    /// The last segment that has `begun`, or the first.
    fn segment(&self, begun: impl Fn(&Segment) -> bool) -> &Segment {
        let mut found = &self.segments[0];
        for segment in &self.segments[1..] {
            if !begun(segment) {
                break;
            }
            found = segment;
        }
        found
    }
}

/// Index of the first point that is not finite or breaks strict monotonicity.
pub(super) fn bad_point(points: &[RawPoint]) -> Option<usize> {
    let finite = |point: &RawPoint| point.angle_rad.is_finite() && point.pulse_us.is_finite();
    if let Some(index) = points.iter().position(|point| !finite(point)) {
        return Some(index);
    }
    let rising = points.len() < 2 || points[1].pulse_us > points[0].pulse_us;
    let follows = |pair: &[RawPoint]| {
        let step_us = pair[1].pulse_us - pair[0].pulse_us;
        pair[1].angle_rad > pair[0].angle_rad && step_us != 0.0 && (step_us > 0.0) == rising
    };
    points.windows(2).position(|pair| !follows(pair)).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[(f64, f64)]) -> Vec<RawPoint> {
        values.iter().map(|&(angle_rad, pulse_us)| RawPoint { angle_rad, pulse_us }).collect()
    }

    #[test]
    fn when_between_and_beyond_points_expect_linear() {
        let curve = PulseCurve::try_new(&points(&[(-1.0, 1000.0), (0.0, 1400.0), (1.0, 2000.0)])).expect("valid");
        let check = |angle_rad: f64, pulse_us: f64| {
            assert!((curve.pulse_us(angle_rad) - pulse_us).abs() < 1e-9, "{angle_rad}");
            assert!((curve.angle_rad(pulse_us) - angle_rad).abs() < 1e-12, "{pulse_us}");
        };
        check(-1.0, 1000.0);
        check(-0.5, 1200.0);
        check(0.0, 1400.0);
        check(0.5, 1700.0);
        check(1.5, 2300.0);
        check(-1.5, 800.0);
    }

    #[test]
    fn when_pulses_fall_expect_inverse_to_hold() {
        let curve = PulseCurve::try_new(&points(&[(-1.0, 2000.0), (0.2, 1500.0), (1.0, 900.0)])).expect("valid");
        for step in -20..=20 {
            let angle_rad = f64::from(step) * 0.1;
            assert!((curve.angle_rad(curve.pulse_us(angle_rad)) - angle_rad).abs() < 1e-12);
        }
    }

    #[test]
    fn when_points_are_bad_expect_first_named() {
        let check = |values: &[(f64, f64)], bad| assert_eq!(bad_point(&points(values)), bad);
        check(&[(0.0, 1000.0), (1.0, 2000.0)], None);
        check(&[(0.0, 1000.0), (0.0, 2000.0)], Some(1));
        check(&[(0.0, 1000.0), (1.0, 1000.0)], Some(1));
        check(&[(0.0, 1000.0), (1.0, 2000.0), (2.0, 1500.0)], Some(2));
        check(&[(0.0, 1000.0), (f64::NAN, 2000.0)], Some(1));
        check(&[(0.0, 2000.0), (1.0, 1500.0), (2.0, f64::INFINITY)], Some(2));
        assert_eq!(PulseCurve::try_new(&points(&[(0.0, 1000.0)])), None);
    }
}
