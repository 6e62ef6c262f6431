//! Every check between [`RawServoConfig`] and [`ServoConfig`].

use std::time::Duration;

use super::clock::PwmClock;
use super::config::{Board, ServoConfig};
use super::curve::{self, PulseCurve};
use super::error::ServoConfigError as E;
use super::raw::{RawBoard, RawServo, RawServoConfig, RawTiming};
use super::servo::Servo;
use super::timing::Timing;
use crate::pca9685::{PulseRange, registers};

/// No servo has pulse limits outside these, in microseconds.
pub const PULSE_US: std::ops::RangeInclusive<f64> = 300.0..=2700.0;

/// The checked configuration, or the first thing wrong with it.
pub(super) fn config(raw: &RawServoConfig) -> Result<ServoConfig, E> {
    let timing = timing(&raw.timing)?;
    let boards = boards(&raw.boards)?;
    if raw.servos.0.is_empty() {
        return Err(E::NoServos);
    }
    let mut checked = ServoConfig { boards, servos: Vec::new(), groups: Vec::new(), timing };
    for (joint, servo) in &raw.servos.0 {
        add_servo(&mut checked, joint, servo)?;
    }
    Ok(checked)
}

fn boards(raw: &[RawBoard]) -> Result<Vec<Board>, E> {
    match raw.len() {
        0 => return Err(E::NoBoards),
        count if count > registers::MAX_BOARDS => return Err(E::TooManyBoards { count }),
        _ => {}
    }
    let mut boards: Vec<Board> = Vec::with_capacity(raw.len());
    for (index, board) in raw.iter().enumerate() {
        let path = |key: &str| format!("boards[{index}].{key}");
        let address =
            address(board.address).ok_or_else(|| E::BadAddress { path: path("address"), address: board.address })?;
        if let Some(first) = boards.iter().position(|other| other.address == address) {
            return Err(E::DuplicateAddress { path: path("address"), address: board.address, first });
        }
        boards.push(Board { address, clock: clock(board, path)? });
    }
    Ok(boards)
}

fn address(address: i64) -> Option<u8> {
    let address = u8::try_from(address).ok()?;
    registers::is_board_address(address).then_some(address)
}

fn clock(board: &RawBoard, path: impl Fn(&str) -> String) -> Result<PwmClock, E> {
    let (frequency_hz, oscillator_hz) = (board.pwm_frequency_hz, board.oscillator_hz);
    finite(frequency_hz, || path("pwm_frequency_hz"))?;
    finite(oscillator_hz, || path("oscillator_hz"))?;
    if !(24.0..=1526.0).contains(&frequency_hz) {
        return Err(E::BadFrequency { path: path("pwm_frequency_hz"), frequency_hz });
    }
    if !(20e6..=30e6).contains(&oscillator_hz) {
        return Err(E::BadOscillator { path: path("oscillator_hz"), oscillator_hz });
    }
    PwmClock::nearest(frequency_hz, oscillator_hz).ok_or_else(|| E::FrequencyUnreachable {
        path: path("pwm_frequency_hz"),
        frequency_hz,
        oscillator_hz,
    })
}

fn add_servo(config: &mut ServoConfig, joint: &str, raw: &RawServo) -> Result<(), E> {
    let path = |key: &str| format!("servos.{joint}.{key}");
    if joint.is_empty() {
        return Err(E::EmptyJoint { path: "servos".into() });
    }
    if config.joint_index(joint).is_some() {
        return Err(E::DuplicateJoint { path: format!("servos.{joint}"), joint: joint.into() });
    }
    let (board, channel) = plug(config, raw, &path)?;
    limits(raw, &path)?;
    let curve = pulse_curve(raw, &path)?;
    let clock = config.boards[board].clock;
    let range = range(raw, clock, &path)?;
    let group = group(config, joint, raw);
    let mut servo = Servo {
        joint: joint.into(),
        group,
        board,
        channel,
        curve,
        direction: direction(raw, &path)?,
        trim_rad: within(raw.trim_rad, -3.15..=3.15, &path, "trim_rad", |path, trim_rad| E::BadTrim {
            path,
            trim_rad,
        })?,
        min_pulse_us: raw.min_pulse_us,
        max_pulse_us: raw.max_pulse_us,
        neutral_us: neutral(raw, &path)?,
        speed_limit_rad_s: within(
            raw.speed_limit_rad_s,
            1e-6..=100.0,
            &path,
            "speed_limit_rad_s",
            |path, speed_rad_s| E::BadSpeed { path, speed_rad_s },
        )?,
        clock,
        range,
        angles_rad: (0.0, 0.0),
    };
    let ends = (servo.angle_rad(raw.min_pulse_us), servo.angle_rad(raw.max_pulse_us));
    servo.angles_rad = (ends.0.min(ends.1), ends.0.max(ends.1));
    config.servos.push(servo);
    Ok(())
}

