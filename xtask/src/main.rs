//! The project's commands: `cargo xtask help` lists them.

mod cmake_paths;
mod env;
mod layout;
mod libraries;
mod needs;
mod overlay;
mod process;
mod progress;
mod python;
mod ros;
mod setup;
mod stamp;
mod wheels;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::ros::Ros;
use crate::setup::Scope;

const HELP: &str = "\
cargo xtask <command>

  env                 print the ROS 2 environment; use it with: eval \"$(cargo xtask env)\"
  help                show this
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
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_else(|| "help".to_owned());
    let layout = Layout::find()?;
    match command.as_str() {
        "env" => print!("{}", Ros::ensure(&layout, Scope::Run)?.exports()),
        "help" | "-h" | "--help" => print!("{HELP}"),
        other => bail!("no command `{other}`\n\n{HELP}"),
    }
    Ok(ExitCode::SUCCESS)
}
