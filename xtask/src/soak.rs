//! `cargo xtask soak`: hours of random driving, stops, faults and restarts, by `tests/ros/soak.py`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::run;
use crate::layout::{Layout, target_dir};
use crate::pytest::{require_pytest, start_robots};
use crate::ros::Ros;
use crate::setup::Scope;

/// How long, with which events, and where the report goes.
#[derive(Debug, PartialEq)]
pub struct Options {
    hours: f64,
    /// Another one each time if left out.
    seed: Option<u32>,
    /// `target/soak/report.md` if left out.
    report: Option<PathBuf>,
    /// All of them if left out.
    phase: Option<String>,
}

impl Options {
    /// Reads the arguments of `soak`.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Self> {
        let (mut hours, mut seed, mut report, mut phase) = (None, None, None, None);
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("{arg} takes a value"));
            match arg.as_str() {
                "--hours" => hours = Some(parse_hours(&value()?)?),
                "--seed" => seed = Some(parse_seed(&value()?)?),
                "--report" => report = Some(value()?.into()),
                "--phase" => phase = Some(value()?),
                _ => bail!("soak takes `--hours N`, `--seed S`, `--report FILE` and `--phase NAME`, not `{arg}`"),
            }
        }
        let hours = hours.context("soak takes `--hours N`: how long? 0.05 is 3 minutes")?;
        Ok(Self { hours, seed, report, phase })
    }
}

fn parse_hours(text: &str) -> Result<f64> {
    match text.parse() {
        Ok(hours) if hours > 0.0 && f64::is_finite(hours) => Ok(hours),
        _ => bail!("--hours takes a number above 0, such as 2 or 0.5, not `{text}`"),
    }
}

fn parse_seed(text: &str) -> Result<u32> {
    text.parse().with_context(|| format!("--seed takes a whole number from 0 to {}, not `{text}`", u32::MAX))
}

/// Soaks the robot; whether nothing was wrong.
pub fn soak(layout: &Layout, options: &Options) -> Result<bool> {
    let ros = Ros::ensure(layout, Scope::Test)?;
    let python = ros.python();
    require_pytest(&python, &ros)?;
    run(&mut ros.build_executables(layout)).context("cannot build the robot")?;

    let mut command = Command::new(python);
    command.arg(layout.root().join("tests/ros/soak.py")).arg("--hours").arg(options.hours.to_string());
    command.args(options.seed.iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]));
    command.args(options.phase.iter().flat_map(|phase| ["--only-phase", phase.as_str()]));
    let report = match &options.report {
        Some(report) => report.clone(),
        None => target_dir()?.join("soak/report.md"),
    };
    command.arg("--report").arg(report);
    start_robots(&mut command, &ros)?;
    Ok(command.status().context("cannot start the soak")?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options> {
        Options::parse(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn when_arguments_are_understood_expect_them_in_the_options() {
        assert_eq!(parse(&["--hours", "2"]).unwrap(), Options { hours: 2.0, seed: None, report: None, phase: None });
        let all = parse(&["--seed", "7", "--report", "a/b.md", "--hours", "0.05", "--phase", "by node"]).unwrap();
        let (report, phase) = (Some("a/b.md".into()), Some("by node".into()));
        assert_eq!(all, Options { hours: 0.05, seed: Some(7), report, phase });
    }

    #[test]
    fn when_an_argument_is_not_understood_expect_it_named() {
        for (args, culprit) in [
            (&[][..], "--hours"),
            (&["--hours"], "--hours takes a value"),
            (&["--hours", "0"], "`0`"),
            (&["--hours", "-1"], "`-1`"),
            (&["--hours", "nan"], "`nan`"),
            (&["--hours", "1", "--seed", "x"], "`x`"),
            (&["--hours", "1", "--report"], "--report takes a value"),
            (&["2"], "`2`"),
        ] {
            let error = parse(args).unwrap_err().to_string();
            assert!(error.contains(culprit), "{args:?}: {error}");
        }
    }
}