fn plug(config: &ServoConfig, raw: &RawServo, path: &impl Fn(&str) -> String) -> Result<(usize, u8), E> {
    let last = config.boards.len() - 1;
    let board = usize::try_from(raw.board).ok().filter(|&board| board <= last);
    let board = board.ok_or_else(|| E::UnknownBoard { path: path("board"), board: raw.board, last })?;
    let channel = u8::try_from(raw.channel).ok().filter(|&channel| usize::from(channel) < registers::CHANNELS);
    let channel = channel.ok_or_else(|| E::BadChannel { path: path("channel"), channel: raw.channel })?;
    match config.servos.iter().find(|servo| (servo.board, servo.channel) == (board, channel)) {
        Some(other) => Err(E::DuplicateChannel { path: path("channel"), board, channel, other: other.joint.clone() }),
        None => Ok((board, channel)),
    }
}

fn limits(raw: &RawServo, path: &impl Fn(&str) -> String) -> Result<(), E> {
    for (key, pulse_us) in [("min_pulse_us", raw.min_pulse_us), ("max_pulse_us", raw.max_pulse_us)] {
        finite(pulse_us, || path(key))?;
        if !PULSE_US.contains(&pulse_us) {
            return Err(E::BadPulseLimit { path: path(key), pulse_us });
        }
    }
    if raw.min_pulse_us >= raw.max_pulse_us {
        let (min_us, max_us) = (raw.min_pulse_us, raw.max_pulse_us);
        return Err(E::LimitsReversed { path: path("min_pulse_us"), min_us, max_us });
    }
    Ok(())
}

fn pulse_curve(raw: &RawServo, path: &impl Fn(&str) -> String) -> Result<PulseCurve, E> {
    if raw.points.len() < 2 {
        return Err(E::TooFewPoints { path: path("points"), count: raw.points.len() });
    }
    for (index, point) in raw.points.iter().enumerate() {
        let key = |name: &str| path(&format!("points[{index}].{name}"));
        finite(point.angle_rad, || key("angle_rad"))?;
        finite(point.pulse_us, || key("pulse_us"))?;
        if point.angle_rad.abs() > 6.3 {
            return Err(E::BadAngle { path: key("angle_rad"), angle_rad: point.angle_rad });
        }
        if !(raw.min_pulse_us..=raw.max_pulse_us).contains(&point.pulse_us) {
            let (min_us, max_us) = (raw.min_pulse_us, raw.max_pulse_us);
            return Err(E::PointOutsideLimits { path: key("pulse_us"), pulse_us: point.pulse_us, min_us, max_us });
        }
    }
    if let Some(index) = curve::bad_point(&raw.points) {
        return Err(E::NotMonotonic { path: path(&format!("points[{index}]")) });
    }
    let slope = |pair: &[super::RawPoint]| {
        ((pair[1].pulse_us - pair[0].pulse_us) / (pair[1].angle_rad - pair[0].angle_rad)).abs()
    };
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

fn group(config: &mut ServoConfig, joint: &str, raw: &RawServo) -> usize {
    let derived = || joint.rsplit_once('_').map_or(joint, |(leg, _)| leg);
    let name = raw.group.as_deref().unwrap_or_else(derived);
    config.groups.iter().position(|group| group == name).unwrap_or_else(|| {
        config.groups.push(name.into());
        config.groups.len() - 1
    })
}

fn timing(raw: &RawTiming) -> Result<Timing, E> {
    let number = |key: &str, value: f64, range: std::ops::RangeInclusive<f64>| {
        let (lower, upper) = (*range.start(), *range.end());
        within(value, range, &|key: &str| format!("timing.{key}"), key, |path, value| E::OutOfRange {
            path,
            value,
            lower,
            upper,
        })
    };
    let seconds = |key, value, range| number(key, value, range).map(Duration::from_secs_f64);
    let after = |key, value| {
        let limit = seconds(key, value, 0.0..=86_400.0)?;
        Ok((!limit.is_zero()).then_some(limit))
    };
    Ok(Timing {
        command_timeout: seconds("command_timeout_s", raw.command_timeout_s, 0.02..=10.0)?,
        sit_after: after("sit_after_s", raw.sit_after_s)?,
        relax_after: after("relax_after_s", raw.relax_after_s)?,
        group_interval: seconds("group_interval_s", raw.group_interval_s, 0.0..=5.0)?,
        soft_start_rad_s: number("soft_start_rad_s", raw.soft_start_rad_s, 0.01..=5.0)?,
        pose_tolerance_rad: number("pose_tolerance_rad", raw.pose_tolerance_rad, 0.01..=6.3)?,
        stall_error_rad: number("stall_error_rad", raw.stall_error_rad, 0.01..=6.3)?,
        stall_after: after("stall_after_s", raw.stall_after_s)?,
        fault_off_after: seconds("fault_off_after_s", raw.fault_off_after_s, 0.0..=600.0)?,
    })
}

fn finite(value: f64, path: impl Fn() -> String) -> Result<(), E> {
    if value.is_finite() { Ok(()) } else { Err(E::NotFinite { path: path(), value }) }
}

fn within(
    value: f64,
    range: std::ops::RangeInclusive<f64>,
    path: &impl Fn(&str) -> String,
    key: &str,
    error: impl Fn(String, f64) -> E,
) -> Result<f64, E> {
    finite(value, || path(key))?;
    if range.contains(&value) { Ok(value) } else { Err(error(path(key), value)) }
}
