//! Checks of one servo beside those before it.

use std::ops::RangeInclusive;

use super::bounds::{Findings, GREATEST_ANGLE_RAD, PULSE_US, finite, note, within};
use crate::calibration::clock::PwmClock;
use crate::calibration::config::ServoConfig;
use crate::calibration::curve::{self, PulseCurve};
use crate::calibration::error::ServoConfigError as E;
use crate::calibration::raw::{RawBoard, RawPoint, RawServo};
use crate::calibration::servo::Servo;
use crate::joints::DrivenJoint;
use crate::pca9685::{PulseRange, registers};

/// Corrections of a joint's angle that are believed, rad, and speeds of a servo, rad/s.
const TRIM_RAD: RangeInclusive<f64> = -3.15..=3.15;
const SPEED_RAD_S: RangeInclusive<f64> = 1e-6..=100.0;

/// Adds a servo to the configuration if all of it holds.
pub(super) fn add_servo<'a>(
    config: &mut ServoConfig,
    (joint, raw): (&'a str, &RawServo),
    (clocks, boards): (&[Option<PwmClock>], &[RawBoard]),
    plugs: &mut Vec<(usize, u8, &'a str)>,
    found: &mut Findings,
) {
    let path = |key: &str| format!("servos.{joint}.{key}");
    let before = found.len();
    if joint.is_empty() {
        found.push(E::EmptyJoint { path: "servos".into() });
    }
    if config.joint_index(joint).is_some() {
        found.push(E::DuplicateJoint { path: format!("servos.{joint}"), joint: joint.into() });
    }
    let plug = plug(raw, boards, plugs, joint, &path, found);
    let clock = plug.and_then(|(board, _)| clocks[board]);
    let pulses = pulses(raw, clock, &path, found);
    if let Some(group) = raw.group.as_ref().filter(|group| !is_one_word(group)) {
        found.push(E::BadGroup { path: path("group"), group: group.clone() });
    }
    let turning = turning(raw, &path, found);
    let (Some((board, channel)), Some(clock), Some(pulses), Some(turning)) = (plug, clock, pulses, turning) else {
        return;
    };
    if found.len() > before {
        return;
    }
    let group = group(config, joint, raw);
    let (curve, range, neutral_us) = pulses;
    let (direction, trim_rad, speed_limit_rad_s) = turning;
    let (min_pulse_us, max_pulse_us) = (raw.min_pulse_us, raw.max_pulse_us);
    let mut servo = Servo {
        joint: DrivenJoint { name: joint.into(), group, limits_rad: (0.0, 0.0), speed_limit_rad_s },
        board,
        channel,
        curve,
        direction,
        trim_rad,
        min_pulse_us,
        max_pulse_us,
        neutral_us,
        clock,
        range,
    };
    let ends = (servo.angle_rad(min_pulse_us), servo.angle_rad(max_pulse_us));
    servo.joint.limits_rad = (ends.0.min(ends.1), ends.0.max(ends.1));
    config.servos.push(servo);
}

/// The curve, the counts that are allowed, and the pulse at which the horn is mounted.
fn pulses(
    raw: &RawServo,
    clock: Option<PwmClock>,
    path: &impl Fn(&str) -> String,
    found: &mut Findings,
) -> Option<(PulseCurve, PulseRange, f64)> {
    if !limits(raw, path, found) {
        return None;
    }
    let curve = pulse_curve(raw, path, found);
    let range = clock.and_then(|clock| note(found, range(raw, clock, path)));
    let neutral_us = note(found, neutral(raw, path));
    Some((curve?, range?, neutral_us?))
}

/// The direction, the correction of the angle, rad, and the greatest speed, rad/s.
fn turning(raw: &RawServo, path: &impl Fn(&str) -> String, found: &mut Findings) -> Option<(f64, f64, f64)> {
    let direction = note(found, direction(raw, path));
    let trim = |path, trim_rad| E::BadTrim { path, trim_rad };
    let trim_rad = note(found, within(raw.trim_rad, TRIM_RAD, path, "trim_rad", trim));
    let speed = |path, speed_rad_s| E::BadSpeed { path, speed_rad_s };
    let speed_limit_rad_s = note(found, within(raw.speed_limit_rad_s, SPEED_RAD_S, path, "speed_limit_rad_s", speed));
    Some((direction?, trim_rad?, speed_limit_rad_s?))
}

fn plug<'a>(
    raw: &RawServo,
    boards: &[RawBoard],
    plugs: &mut Vec<(usize, u8, &'a str)>,
    joint: &'a str,
    path: &impl Fn(&str) -> String,
    found: &mut Findings,
) -> Option<(usize, u8)> {
    let board = usize::try_from(raw.board).ok().filter(|&board| board < boards.len());
    let of_address = boards.iter().position(|board| board.address == raw.board);
    let last = boards.len().saturating_sub(1);
    let unknown = || E::UnknownBoard { path: path("board"), board: raw.board, last, of_address };
    let board = note(found, board.ok_or_else(unknown));
    let channels = board.map_or(registers::CHANNELS, |board| boards[board].channels);
    let channel = u8::try_from(raw.channel).ok().filter(|&channel| usize::from(channel) < channels);
    let missing = || E::BadChannel { path: path("channel"), channel: raw.channel, channels };
    let (board, channel) = board.zip(note(found, channel.ok_or_else(missing)))?;
    if let Some((.., other)) = plugs.iter().find(|(b, c, _)| (*b, *c) == (board, channel)) {
        found.push(E::DuplicateChannel { path: path("channel"), board, channel, other: (*other).to_owned() });
    }
    plugs.push((board, channel, joint));
    Some((board, channel))
}

/// Whether the pulse limits hold.
fn limits(raw: &RawServo, path: &impl Fn(&str) -> String, found: &mut Findings) -> bool {
    let before = found.len();
    for (key, pulse_us) in [("min_pulse_us", raw.min_pulse_us), ("max_pulse_us", raw.max_pulse_us)] {
        let bad = |path, pulse_us| E::BadPulseLimit { path, pulse_us };
        note(found, within(pulse_us, PULSE_US, path, key, bad));
    }
    if found.len() == before && raw.min_pulse_us >= raw.max_pulse_us {
        let (min_us, max_us) = (raw.min_pulse_us, raw.max_pulse_us);
        found.push(E::LimitsReversed { path: path("min_pulse_us"), min_us, max_us });
    }
    found.len() == before
}

fn pulse_curve(raw: &RawServo, path: &impl Fn(&str) -> String, found: &mut Findings) -> Option<PulseCurve> {
    if raw.points.len() < 2 {
        found.push(E::TooFewPoints { path: path("points"), count: raw.points.len() });
        return None;
    }
    let before = found.len();
    for (index, point) in raw.points.iter().enumerate() {
        note(found, check_point(raw, index, point, path));
    }
    if found.len() > before {
        return None;
    }
    note(found, curve_of(raw, path))
}

fn check_point(raw: &RawServo, index: usize, point: &RawPoint, path: &impl Fn(&str) -> String) -> Result<(), E> {
    let key = |name: &str| path(&format!("points[{index}].{name}"));
    finite(point.angle_rad, || key("angle_rad"))?;
    finite(point.pulse_us, || key("pulse_us"))?;
    if point.angle_rad.abs() > GREATEST_ANGLE_RAD {
        return Err(E::BadAngle { path: key("angle_rad"), angle_rad: point.angle_rad, most_rad: GREATEST_ANGLE_RAD });
    }
    if !(raw.min_pulse_us..=raw.max_pulse_us).contains(&point.pulse_us) {
        let (min_us, max_us) = (raw.min_pulse_us, raw.max_pulse_us);
        return Err(E::PointOutsideLimits { path: key("pulse_us"), pulse_us: point.pulse_us, min_us, max_us });
    }
    Ok(())
}

fn curve_of(raw: &RawServo, path: &impl Fn(&str) -> String) -> Result<PulseCurve, E> {
    if let Some(index) = curve::bad_point(&raw.points) {
        return Err(E::NotMonotonic { path: path(&format!("points[{index}]")) });
    }
    let slope =
        |pair: &[RawPoint]| ((pair[1].pulse_us - pair[0].pulse_us) / (pair[1].angle_rad - pair[0].angle_rad)).abs();
    if let Some(index) = raw.points.windows(2).position(|pair| !(1.0..=1e5).contains(&slope(pair))) {
        return Err(E::BadSlope { path: path(&format!("points[{}]", index + 1)) });
    }
    PulseCurve::try_new(&raw.points).ok_or_else(|| E::NotMonotonic { path: path("points") })
}

fn range(raw: &RawServo, clock: PwmClock, path: &impl Fn(&str) -> String) -> Result<PulseRange, E> {
    let (min_us, max_us) = (raw.min_pulse_us, raw.max_pulse_us);
    let lowest = (min_us * clock.counts_per_us()).ceil();
    let highest = (max_us * clock.counts_per_us()).floor();
    if highest > f64::from(registers::COUNTS_PER_PERIOD - 1) {
        return Err(E::PulseLongerThanPeriod { path: path("max_pulse_us"), max_us, period_us: clock.period_us() });
    }
    PulseRange::try_new(lowest as u16, highest as u16).ok_or_else(|| E::LimitsTooNarrow {
        path: path("min_pulse_us"),
        min_us,
        max_us,
    })
}

fn direction(raw: &RawServo, path: &impl Fn(&str) -> String) -> Result<f64, E> {
    match raw.direction {
        1 => Ok(1.0),
        -1 => Ok(-1.0),
        direction => Err(E::BadDirection { path: path("direction"), direction }),
    }
}

fn neutral(raw: &RawServo, path: &impl Fn(&str) -> String) -> Result<f64, E> {
    let (min_us, max_us) = (raw.min_pulse_us, raw.max_pulse_us);
    let allowed = min_us..=max_us;
    let Some(neutral_us) = raw.neutral_us else {
        return Ok(if allowed.contains(&1500.0) { 1500.0 } else { (min_us + max_us) / 2.0 });
    };
    finite(neutral_us, || path("neutral_us"))?;
    if !allowed.contains(&neutral_us) {
        return Err(E::NeutralOutsideLimits { path: path("neutral_us"), neutral_us, min_us, max_us });
    }
    Ok(neutral_us)
}

/// Whether a name can be distinguished from others in a service's name, as in `relax/left_front`.
fn is_one_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace)
}

fn group(config: &mut ServoConfig, joint: &str, raw: &RawServo) -> usize {
    let derived = || joint.rsplit_once('_').map_or(joint, |(leg, _)| leg);
    let name = raw.group.as_deref().unwrap_or_else(derived);
    config.groups.iter().position(|group| group == name).unwrap_or_else(|| {
        config.groups.push(name.into());
        config.groups.len() - 1
    })
}
