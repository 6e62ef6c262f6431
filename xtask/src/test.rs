//! `cargo xtask test` and `ci`: every check, quick ones first, all of them run even when one fails.

use std::process::Command;
use std::time::UNIX_EPOCH;

use anyhow::{Result, bail};

use crate::cargo::{APART, BENCH, SIM, WASM, cargo, cargo_apart};
use crate::layout::Layout;
use crate::page;
use crate::process::read;
use crate::pytest::{Part, Which, isolate, pytest};
use crate::report::Report;
use crate::ros::{Ros, cargo_in};
use crate::setup::Scope;
use crate::wasm;
use crate::workspace::{Member, members, selection};

/// The benchmarks that criterion runs; `peers` beside them counts and compares by itself.
const CRITERION: [&str; 4] = ["angle_to_bytes", "dynamics", "kinematics", "tick"];
/// pytest's exit code for "no test was selected", which a filter may well cause.
const NOTHING_SELECTED: i32 = 5;

/// How long fuzz targets mangle their inputs, s.
const FUZZ_SECONDS: &str = "60";

/// Where property tests look for the seed of their cases.
const SEED: &str = "PROPTEST_RNG_SEED";

/// The crate whose property tests get new cases in each run, too.
const ENGINE: &str = "hexapod_gait";
const ENGINE_TEST: &str = "engine";

/// The random drives among the tests in physics.
const DRIVES: &str = "drives::when_200";

/// What to run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only tests whose name holds this; formatting and lints are left out then.
    filter: Option<String>,
    /// Nothing that needs a ROS 2.
    pure: bool,
    /// Dependencies' licences and advisories too.
    dependencies: bool,
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

    /// Everything.
    pub fn ci() -> Self {
        Self { dependencies: true, ..Self::default() }
    }
}

/// Runs the checks; whether all passed.
pub fn test(layout: &Layout, options: &Options) -> Result<bool> {
    let ros = if options.pure { None } else { Some(Ros::ensure(layout, Scope::Test)?) };
    let members = members(layout, ros.as_ref())?;
    let (bound, pure): (Vec<_>, Vec<_>) = members.into_iter().partition(|member| member.needs_ros);
    let mut run = Run { layout, options, report: Report::new() };

    run.formatting();
    run.dependencies();
    run.page();
    run.crates("crates without ROS", None, &pure);
    run.fresh_cases(&pure);
    run.lints_apart();
    run.benchmarks();
    run.physics();
    run.wasm();
    if let Some(ros) = &ros {
        run.crates("crates with ROS", Some(ros), &bound);
        run.nodes(ros);
    }
    Ok(run.report.finish())
}

