//! `cargo xtask test` and `ci`: every check, quick ones first, all of them run even when one fails.

use anyhow::Result;

use crate::cargo::{APART, cargo};
use crate::layout::Layout;
use crate::page;
use crate::process::read;
use crate::pytest::{Part, Which, isolate, pytest};
use crate::report::Report;
use crate::ros::{Ros, cargo_in};
use crate::run::{Options, Run, SEED};
use crate::setup::Scope;
use crate::workspace::{Member, members, selection};

/// pytest's exit code for "no test was selected", which a filter may well cause.
const NOTHING_SELECTED: i32 = 5;

/// How long fuzz targets mangle their inputs, s.
const FUZZ_SECONDS: &str = "FUZZ_SECONDS";

// The tests that run once more have names of their own. Chosen by them among the same packages they are built already; by
// its package, cargo would build each with other features.

/// The test that holds the fuzz target of the pure crates.
const FUZZED: &str = "kinematics";
/// The crate whose property tests get new cases in each run, too, and its test.
const ENGINE: &str = "hexapod_gait";
const ENGINE_TEST: &str = "engine";

/// Runs the checks; whether all passed.
pub fn test(layout: &Layout, options: &Options) -> Result<bool> {
    let ros = if options.pure { None } else { Some(Ros::ensure(layout, Scope::Test)?) };
    let members = members(layout, ros.as_ref())?;
    let (bound, pure): (Vec<_>, Vec<_>) = members.into_iter().partition(|member| member.needs_ros);
    let mut run = Run { layout, options, report: Report::new() };

    run.formatting();
    run.formatting_apart();
    run.dependencies();
    run.beside(|run| run.lints("crates without ROS", None, &pure), Run::page)?;
    run.tests("crates without ROS", None, &pure);
    match &ros {
        Some(ros) => {
            run.physics_for_oracles();
            run.beside(|run| run.no_hurry(&pure), |run| run.with_ros(ros, &bound))?;
            // With the machine to themselves: beside them, even what steps back makes them late.
            run.robots(ros, Part::Together);
            run.robots(ros, Part::OneAtATime);
        }
        None => run.no_hurry(&pure),
    }
    Ok(run.report.finish())
}

impl Run<'_> {
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
        let rules = self.layout.root().join("deny.toml");
        for name in APART {
            self.apart(&format!("dependencies, {name}"), name, |command| {
                command.args(["deny", "check", "--config"]).arg(&rules).args(["licenses", "sources"])
            });
        }
        let title = "advisories";
        if read(&mut deny(&["fetch", "db"])).is_err() {
            return self.report.skip(title, "the advisory database cannot be fetched from here");
        }
        self.report.section(title, &mut deny(&["check", "advisories"]), &[0]);
    }

    /// The page: before the executables, which hold it. Its tests have no names that a filter could choose.
    fn page(&mut self) {
        if self.options.filter.is_some() {
            return page::try_build(self.layout);
        }
        match page::tests(self.layout) {
            Ok(tests) => {
                for (title, mut command) in tests {
                    self.report.section(title, &mut command, &[0]);
                }
            }
            Err(error) => self.report.skip("page", &format!("{error:#}")),
        }
    }

    /// Lints and documentation of `members`.
    fn lints(&mut self, name: &str, ros: Option<&Ros>, members: &[Member]) {
        let (profile, packages) = (profile(ros), selection(members));
        let title = format!("lints, {name}");
        if self.wants_lints(&title, "clippy", "rustup component add clippy") {
            let mut command = cargo_in(self.layout, ros);
            command.args(["clippy", "--all-targets"]).args(profile).args(&packages).args(["--", "-D", "warnings"]);
            self.report.section(&title, &mut command, &[0]);
        }

        // Links to what is not there, and what rustdoc would misread. The executables of nodes have the names of their
        // libraries, in whose place cargo would put them.
        if self.options.filter.is_none() {
            let (mut command, targets) = (cargo_in(self.layout, ros), ros.map(|_| "--lib"));
            command.args(["doc", "--no-deps"]).args(targets).args(profile).args(&packages);
            self.report.section(&format!("documentation, {name}"), command.env("RUSTDOCFLAGS", "-D warnings"), &[0]);
        }
    }

    fn tests(&mut self, name: &str, ros: Option<&Ros>, members: &[Member]) {
        let mut command = cargo_in(self.layout, ros);
        command.args(["test", "--no-fail-fast"]).args(profile(ros)).args(selection(members)).args(&self.options.filter);
        // The same cases in each run; other seeds, and more cases, are the user's to ask for.
        if std::env::var_os(SEED).is_none() {
            command.env(SEED, "1");
        }
        if ros.is_some() {
            isolate(&mut command);
        }
        self.report.section(&format!("tests, {name}"), &mut command, &[0]);
    }

    /// Robot descriptions mangled for longer than among all tests.
    fn fuzz(&mut self, members: &[Member]) {
        if self.options.filter.is_some() {
            return;
        }
        let mut command = cargo(self.layout);
        command.args(["test", "--test", FUZZED]).args(selection(members)).arg("fuzz");
        if std::env::var_os(FUZZ_SECONDS).is_none() {
            command.env(FUZZ_SECONDS, "60");
        }
        self.report.section("fuzz target", &mut command, &[0]);
    }

    /// Property tests of the engine on cases that no run has had before.
    fn fresh_cases(&mut self, members: &[Member]) {
        self.fresh(&format!("tests, {ENGINE}"), |layout| {
            let mut command = cargo(layout);
            command.args(["test", "--no-fail-fast", "--test", ENGINE_TEST]).args(selection(members));
            Ok(command)
        });
    }

    /// What no other section waits for.
    fn no_hurry(&mut self, pure: &[Member]) {
        self.fuzz(pure);
        self.fresh_cases(pure);
        self.physics();
        self.fresh_drives();
        self.lints_apart();
        self.benchmarks();
        self.physics_in_a_browser();
        self.wasm();
    }

    /// The crates bound to ROS 2, and the executables.
    fn with_ros(&mut self, ros: &Ros, bound: &[Member]) {
        self.lints("crates with ROS", Some(ros), bound);
        self.tests("crates with ROS", Some(ros), bound);
        self.report.section("executables", &mut ros.build_executables(self.layout), &[0]);
    }

    /// The executables, driven from outside as a user would. Robots walk in real time beside each other, on a machine that
    /// others may use as well. What failed runs once more, one at a time: what passes then is shown as found, a defect of
    /// the robot or of the test that shows under load.
    fn robots(&mut self, ros: &Ros, part: Part) {
        if let Err(error) = self.try_robots(ros, part) {
            self.report.fail(part.title(), &format!("{error:#}"));
        }
    }

    fn try_robots(&mut self, ros: &Ros, part: Part) -> Result<()> {
        let command = |which| pytest(self.layout, ros, part, which, self.options.filter.as_deref());
        let accepted: &[_] = if self.options.filter.is_some() { &[0, NOTHING_SELECTED] } else { &[0] };
        if self.report.search(part.title(), &mut command(Which::All)?, accepted).is_some() {
            let title = format!("{}, what failed once more", part.title());
            self.report.section(&title, &mut command(Which::FailedLast)?, &[0]);
        }
        Ok(())
    }
}

/// Crates bound to ROS 2 use the release profile, in which the executables are built as well, so that r2r is generated and
/// compiled once.
fn profile(ros: Option<&Ros>) -> &'static [&'static str] {
    if ros.is_some() { &["--release"] } else { &[] }
}
