//! What was found for one joint so far.

use crate::travel::Travel;
use hexapod_servo::calibration::{PulseCurve, RawPoint, RawServo, Servo};

/// A joint that stood at an angle, and the pulse it had there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Joint angle in radians.
    pub angle_rad: f64,
    /// Pulse in microseconds.
    pub pulse_us: f64,
}

/// What was found for a joint so far. Pulses are in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// Whether longer pulses turn the joint in the plus direction; none: not tested.
    pub rising: Option<bool>,
    /// The last pulse before the stop on the minus side.
    pub minus_us: Option<f64>,
    /// The same on the plus side.
    pub plus_us: Option<f64>,
    /// Angles that were set by eye.
    pub marks: Vec<Mark>,
}

/// How many angles are set for each joint.
pub const MARKS: usize = 3;
/// A servo that turns less or more than this, times what the file says, is taken for a slip of the eye.
const SCALE: std::ops::RangeInclusive<f64> = 0.4..=2.5;

/// What the file says of a servo near its neutral, the way round it was found to turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nominal {
    /// Pulse at which the horn is mounted.
    pub neutral_us: f64,
    /// Joint angle there.
    pub neutral_rad: f64,
    /// Above zero when longer pulses turn the joint in the plus direction.
    pub us_per_rad: f64,
}

impl Nominal {
    pub fn of(servo: &Servo, rising: Option<bool>) -> Self {
        const SPAN_US: f64 = 10.0;
        let neutral_us = servo.neutral_us();
        let span_rad = servo.angle_rad(neutral_us + SPAN_US) - servo.angle_rad(neutral_us - SPAN_US);
        let us_per_rad = 2.0 * SPAN_US / span_rad;
        let us_per_rad = rising.map_or(us_per_rad, |rising| if rising { us_per_rad.abs() } else { -us_per_rad.abs() });
        Self { neutral_us, neutral_rad: servo.angle_rad(neutral_us), us_per_rad }
    }

    /// Microseconds of one degree, above zero.
    pub fn us_per_deg(&self) -> f64 {
        (self.us_per_rad * std::f64::consts::PI / 180.0).abs()
    }

    fn angle_rad(&self, pulse_us: f64) -> f64 {
        self.neutral_rad + (pulse_us - self.neutral_us) / self.us_per_rad
    }
}

impl Finding {
    /// The shortest and the longest pulse, once both stops are known.
    pub fn limits_us(&self) -> Option<(f64, f64)> {
        let (minus_us, plus_us) = (self.minus_us?, self.plus_us?);
        Some((minus_us.min(plus_us), minus_us.max(plus_us)))
    }

    /// Pulse to joint angle by what is known so far.
    pub fn angle_rad(&self, nominal: &Nominal, pulse_us: f64) -> f64 {
        match (&self.curve(), self.marks.first()) {
            (Some(curve), _) => curve.angle_rad(pulse_us),
            (None, Some(mark)) => mark.angle_rad + (pulse_us - mark.pulse_us) / nominal.us_per_rad,
            (None, None) => nominal.angle_rad(pulse_us),
        }
    }

    /// Joint angle to pulse by what is known so far.
    pub fn pulse_us(&self, nominal: &Nominal, angle_rad: f64) -> f64 {
        match (&self.curve(), self.marks.first()) {
            (Some(curve), _) => curve.pulse_us(angle_rad),
            (None, Some(mark)) => mark.pulse_us + (angle_rad - mark.angle_rad) * nominal.us_per_rad,
            (None, None) => nominal.neutral_us + (angle_rad - nominal.neutral_rad) * nominal.us_per_rad,
        }
    }

    /// How far the joint turns by what is known so far, and how sure its angles are.
    pub fn travel(&self, nominal: &Nominal, urdf_rad: (f64, f64)) -> Option<Travel> {
        let (minus_rad, plus_rad) = (self.angle_rad(nominal, self.minus_us?), self.angle_rad(nominal, self.plus_us?));
        Some(Travel { minus_rad, plus_rad, urdf_rad })
    }

