//! `hexapod`: all nodes in one process, and the tools around them.

use clap::Parser;
use hexapod::cli::{Cli, Command, own_arguments};
use hexapod::{check, composed, exit};
use hexapod_ros::{Shutdown, Stage};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let cli = Cli::parse_from(own_arguments());
    exit::log();
    exit::status(match cli.command {
        Command::Run(arguments) => run(&arguments),
        Command::Check(files) => check::check(&files),
    })
}

fn run(arguments: &hexapod::cli::RunArgs) -> Result<(), exit::Failure> {
    let shutdown = Shutdown::on_signals()?;
    composed::run(arguments, &shutdown, |_| while !shutdown.wait(Stage::Stopping, Duration::from_secs(3600)) {})
}
