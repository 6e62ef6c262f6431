//! One run of checks: what was asked for, and the sections that several kinds of checks have.

use std::process::Command;
use std::time::UNIX_EPOCH;

use anyhow::{Result, anyhow, bail};

use crate::cargo::cargo;
use crate::layout::{Layout, target_dir};
use crate::process::{read, step_back};
use crate::report::Report;

/// Where property tests look for the seed of their cases.
pub const SEED: &str = "PROPTEST_RNG_SEED";

/// What to run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only tests whose name holds this; formatting and lints are left out then.
    pub filter: Option<String>,
    /// Nothing that needs a ROS 2.
    pub pure: bool,
    /// Dependencies' licences and advisories too.
    pub dependencies: bool,
    /// Only the checks of this part.
    pub part: Option<Part>,
}

/// A part of the checks that can be run by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Formatting, lints, documentation, dependencies.
    Lints,
    /// The page and its tests.
    Page,
    /// The tests of the crates.
    Crates,
    /// The robot in a physics engine, benchmarks, WebAssembly.
    Physics,
    /// The executables, driven from outside.
    Robots,
}

impl Part {
    const ALL: [(&str, Self); 5] = [
        ("lints", Self::Lints),
        ("page", Self::Page),
        ("crates", Self::Crates),
        ("physics", Self::Physics),
        ("robots", Self::Robots),
    ];

    fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, part)| *part);
        found.ok_or_else(|| anyhow!("no part `{name}`: it is one of {}", Self::ALL.map(|(name, _)| name).join(", ")))
    }
}

impl Options {
    /// Reads the arguments of `test`.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self::default();
        for arg in args {
            match arg.as_str() {
                "--pure" => options.pure = true,
                flag if flag.starts_with('-') => bail!("test takes `--pure` and a part of test names, not `{flag}`"),
                _ if options.filter.is_some() => bail!("test takes one part of test names; `{arg}` is a second one"),
                _ => options.filter = Some(arg),
            }
        }
        Ok(options)
    }

    /// Reads the arguments of `ci`, which checks everything unless one part is asked for.
    pub fn ci(args: impl Iterator<Item = String>) -> Result<Self> {
        let args: Vec<String> = args.collect();
        let part = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => None,
            ["--part", name] => Some(Part::named(name)?),
            _ => bail!("ci takes nothing but `--part NAME`, not `{}`", args.join(" ")),
        };
        Ok(Self { dependencies: true, part, ..Self::default() })
    }
}

/// One run, section after section.
pub struct Run<'a> {
    pub layout: &'a Layout,
    pub options: &'a Options,
    pub report: Report,
}

impl Run<'_> {
    /// Runs `meanwhile` beside `sections`, when they leave a processor idle, and shows afterwards what it printed.
    pub fn alongside(
        &mut self,
        meanwhile: impl FnOnce(&mut Run<'_>) + Send,
        sections: impl FnOnce(&mut Self),
    ) -> Result<()> {
        let report = Report::kept_in(&target_dir()?.join("meanwhile.log"))?;
        let mut aside = Run { layout: self.layout, options: self.options, report };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                step_back();
                meanwhile(&mut aside);
            });
            sections(self);
        });
        self.report.add(aside.report);
        Ok(())
    }

    /// Tests with a seed that no run has had before: the title says how to have its cases again. A case that fails once in
    /// very many runs is a bug to report, and none of the change at hand. A change that breaks a property breaks it for
    /// many cases: where a test that failed does so with the next seed, too, the run fails. Tests that draw nothing, and
    /// whose names hold one of `without`, are left out.
    pub fn fresh(&mut self, title: &str, without: &[&str], command: impl Fn(&Layout) -> Command) {
        if !self.has_fresh_seeds() {
            return;
        }
        let (mut first, mut second) = (command(self.layout), command(self.layout));
        let seed = UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs());
        let title = |seed: u64| format!("{title} with {SEED}={seed}");
        first.env(SEED, seed.to_string()).arg("--").args(without.iter().flat_map(|name| ["--skip", name]));
        if let Some(failed) = self.report.search(&title(seed), &mut first, &[0]) {
            second.env(SEED, (seed + 1).to_string()).args(["--", "--exact"]).args(failed);
            self.report.section(&title(seed + 1), &mut second, &[0]);
        }
    }

    /// Whether tests with fresh seeds run: nobody has chosen tests, or a seed.
    pub fn has_fresh_seeds(&self) -> bool {
        self.options.filter.is_none() && std::env::var_os(SEED).is_none()
    }

    /// Whether to run a check that is no test; when the tool is not installed, says how to get it.
    pub fn wants_lints(&mut self, title: &str, tool: &str, install: &str) -> bool {
        if self.options.filter.is_some() {
            return false;
        }
        if read(cargo(self.layout).args([tool, "--version"])).is_ok() {
            return true;
        }
        self.report.skip(title, &format!("cargo {tool} is not installed: {install}"));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options> {
        Options::parse(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn when_arguments_are_understood_expect_them_in_the_options() {
        assert_eq!(parse(&[]).unwrap(), Options::default());
        let expected = Options { filter: Some("ik".to_owned()), pure: true, ..Options::default() };
        assert_eq!(parse(&["ik", "--pure"]).unwrap(), expected);
    }

    #[test]
    fn when_ci_is_asked_for_a_part_expect_it_or_those_there_are() {
        let ci = |args: &[&str]| Options::ci(args.iter().map(|arg| (*arg).to_owned()));
        assert_eq!(ci(&[]).unwrap(), Options { dependencies: true, ..Options::default() });
        for (name, part) in Part::ALL {
            assert_eq!(ci(&["--part", name]).unwrap().part, Some(part));
        }
        assert!(ci(&["--part", "robot"]).unwrap_err().to_string().contains("lints, page, crates, physics, robots"));
        assert!(ci(&["--part"]).is_err() && ci(&["robots"]).is_err());
    }

    #[test]
    fn when_an_argument_is_not_understood_expect_it_named() {
        for (args, culprit) in [(["--fast", "a"], "--fast"), (["a", "b"], "`b`")] {
            let error = parse(&args).unwrap_err().to_string();
            assert!(error.contains(culprit), "{error}");
        }
    }
}
