//! `hexapod`: all nodes in one process, and the tools around them.

use clap::Parser;
use hexapod::cli::{Cli, Command, own_arguments};
use hexapod::{
    calibrate, check, composed, config, demo, doctor, drive, exit, guard, identify, new, nodes, plot, servo, sim, stop,
    trace,
};
use hexapod_ros::{Shutdown, log};

fn main() {
    let name = std::env::args_os().next().unwrap_or_default();
    if let Some(node) = nodes::called(name.as_ref()) {
        node();
    }
    let cli = Cli::parse_from(own_arguments());
    if matches!(cli.command, Command::Run(_) | Command::Drive(_) | Command::Stop(_)) {
        exit::take_log_folder();
    }
    match cli.command {
        Command::Run(_) => log::start("hexapod"),
        Command::Guard(_) => guard::start_log(),
        _ => exit::log(),
    }
    exit::end(match cli.command {
        Command::Run(arguments) => run(&arguments),
        Command::Drive(files) => drive::drive(&files),
        Command::Stop(arguments) => stop::stop(&arguments),
        Command::Demo(files) => demo::demo(&files),
        Command::Guard(arguments) => guard::guard(&arguments),
        Command::Servo(arguments) => servo::servo(&arguments),
        Command::Calibrate(arguments) => calibrate::calibrate(&arguments),
        Command::Config(arguments) => config::config(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::New(arguments) => new::new(&arguments),
        Command::Plot { what } => plot::plot(&what),
        Command::Identify(arguments) => identify::identify_bag(&arguments),
        Command::Trace(arguments) => trace::trace(&arguments),
        Command::Sim(arguments) => sim::sim(&arguments),
    })
}

fn run(arguments: &hexapod::cli::RunArgs) -> Result<(), exit::Failure> {
    // First of all, as long as there is one thread.
    let local_topics = hexapod_middleware::take_local_topics();
    let shutdown = Shutdown::on_signals()?;
    if arguments.attached {
        end_with_standard_input(shutdown.clone())?;
    }
    composed::run(arguments, local_topics, &shutdown)
}

/// Asks for the end when standard input is closed.
fn end_with_standard_input(shutdown: Shutdown) -> std::io::Result<()> {
    let wait = move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        shutdown.ask();
    };
    std::thread::Builder::new().name("standard-input".into()).spawn(wait).map(|_| ())
}