struct Run<'a> {
    layout: &'a Layout,
    options: &'a Options,
    report: Report,
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

    /// Lints, documentation and tests of `members`. Those bound to ROS 2 use the release profile, in which the executables
    /// are built as well, so that r2r is generated and compiled once.
    fn crates(&mut self, name: &str, ros: Option<&Ros>, members: &[Member]) {
        if members.is_empty() {
            return;
        }
        let profile: &[_] = if ros.is_some() { &["--release"] } else { &[] };
        let packages = selection(members);

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

        let mut command = cargo_in(self.layout, ros);
        command.args(["test", "--no-fail-fast"]).args(profile).args(&packages).args(&self.options.filter);
        // The same cases in each run; other seeds, and more cases, are the user's to ask for.
        if std::env::var_os(SEED).is_none() {
            command.env(SEED, "1");
        }
        match ros {
            Some(_) => isolate(&mut command),
            None if std::env::var_os("FUZZ_SECONDS").is_none() => drop(command.env("FUZZ_SECONDS", FUZZ_SECONDS)),
            None => {}
        }
        self.report.section(&format!("tests, {name}"), &mut command, &[0]);
    }

    /// Property tests of the engine on cases that no run has had before.
    fn fresh_cases(&mut self, members: &[Member]) {
        self.fresh(&format!("tests, {ENGINE}"), |layout| {
            let mut command = cargo(layout);
            // Among the same packages as before, of which one has this test: it is built already.
            command.args(["test", "--no-fail-fast", "--test", ENGINE_TEST]).args(selection(members));
            Ok(command)
        });
    }

    /// Tests with a seed that no run has had before: the title says how to have its cases again. A case that fails once in
    /// very many runs is a bug to be told of, and none of the change at hand. A change that breaks a property breaks it for
    /// many cases: where a test that failed does so with the next seed, too, the run fails.
    fn fresh(&mut self, title: &str, command: impl Fn(&Layout) -> Result<Command>) {
        if self.options.filter.is_some() || std::env::var_os(SEED).is_some() {
            return;
        }
        let (mut first, mut second) = match (command(self.layout), command(self.layout)) {
            (Ok(first), Ok(second)) => (first, second),
            (Err(error), _) | (_, Err(error)) => return self.report.fail(title, &format!("{error:#}")),
        };
        let seed = UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs());
        let title = |seed: u64| format!("{title} with {SEED}={seed}");
        first.env(SEED, seed.to_string());
        if let Some(failed) = self.report.search(&title(seed), &mut first, &[0]) {
            second.env(SEED, (seed + 1).to_string()).args(["--", "--exact"]).args(failed);
            self.report.section(&title(seed + 1), &mut second, &[0]);
        }
    }

    /// Formatting and lints of the crates apart from the workspace.
    fn lints_apart(&mut self) {
        if self.options.filter.is_some() {
            return;
        }
        for name in APART {
            self.apart(&format!("formatting, {name}"), name, |command| command.args(["fmt", "--check"]));
            self.apart(&format!("lints, {name}"), name, |command| {
                command.args(["clippy", "--all-targets", "--", "-D", "warnings"])
            });
        }
    }

    /// A section in the crate `name`, which stands apart.
    fn apart(&mut self, title: &str, name: &str, arguments: impl FnOnce(&mut Command) -> &mut Command) {
        match cargo_apart(self.layout, name) {
            Ok(mut command) => self.report.section(title, arguments(&mut command), &[0]),
            Err(error) => self.report.fail(title, &format!("{error:#}")),
        }
    }

    /// Each of criterion's benchmarks once: that it comes to an end is all a build without optimisation can say.
    fn benchmarks(&mut self) {
        if self.options.filter.is_some() {
            return;
        }
        self.apart(&format!("benchmarks once, {BENCH}"), BENCH, |command| {
            command.arg("test").args(CRITERION.iter().flat_map(|name| ["--bench", name]))
        });
    }

    /// The robot in a physics engine, in the dev profile, which is optimised; random drives with a fresh seed, too, unless
    /// one is given.
    fn physics(&mut self) {
        let filter = self.options.filter.clone();
        self.apart(&format!("tests, {SIM}"), SIM, |command| {
            command
                .args(["test", "--no-fail-fast"])
                .args(&filter)
                .env(SEED, std::env::var_os(SEED).unwrap_or_else(|| "1".into()))
        });
        self.fresh(&format!("random drives, {SIM}"), |layout| {
            let mut command = cargo_apart(layout, SIM)?;
            command.args(["test", "--test", "all", DRIVES]);
            Ok(command)
        });
        if filter.is_none() {
            self.physics_in_a_browser();
        }
    }

    /// Whether the physics build for a browser.
    fn physics_in_a_browser(&mut self) {
        let title = format!("WebAssembly, {SIM}");
        if wasm::has_target() {
            self.apart(&title, SIM, |command| command.args(["check", "--lib", "--target", wasm::TARGET]));
        } else {
            self.report.skip(&title, "rustup target add wasm32-unknown-unknown");
        }
    }

    /// The walking engine for a browser; as WebAssembly too, in Node, against the same one here, where both are.
    fn wasm(&mut self) {
        let title = "WebAssembly";
        let mut included: &[_] = &[];
        if read(Command::new("node").arg("--version")).is_err() {
            self.report.skip(title, "node is not installed");
        } else if !wasm::has_target() {
            self.report.skip(title, "rustup target add wasm32-unknown-unknown");
        } else if let Err(error) = wasm::build(self.layout) {
            self.report.fail(title, &format!("{error:#}"));
        } else {
            included = &["--include-ignored"];
        }
        self.apart(&format!("tests, {WASM}"), WASM, |command| {
            command.arg("test").args(&self.options.filter).arg("--").args(included)
        });
    }

    /// The executables, driven from outside as a user would.
    fn nodes(&mut self, ros: &Ros) {
        self.report.section("executables", &mut ros.build_executables(self.layout), &[0]);
        for part in [Part::Together, Part::OneAtATime] {
            if let Err(error) = self.robots(ros, part) {
                self.report.fail(part.title(), &format!("{error:#}"));
            }
        }
    }

    /// Robots walk in real time beside each other, on a machine that others may use as well. What failed runs once more,
    /// one at a time: what passes then is shown as found, a defect of the robot or of the test that shows under load.
    fn robots(&mut self, ros: &Ros, part: Part) -> Result<()> {
        let command = |which| pytest(self.layout, ros, part, which, self.options.filter.as_deref());
        let accepted: &[_] = if self.options.filter.is_some() { &[0, NOTHING_SELECTED] } else { &[0] };
        if self.report.search(part.title(), &mut command(Which::All)?, accepted).is_some() {
            let title = format!("{}, what failed once more", part.title());
            self.report.section(&title, &mut command(Which::FailedLast)?, &[0]);
        }
        Ok(())
    }

    /// Whether to run a check that is no test; when the tool is not installed, says how to get it.
    fn wants_lints(&mut self, title: &str, tool: &str, install: &str) -> bool {
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
        let expected = Options { filter: Some("ik".to_owned()), pure: true, dependencies: false };
        assert_eq!(parse(&["ik", "--pure"]).unwrap(), expected);
    }

    #[test]
    fn when_an_argument_is_not_understood_expect_it_named() {
        for (args, culprit) in [(["--fast", "a"], "--fast"), (["a", "b"], "`b`")] {
            let error = parse(&args).unwrap_err().to_string();
            assert!(error.contains(culprit), "{error}");
        }
    }
}
