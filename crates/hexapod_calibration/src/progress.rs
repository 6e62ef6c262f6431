//! Where a calibration was left, as a few lines of text.

use crate::finding::{Finding, Mark};
use std::fmt;
use std::str::FromStr;

const HEAD: &str = "# Where `hexapod calibrate` was left. Delete this file to begin anew.";
/// Lines of earlier versions: what they found for a joint under way is asked for again.
const OLD: [&str; 4] = ["direction", "limits_us", "neutral_us", "point_us"];

/// Joints that are done, and what was found for those that are not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The file as it was before this calibration is kept.
    pub kept: bool,
    /// Simulated servos were calibrated.
    pub simulated: bool,
    /// This is the second run: angles are verified.
    pub verifying: bool,
    /// Names of the joints that are calibrated.
    pub done: Vec<String>,
    /// Names of the joints that are verified.
    pub verified: Vec<String>,
    /// The joint under way.
    pub joint: String,
    /// What was found for joints that are not done yet.
    pub findings: Vec<(String, Finding)>,
}

impl fmt::Display for Progress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{HEAD}")?;
        for (flag, word) in [(self.kept, "kept"), (self.simulated, "simulated"), (self.verifying, "verifying")] {
            if flag {
                writeln!(formatter, "{word}")?;
            }
        }
        self.done.iter().try_for_each(|name| writeln!(formatter, "done {name}"))?;
        self.verified.iter().try_for_each(|name| writeln!(formatter, "verified {name}"))?;
        for (name, finding) in &self.findings {
            writeln!(formatter, "found {name}")?;
            write_finding(formatter, finding)?;
        }
        writeln!(formatter, "at {}", self.joint)
    }
}

fn write_finding(formatter: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
    if let Some(rising) = finding.rising {
        writeln!(formatter, "pulses {}", if rising { "rising" } else { "falling" })?;
    }
    for (word, pulse_us) in [("minus_us", finding.minus_us), ("plus_us", finding.plus_us)] {
        if let Some(pulse_us) = pulse_us {
            writeln!(formatter, "{word} {pulse_us}")?;
        }
    }
    finding.marks.iter().try_for_each(|mark| writeln!(formatter, "mark {} {}", mark.angle_rad, mark.pulse_us))
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
            if words.first().is_none_or(|word| word.starts_with('#') || OLD.contains(word)) {
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
            ["kept"] => self.kept = true,
            ["simulated"] => self.simulated = true,
            ["verifying"] => self.verifying = true,
            ["done", name] => self.done.push((*name).into()),
            ["verified", name] => self.verified.push((*name).into()),
            ["at", joint] | ["at", joint, _] => self.joint = (*joint).into(),
            ["found", joint] => self.findings.push(((*joint).into(), Finding::default())),
            _ => return self.take_finding(words),
        }
        Some(())
    }

    fn take_finding(&mut self, words: &[&str]) -> Option<()> {
        let (_, finding) = self.findings.last_mut()?;
        match words {
            ["pulses", "rising"] => finding.rising = Some(true),
            ["pulses", "falling"] => finding.rising = Some(false),
            ["minus_us", pulse] => finding.minus_us = Some(number(pulse)?),
            ["plus_us", pulse] => finding.plus_us = Some(number(pulse)?),
            ["mark", angle, pulse] => {
                finding.marks.push(Mark { angle_rad: number(angle)?, pulse_us: number(pulse)? });
            }
            _ => return None,
        }
        Some(())
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_lines_are_of_an_earlier_version_expect_the_joints_that_are_done() {
        let text = "# old\ndone a\ndone b\nat c 3\ndirection 1\nlimits_us 900 2100\nneutral_us 1500\npoint_us 1000\n";
        let progress: Progress = text.parse().expect("lines of an earlier version");
        assert_eq!((progress.done, progress.joint.as_str()), (vec!["a".into(), "b".into()], "c"));
        assert!(progress.findings.is_empty());
    }

    #[test]
    fn when_a_line_makes_no_sense_expect_its_number() {
        for bad in ["hello", "mark 1 2", "found a\nmark 1 NaN", "found a\npulses 1", "at", "done"] {
            let error = bad.parse::<Progress>().expect_err(bad);
            assert_eq!(error.line, bad.lines().count());
        }
    }
}
