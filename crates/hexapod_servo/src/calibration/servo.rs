//! One validated servo.

use super::clock::PwmClock;
use super::curve::PulseCurve;
use super::raw::RawPoint;
use super::validate::PULSE_US;
use crate::joints::{DrivenJoint, Limited};
use crate::pca9685::PulseRange;
use crate::pca9685::registers::COUNTS_PER_PERIOD;

/// One servo: its plug, its calibration and its limits. Built by [`ServoConfig::try_from`](super::ServoConfig), so
/// every number in it is finite and every count it gives lies within the hard pulse limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    pub(super) joint: DrivenJoint,
    pub(super) board: usize,
    pub(super) channel: u8,
    pub(super) curve: PulseCurve,
    pub(super) direction: f64,
    pub(super) trim_rad: f64,
    pub(super) min_pulse_us: f64,
    pub(super) max_pulse_us: f64,
    pub(super) neutral_us: f64,
    pub(super) clock: PwmClock,
    pub(super) range: PulseRange,
}

impl Servo {
    /// Joint name as in the URDF.
    pub fn joint(&self) -> &str {
        &self.joint.name
    }

    /// Index of its group in [`ServoConfig::groups`](super::ServoConfig::groups).
    pub fn group(&self) -> usize {
        self.joint.group
    }

    /// Index of its board in [`ServoConfig::boards`](super::ServoConfig::boards).
    pub fn board(&self) -> usize {
        self.board
    }

    /// Channel of the board, 0..=15; 0..=17 of a Servo2040.
    pub fn channel(&self) -> u8 {
        self.channel
    }

    /// Hard pulse limits in microseconds, shortest and longest.
    pub fn pulse_limits_us(&self) -> (f64, f64) {
        (self.min_pulse_us, self.max_pulse_us)
    }

    /// Pulse at which the horn is mounted, in microseconds.
    pub fn neutral_us(&self) -> f64 {
        self.neutral_us
    }

    /// Keeps angles and counts within joint limits; false, and no change, when nothing would be left.
    pub(super) fn narrow(&mut self, lower_rad: f64, upper_rad: f64) -> bool {
        let lower = self.joint.limits_rad.0.max(lower_rad);
        let upper = self.joint.limits_rad.1.min(upper_rad);
        let inside = |counts: &u16| {
            let angle = self.angle_of_counts(*counts);
            angle >= lower - f64::EPSILON && angle <= upper + f64::EPSILON
        };
        let (shortest, longest) = (self.range.shortest(), self.range.longest());
        let narrowed = (shortest..=longest)
            .find(inside)
            .zip((shortest..=longest).rev().find(inside))
            .and_then(|(shortest, longest)| self.range.narrowed(shortest, longest));
        let Some(range) = narrowed else { return false };
        self.range = range;
        self.joint.limits_rad = (lower, upper);
        true
    }

    /// Speed limit in radians per second.
    pub fn speed_limit_rad_s(&self) -> f64 {
        self.joint.speed_limit_rad_s
    }

    /// Joint angles at the hard pulse limits, in radians, lower first.
    pub fn angle_limits_rad(&self) -> (f64, f64) {
        self.joint.limits_rad
    }

    /// The counts the channel may be given, and its ON count.
    pub fn range(&self) -> PulseRange {
        self.range
    }

    /// The angle brought within the hard limits; `None` if it is not finite.
    pub fn limit_angle(&self, angle_rad: f64) -> Option<Limited<f64>> {
        self.joint.limit(angle_rad)
    }

    /// Pulse in microseconds at a joint angle, within the hard limits; `None` if the angle is not finite.
    pub fn pulse_us(&self, angle_rad: f64) -> Option<Limited<f64>> {
        let angle = self.limit_angle(angle_rad)?;
        let value = self.raw_pulse_us(angle.value).clamp(self.min_pulse_us, self.max_pulse_us);
        Some(Limited { value, clamped: angle.clamped })
    }

    /// Pulse in microseconds that a joint angle would take, beyond the hard limits too.
    pub fn pulse_wanted_us(&self, angle_rad: f64) -> f64 {
        self.raw_pulse_us(angle_rad)
    }

    /// Joint angle in radians at a pulse in microseconds, if the servo were mounted the other way round.
    pub fn reversed_angle_rad(&self, pulse_us: f64) -> f64 {
        -self.direction * self.curve.angle_rad(pulse_us) - self.trim_rad
    }

    /// Joint angle in radians at a pulse in microseconds.
    pub fn angle_rad(&self, pulse_us: f64) -> f64 {
        self.direction * self.curve.angle_rad(pulse_us) - self.trim_rad
    }

    /// Pulse length in counts at a joint angle. Whatever the angle, NaN included, the result lies within the hard
    /// limits: `as` saturates, and the clamp comes after it.
    pub fn counts(&self, angle_rad: f64) -> u16 {
        let counts = self.raw_pulse_us(angle_rad) * self.clock.counts_per_us() + 0.5;
        self.range.limit(counts as u16)
    }

    /// Joint angle in radians at a pulse length in counts.
    pub fn angle_of_counts(&self, counts: u16) -> f64 {
        self.angle_rad(f64::from(counts) / self.clock.counts_per_us())
    }

    /// Joint angle that one PWM count is worth at the centre of the range, in radians.
    pub fn resolution_rad(&self) -> f64 {
        let middle = (self.min_pulse_us + self.max_pulse_us) / 2.0;
        (self.angle_rad(middle + 1.0 / self.clock.counts_per_us()) - self.angle_rad(middle)).abs()
    }

    /// The same plug with pulses for angles, a millisecond a radian, within [`PULSE_US`] alone.
    pub(super) fn on_bench(&self) -> Option<Self> {
        const RAD_PER_US: f64 = 1e-3;
        let (shortest_us, longest_us) = (*PULSE_US.start(), *PULSE_US.end());
        let ends = [shortest_us, longest_us].map(|pulse_us| RawPoint { angle_rad: pulse_us * RAD_PER_US, pulse_us });
        let counts =
            |pulse_us: f64| (pulse_us * self.clock.counts_per_us()).min(f64::from(COUNTS_PER_PERIOD - 1)) as u16;
        Some(Self {
            curve: PulseCurve::try_new(&ends)?,
            direction: 1.0,
            trim_rad: 0.0,
            min_pulse_us: shortest_us,
            max_pulse_us: longest_us,
            range: PulseRange::try_new(counts(shortest_us) + 1, counts(longest_us))?,
            joint: DrivenJoint {
                limits_rad: (shortest_us * RAD_PER_US, longest_us * RAD_PER_US),
                ..self.joint.clone()
            },
            ..self.clone()
        })
    }

    fn raw_pulse_us(&self, angle_rad: f64) -> f64 {
        self.curve.pulse_us(self.direction * (angle_rad + self.trim_rad))
    }
}