    /// Why a mark cannot be: the joint would turn the wrong way, or far more or less than the servo does.
    pub fn objection(&self, nominal: &Nominal, mark: Mark) -> Option<String> {
        let slope = |other: &Mark| (mark.pulse_us - other.pulse_us) / (mark.angle_rad - other.angle_rad);
        let scales = self.marks.iter().map(|other| slope(other) / nominal.us_per_rad);
        let strange = scales.into_iter().find(|scale| !SCALE.contains(scale))?;
        Some(if strange <= 0.0 {
            "by this pulse the joint would turn the other way than before; look again, or press Backspace to set the angle before again".into()
        } else {
            format!(
                "by this pulse the servo would turn {:.1} times as far as before; look again, or press Backspace to set the angle before again",
                1.0 / strange
            )
        })
    }

    /// How many times as far the servo would turn for a microsecond between two of its marks as between two others; 1 if there
    /// are too few to tell.
    pub fn unevenness(&self, mark: Mark) -> f64 {
        let mut marks = self.sorted();
        marks.push(mark);
        marks.sort_by(|a, b| a.angle_rad.total_cmp(&b.angle_rad));
        let slopes = marks.windows(2).filter_map(|pair| {
            let [one, other] = pair else { return None };
            Some(((other.pulse_us - one.pulse_us) / (other.angle_rad - one.angle_rad)).abs())
        });
        let (least, most) =
            slopes.fold((f64::INFINITY, 0.0_f64), |(least, most), slope| (least.min(slope), most.max(slope)));
        if least > 0.0 && least.is_finite() { most / least } else { 1.0 }
    }

    /// The servo with what was found: as many points as it had, at angles within its limits. `None` before all is found.
    pub fn applied(&self, servo: &RawServo, nominal: &Nominal) -> Option<RawServo> {
        let (shortest_us, longest_us) = self.limits_us()?;
        let curve = self.curve()?;
        let sign = if self.rising? == (servo_rising(servo)) { servo.direction } else { -servo.direction } as f64;
        let mut new = servo.clone();
        new.direction = sign as i64;
        new.trim_rad = 0.0;
        (new.min_pulse_us, new.max_pulse_us) = (shortest_us, longest_us);
        new.neutral_us = Some(nominal.neutral_us);
        let marks = self.sorted();
        let angles = spread(&marks, servo.points.len());
        let mut points: Vec<_> = angles
            .iter()
            .map(|&angle_rad| RawPoint { angle_rad: sign * angle_rad, pulse_us: curve.pulse_us(angle_rad) })
            .collect();
        points.sort_by(|a, b| a.angle_rad.total_cmp(&b.angle_rad));
        new.points = points;
        Some(new)
    }

    fn sorted(&self) -> Vec<Mark> {
        let mut marks = self.marks.clone();
        marks.sort_by(|a, b| a.angle_rad.total_cmp(&b.angle_rad));
        marks
    }

    fn curve(&self) -> Option<PulseCurve> {
        let point = |mark: Mark| RawPoint { angle_rad: mark.angle_rad, pulse_us: mark.pulse_us };
        PulseCurve::try_new(&self.sorted().into_iter().map(point).collect::<Vec<_>>())
    }
}

/// Whether longer pulses turn the joint in the plus direction by the file.
fn servo_rising(servo: &RawServo) -> bool {
    let rising = servo.points.first().zip(servo.points.last()).is_some_and(|(a, b)| b.pulse_us > a.pulse_us);
    rising == (servo.direction > 0)
}

/// So many angles: the marks themselves if there are as many, else evenly from the first to the last.
fn spread(marks: &[Mark], count: usize) -> Vec<f64> {
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return Vec::new() };
    if marks.len() == count {
        return marks.iter().map(|mark| mark.angle_rad).collect();
    }
    let fraction = |index: usize| index as f64 / (count.max(2) - 1) as f64;
    (0..count).map(|index| first.angle_rad + fraction(index) * (last.angle_rad - first.angle_rad)).collect()
}
