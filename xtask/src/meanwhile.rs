//! What `cargo xtask test` checks when a processor is idle: what no other section waits for.

use std::process::Command;

use crate::cargo::{BENCH, SIM, WASM, cargo};
use crate::crates::Crates;
use crate::process::{read, set_unless_given};
use crate::pytest::{DRAW, DRAWN};
use crate::ros::profile;
use crate::run::{Run, SEED};
use crate::wasm;

/// The tests of the robot in a physics engine, and the random drives among them.
const PHYSICS: &str = "physics";
const DRIVES: &str = "drives::when_200";

impl Run<'_> {
    /// All of it.
    pub fn no_hurry(&mut self, crates: Crates<'_>) {
        self.physics(crates);
        self.fresh_drives(crates);
        self.benchmarks(crates);
        self.physics_in_a_browser();
        self.wasm(crates);
    }

    /// The robot in a physics engine: some of the cases of what takes long, others in each run.
    fn physics(&mut self, crates: Crates<'_>) {
        let mut command = crates.cargo(self.layout, &["test", "--no-fail-fast", "--test", PHYSICS]);
        command.args(&self.options.filter);
        if self.has_fresh_seeds() {
            // They follow, with other seeds.
            command.args(["--", "--skip", DRIVES]);
        }
        set_unless_given(&mut command, SEED, "1");
        command.env(DRAW, &*DRAWN);
        self.report.section(&format!("tests, {SIM} with {DRAW}={}", *DRAWN), &mut command, &[0]);
    }

    /// Random drives with a fresh seed, unless one is given.
    fn fresh_drives(&mut self, crates: Crates<'_>) {
        self.fresh(&format!("random drives, {SIM}"), &[], |layout| {
            let mut command = crates.cargo(layout, &["test", "--test", PHYSICS]);
            command.arg(DRIVES);
            command
        });
    }

    /// That the benchmarks compile, and their lints. `cargo xtask bench` runs them.
    fn benchmarks(&mut self, crates: Crates<'_>) {
        if self.options.filter.is_some() {
            return;
        }
        let mut command = cargo(self.layout);
        command.args(["clippy", "--all-targets", "-p", BENCH]).args(profile(crates.ros)).args(["--", "-D", "warnings"]);
        self.report.section(&format!("lints, {BENCH}"), &mut command, &[0]);
    }

    /// Whether the physics build for a browser.
    fn physics_in_a_browser(&mut self) {
        if self.options.filter.is_some() {
            return;
        }
        let title = format!("WebAssembly, {SIM}");
        if wasm::has_target() {
            let mut command = cargo(self.layout);
            command.args(["check", "-p", SIM, "--lib", "--target", wasm::TARGET]);
            self.report.section(&title, &mut command, &[0]);
        } else {
            self.report.skip(&title, "rustup target add wasm32-unknown-unknown");
        }
    }

    /// The walking engine as WebAssembly, in Node, against the same one here, where both are.
    fn wasm(&mut self, crates: Crates<'_>) {
        let title = format!("tests, {WASM}");
        if read(Command::new("node").arg("--version")).is_err() {
            self.report.skip(&title, "node is not installed");
        } else if !wasm::has_target() {
            self.report.skip(&title, "rustup target add wasm32-unknown-unknown");
        } else if let Err(error) = wasm::build(self.layout) {
            self.report.fail(&title, &format!("{error:#}"));
        } else {
            let mut command = crates.cargo(self.layout, &["test", "--test", "wasm"]);
            command.args(&self.options.filter).args(["--", "--ignored"]);
            self.report.section(&title, &mut command, &[0]);
        }
    }
}
