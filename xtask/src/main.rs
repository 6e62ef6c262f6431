//! The project's commands: `cargo xtask help` lists them.

mod bench;
mod bindings;
mod cargo;
mod cmake_paths;
mod crates;
mod demo;
mod env;
mod layout;
mod libraries;
mod man;
mod meanwhile;
mod needs;
mod overlay;
mod package;
mod page;
mod process;
mod progress;
mod pytest;
mod python;
mod report;
mod ros;
mod run;
mod setup;
mod soak;
mod stamp;
mod tally;
mod test;
mod wasm;
mod wheels;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::ros::Ros;
use crate::run::Options;
use crate::setup::Scope;

const HELP: &str = "\
cargo xtask <command>

  demo [ARGS]         set up what is missing, build, and walk a simulated hexapod in this terminal
  test [PART]         set up what is missing and run every check; PART: only tests whose name holds it
       --pure         without everything that needs ROS 2
  soak --hours N      drive, stop, break and restart the robot at random, and write a report
       --seed S       the same events again
       --report FILE  in place of target/soak/report.md
       --phase NAME   only that part of it: one life, composed, by node, heartbeats, physics
  bench [ARGS]        run the benches; ARGS go to `cargo bench`
  wasm                build the walking engine as WebAssembly, for the page's playground
  page                build the page of the web teleop, with Node
  env                 put the ROS 2 in use and `hexapod` into this shell: eval \"$(cargo xtask env)\"
  ci                  what .ci/run runs: test, and cargo deny where it is installed
       --part NAME    only lints, page, crates, physics or robots
  help                show this

A ROS 2 that is sourced in the shell is used as it is. Otherwise one is made in .ros (x86_64 Linux), once.
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    let command = args.next().unwrap_or_else(|| "help".into());
    let layout = Layout::find()?;
    match command.to_string_lossy().as_ref() {
        "demo" => demo::demo(&layout, args)?,
        "test" => return Ok(verdict(test::test(&layout, &Options::parse(text(args))?)?)),
        "soak" => return Ok(verdict(soak::soak(&layout, &soak::Options::parse(text(args))?)?)),
        "ci" => return Ok(verdict(test::test(&layout, &Options::ci(text(args))?)?)),
        "page" => page::page(&layout)?,
        "package" => package::package(&layout)?,
        "bench" => bench::bench(&layout, args)?,
        "wasm" => wasm::wasm(&layout)?,
        "env" => print!("{}{}", Ros::ensure(&layout, Scope::Run)?.exports(), env::executables_on_path()?),
        "help" | "-h" | "--help" => print!("{HELP}"),
        other => bail!("no command `{other}`\n\n{HELP}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Arguments as text.
fn text(args: impl Iterator<Item = OsString>) -> impl Iterator<Item = String> {
    args.map(|arg| arg.to_string_lossy().into_owned())
}

fn verdict(passed: bool) -> ExitCode {
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
