//! What `cargo xtask test` checks of the crates apart from the workspace.

use std::process::Command;

use crate::cargo::{APART, BENCH, SIM, WASM, cargo_apart};
use crate::process::read;
use crate::ros::{Ros, profile};
use crate::run::{Run, SEED};
use crate::wasm;

/// The benchmarks that criterion runs; `peers` beside them counts and compares by itself.
const CRITERION: [&str; 4] = ["angle_to_bytes", "dynamics", "kinematics", "tick"];
/// The random drives among the tests in physics.
const DRIVES: &str = "drives::when_200";

impl Run<'_> {
    /// Formatting of the crates apart from the workspace.
    pub fn formatting_apart(&mut self) {
        self.each_apart("formatting", &["fmt", "--check"]);
    }

    /// Their lints.
    pub fn lints_apart(&mut self, ros: Option<&Ros>) {
        let arguments = [&["clippy", "--all-targets"], profile(ros), &["--", "-D", "warnings"]].concat();
        self.each_apart("lints", &arguments);
    }

    fn each_apart(&mut self, title: &str, arguments: &[&str]) {
        if self.options.filter.is_none() {
            for name in APART {
                self.apart(&format!("{title}, {name}"), name, |command| command.args(arguments));
            }
        }
    }

    /// Each of criterion's benchmarks once: that it comes to an end is all one run can say.
    pub fn benchmarks(&mut self, ros: Option<&Ros>) {
        if self.options.filter.is_some() {
            return;
        }
        self.apart(&format!("benchmarks once, {BENCH}"), BENCH, |command| {
            command.arg("test").args(profile(ros)).args(CRITERION.iter().flat_map(|name| ["--bench", name]))
        });
    }

    /// The robot in a physics engine, and the example of it that oracles of `tests/ros` take.
    pub fn physics(&mut self, ros: Option<&Ros>) {
        let filter = self.options.filter.clone();
        self.apart(&format!("tests, {SIM}"), SIM, |command| {
            command
                .args(["test", "--no-fail-fast"])
                .args(profile(ros))
                .args(&filter)
                .env(SEED, std::env::var_os(SEED).unwrap_or_else(|| "1".into()))
        });
    }

    /// Random drives with a fresh seed, unless one is given.
    pub fn fresh_drives(&mut self, ros: Option<&Ros>) {
        self.fresh(&format!("random drives, {SIM}"), |layout| {
            let mut command = cargo_apart(layout, SIM)?;
            command.arg("test").args(profile(ros)).args(["--test", "all", DRIVES]);
            Ok(command)
        });
    }

    /// Whether the physics build for a browser.
    pub fn physics_in_a_browser(&mut self) {
        if self.options.filter.is_some() {
            return;
        }
        let title = format!("WebAssembly, {SIM}");
        if wasm::has_target() {
            self.apart(&title, SIM, |command| command.args(["check", "--lib", "--target", wasm::TARGET]));
        } else {
            self.report.skip(&title, "rustup target add wasm32-unknown-unknown");
        }
    }

    /// The walking engine for a browser; as WebAssembly too, in Node, against the same one here, where both are.
    pub fn wasm(&mut self, ros: Option<&Ros>) {
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
            command.arg("test").args(profile(ros)).args(&self.options.filter).arg("--").args(included)
        });
    }
}
