//! Where a calibration was left, as a few lines of text.

use std::fmt;
use std::str::FromStr;

use super::raw::RawServo;

const HEAD: &str = "# Where `hexapod calibrate` was left. Delete this file to begin anew.";

/// Joints that are done, and what was found for the one that is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Names of the joints that are done.
    pub done: Vec<String>,
    /// The joint under way.
    pub joint: String,
    /// Its step, from 0.
    pub step: usize,
    direction: Option<i64>,
    limits_us: Option<(f64, f64)>,
    neutral_us: Option<f64>,
    points_us: Vec<f64>,
}

impl Progress {
    pub(super) fn of(done: Vec<String>, joint: &str, step: usize, servo: &RawServo) -> Self {
        Self {
            done,
            joint: joint.into(),
            step,
            direction: Some(servo.direction),
            limits_us: Some((servo.min_pulse_us, servo.max_pulse_us)),
            neutral_us: servo.neutral_us,
            points_us: servo.points.iter().map(|point| point.pulse_us).collect(),
        }
    }

    /// Puts what was found into a servo; points only if there are still as many.
    pub(super) fn apply(&self, servo: &mut RawServo) {
        servo.direction = self.direction.unwrap_or(servo.direction);
        (servo.min_pulse_us, servo.max_pulse_us) = self.limits_us.unwrap_or((servo.min_pulse_us, servo.max_pulse_us));
        servo.neutral_us = self.neutral_us.or(servo.neutral_us);
        if self.points_us.len() == servo.points.len() {
            servo.points.iter_mut().zip(&self.points_us).for_each(|(point, pulse_us)| point.pulse_us = *pulse_us);
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{HEAD}")?;
        for name in &self.done {
            writeln!(formatter, "done {name}")?;
        }
        writeln!(formatter, "at {} {}", self.joint, self.step)?;
        if let Some(direction) = self.direction {
            writeln!(formatter, "direction {direction}")?;
        }
        if let Some((shortest, longest)) = self.limits_us {
            writeln!(formatter, "limits_us {shortest} {longest}")?;
        }
        if let Some(neutral) = self.neutral_us {
            writeln!(formatter, "neutral_us {neutral}")?;
        }
        self.points_us.iter().try_for_each(|pulse_us| writeln!(formatter, "point_us {pulse_us}"))
    }
}

/// A line that is not understood, with its number from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{text}` is not a line of a calibration's progress")]
pub struct ProgressError {
    /// Its number.
    pub line: usize,
    /// What it says.
    pub text: String,
}

impl FromStr for Progress {
    type Err = ProgressError;

    fn from_str(text: &str) -> Result<Self, ProgressError> {
        let mut progress = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first().is_none_or(|word| word.starts_with('#')) {
                continue;
            }
            progress
                .take(&words)
                .ok_or_else(|| ProgressError { line: number, text: line.chars().take(80).collect() })?;
        }
        Ok(progress)
    }
}

impl Progress {
    fn take(&mut self, words: &[&str]) -> Option<()> {
        match words {
            ["done", name] => self.done.push((*name).into()),
            ["at", joint, step] => (self.joint, self.step) = ((*joint).into(), step.parse().ok()?),
            ["direction", direction] => {
                self.direction = Some(direction.parse().ok().filter(|direction| matches!(direction, 1 | -1))?);
            }
            ["limits_us", shortest, longest] => self.limits_us = Some((number(shortest)?, number(longest)?)),
            ["neutral_us", neutral] => self.neutral_us = Some(number(neutral)?),
            ["point_us", pulse] => self.points_us.push(number(pulse)?),
            _ => return None,
        }
        Some(())
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}
