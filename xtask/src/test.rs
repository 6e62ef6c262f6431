//! `cargo xtask test` and `ci`: every check, quick ones first, all of them run even when one fails.

use std::process::Command;

use anyhow::{Result, bail};

use crate::cargo::cargo;
use crate::crates::Crates;
use crate::layout::Layout;
use crate::page;
use crate::process::{read, set_unless_given};
use crate::pytest::{Group, Which, pytest};
use crate::report::Report;
use crate::ros::Ros;
use crate::run::{Options, Part, Run, SEED};
use crate::setup::Scope;
use crate::workspace::members;

/// pytest's exit code for "no test was selected", which a filter may well cause.
const NOTHING_SELECTED: i32 = 5;

/// How long fuzz targets mangle their inputs, s.
const FUZZ_SECONDS: &str = "FUZZ_SECONDS";
/// How many cases a property is tried on.
const CASES: &str = "PROPTEST_CASES";
/// The examples that tests of the robot start; the others are checked by the lints.
const EXAMPLES: [&str; 4] = ["kinematics_csv", "dynamics_raw", "feet_raw", "drive"];
/// How many steps the model of the driver's stops takes: fewer than by itself where other tests wait.
const STEPS: &str = "SEAMS_STEPS";

// The tests that run once more have names of their own. Chosen by them among the same packages they are built already; by
// its package, cargo would build each with other features.

/// The test that holds the fuzz target of the pure crates.
const FUZZED: &str = "kinematics";
/// The crate whose property tests get new cases in each run, too, and its test.
const ENGINE: &str = "hexapod_gait";
const ENGINE_TEST: &str = "engine";
/// Its tests that take long and draw nothing.
const SWEEPS: [&str; 2] = ["at_every_phase", "between_points_of_the_grid"];

/// Runs the checks; whether all passed.
pub fn test(layout: &Layout, options: &Options) -> Result<bool> {
    let ros = if options.pure { None } else { Some(Ros::ensure(layout, Scope::Test)?) };
    let mut members = members(layout, ros.as_ref())?;
    members.retain(|member| ros.is_some() || !member.needs_ros);
    let crates = Crates { ros: ros.as_ref(), members: &members };
    let mut run = Run { layout, options, report: Report::new() };
    if let Some(part) = options.part {
        run.only(part, crates)?;
        return Ok(run.report.finish());
    }

    run.formatting();
    run.dependencies();
    // The page waits for a browser, and lints for nobody.
    run.alongside(
        |run| run.lints(crates),
        |run| {
            let page = run.built_page();
            run.page(page);
        },
    )?;
    match &ros {
        Some(ros) => {
            run.alongside(|run| run.no_hurry(crates), |run| run.with_executables(crates))?;
            // With the machine to themselves: beside them, even what steps back makes them late.
            run.robots(ros);
        }
        None => {
            run.tests(crates);
            run.other_cases(crates);
            run.no_hurry(crates);
        }
    }
    Ok(run.report.finish())
}

impl Run<'_> {
    /// One part of the checks, and what has to be built for it.
    fn only(&mut self, part: Part, crates: Crates<'_>) -> Result<()> {
        if matches!(part, Part::Crates | Part::Robots) {
            page::try_build(self.layout);
        }
        match (part, crates.ros) {
            (Part::Page, _) => {
                let page = self.built_page();
                self.page(page);
            }
            (Part::Lints, _) => {
                self.formatting();
                self.dependencies();
                self.lints(crates);
            }
            (Part::Crates, Some(_)) => self.with_executables(crates),
            (Part::Crates, None) => {
                self.tests(crates);
                self.other_cases(crates);
            }
            (Part::Physics, _) => self.no_hurry(crates),
            (Part::Robots, None) => bail!("robots need a ROS 2"),
            (Part::Robots, Some(ros)) => {
                self.executables(crates);
                self.robots(ros);
            }
        }
        Ok(())
    }

    fn formatting(&mut self) {
        let title = "formatting";
        if self.wants_lints(title, "fmt", "rustup component add rustfmt") {
            self.report.section(title, cargo(self.layout).args(["fmt", "--all", "--check"]), &[0]);
        }
    }

    fn dependencies(&mut self) {
        let title = "dependencies";
        if !self.options.dependencies || !self.wants_lints(title, "deny", "cargo install --locked cargo-deny") {
            return;
        }
        let deny = |args: &[&str]| {
            let mut command = cargo(self.layout);
            command.arg("deny").args(args);
            command
        };
        self.report.section(title, &mut deny(&["check", "bans", "licenses", "sources"]), &[0]);
        let title = "advisories";
        if read(&mut deny(&["fetch", "db"])).is_err() {
            return self.report.skip(title, "the advisory database cannot be fetched from here");
        }
        self.report.section(title, &mut deny(&["check", "advisories"]), &[0]);
    }

    /// The page's tests, once it is built: before the executables, which hold it. They have no names that a filter could
    /// choose.
    fn built_page(&mut self) -> Vec<(&'static str, Command)> {
        if self.options.filter.is_some() {
            page::try_build(self.layout);
            return Vec::new();
        }
        page::tests(self.layout).unwrap_or_else(|error| {
            self.report.skip("page", &format!("{error:#}"));
            Vec::new()
        })
    }

    /// Runs them. In a browser time is real, too: what failed runs once more by itself, as with robots.
    fn page(&mut self, checks: Vec<(&'static str, Command)>) {
        for (title, mut command) in checks {
            let Some(failed) = self.report.search(title, &mut command, &[0]) else { continue };
            if !failed.is_empty() {
                let names: Vec<_> = failed.iter().filter_map(|failure| failure.split(' ').next()).collect();
                command.args(["--", &format!("--test-name-pattern=^({})$", names.join("|"))]);
            }
            self.report.section(&format!("{title}, what failed once more"), &mut command, &[0]);
        }
    }

    /// Lints and documentation.
    fn lints(&mut self, crates: Crates<'_>) {
        let title = "lints";
        if self.wants_lints(title, "clippy", "rustup component add clippy") {
            let mut command = crates.cargo(self.layout, &["clippy", "--all-targets"]);
            self.report.section(title, command.args(["--", "-D", "warnings"]), &[0]);
        }

        // Links to what is not there, and what rustdoc would misread. The executables of nodes have the names of their
        // libraries, in whose place cargo would put them; xtask has no library.
        if self.options.filter.is_none() {
            let mut command = crates.cargo(self.layout, &["doc", "--no-deps", "--lib", "--bin", "xtask"]);
            self.report.section("documentation", command.env("RUSTDOCFLAGS", "-D warnings"), &[0]);
        }
    }

    fn tests(&mut self, crates: Crates<'_>) {
        // Without the examples, most of which nobody starts here.
        let mut command = crates.cargo(self.layout, &["test", "--no-fail-fast", "--tests"]);
        command.args(&self.options.filter);
        // The same cases in each run; other seeds, and more cases, are the user's to ask for.
        set_unless_given(&mut command, SEED, "1");
        set_unless_given(&mut command, STEPS, "20000");
        self.report.section("tests", &mut command, &[0]);
        let mut command = crates.cargo(self.layout, &["test", "--no-fail-fast", "--doc"]);
        command.args(&self.options.filter);
        self.report.section("tests in documentation", &mut command, &[0]);
    }

    /// What tests of the robot start.
    fn executables(&mut self, crates: Crates<'_>) {
        let mut command = crates.cargo(self.layout, &["build", "--bins"]);
        command.args(EXAMPLES.into_iter().flat_map(|example| ["--example", example]));
        self.report.section("executables", &mut command, &[0]);
    }

    /// Robot descriptions mangled for longer than among all tests.
    fn fuzz(&mut self, crates: Crates<'_>) {
        if self.options.filter.is_some() {
            return;
        }
        let mut command = crates.cargo(self.layout, &["test", "--test", FUZZED]);
        command.arg("fuzz");
        set_unless_given(&mut command, FUZZ_SECONDS, "10");
        self.report.section("fuzz target", &mut command, &[0]);
    }

    /// Property tests of the engine on cases that no run has had before.
    fn fresh_cases(&mut self, crates: Crates<'_>) {
        self.fresh(&format!("tests, {ENGINE}"), &SWEEPS, |layout| {
            let mut command = crates.cargo(layout, &["test", "--no-fail-fast", "--test", ENGINE_TEST]);
            set_unless_given(&mut command, CASES, "16");
            command
        });
    }

    /// Tests of the same executables on cases that no run has had before: fuzzing, and properties of the engine.
    fn other_cases(&mut self, crates: Crates<'_>) {
        self.fuzz(crates);
        self.fresh_cases(crates);
    }

    /// The tests, the executables, and cases that may take the time that is left until what runs beside has ended.
    fn with_executables(&mut self, crates: Crates<'_>) {
        self.tests(crates);
        self.executables(crates);
        self.other_cases(crates);
    }

    /// The executables, driven from outside as a user would. Robots walk in real time beside each other, on a machine that
    /// others may use as well. What failed runs up to twice more, one at a time: what passes then is shown as found, a
    /// defect of the robot or of the test that shows under load.
    fn robots(&mut self, ros: &Ros) {
        for group in [Group::Together, Group::Few, Group::OneAtATime] {
            if let Err(error) = self.try_robots(ros, group) {
                self.report.fail(group.title(), &format!("{error:#}"));
            }
        }
    }

    fn try_robots(&mut self, ros: &Ros, group: Group) -> Result<()> {
        let command = |which| pytest(self.layout, ros, group, which, self.options.filter.as_deref());
        let accepted: &[_] = if self.options.filter.is_some() { &[0, NOTHING_SELECTED] } else { &[0] };
        let again = || command(Which::FailedLast);
        if self.report.search(group.title(), &mut command(Which::All)?, accepted).is_some()
            && self.report.search(&format!("{}, what failed once more", group.title()), &mut again()?, &[0]).is_some()
        {
            self.report.section(&format!("{}, what failed twice", group.title()), &mut again()?, &[0]);
        }
        Ok(())
    }
}
