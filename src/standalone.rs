//! One node in a process of its own.

use crate::agreement::{notes, share_frames};
use crate::cli::own_arguments;
use crate::exit::{self, Failure, say};
use crate::parameters::{AllParams, beside_files_for_ros, check_no_folder, files_for_ros, files_of, tell_files};
use hexapod_config::ros_params::{ParamSpec, Params, check_known_nodes, load_on};
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_ros::{Ros, RosNode, Shutdown, log, memory};
use hexapod_setup::{Files, params};
use std::fmt::Write;

/// A node as its `--help` tells of it.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Name of the node and of its executable.
    pub name: &'static str,
    /// What it does.
    pub does: &'static str,
    /// The files it reads.
    pub files: &'static [&'static str],
}

/// Runs a node until a signal ends it, or tells of it. Files are read and checked after ROS has provided the parameters
/// and before anything is opened.
pub fn main<S, L: Into<Failure>, E: std::fmt::Display>(
    about: &About,
    specs: Vec<ParamSpec>,
    load: impl FnOnce(&Params) -> Result<S, L>,
    run: impl FnOnce(S, RosNode, &Shutdown) -> Result<(), E>,
) -> ! {
    let parameters = match Own::read(own_arguments().skip(1)) {
        Own::Help => exit::end(say(help(about, &specs).trim_end())),
        Own::Version => exit::end(say(format_args!("{} {VERSION}", about.name))),
        Own::Wrong(what) => {
            let words = format!("{what}; `{} --help` shows what there is", about.name);
            exit::end(Err(Failure::Words(words)));
        }
        Own::Parameters(parameters) => parameters,
    };
    // First of all, as long as there is one thread.
    exit::take_log_folder();
    hexapod_middleware::take_profile();
    log::start(about.name);
    exit::end(start(about.name, specs, &parameters, load, run))
}

/// What a node's own arguments ask for, those before `--ros-args`.
#[derive(Debug, PartialEq, Eq)]
enum Own {
    Help,
    Version,
    /// To run, with these parameters.
    Parameters(Vec<String>),
    /// Nothing there is, and why.
    Wrong(String),
}

impl Own {
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut parameters = Vec::new();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "-h" | "--help" => return Self::Help,
                "-V" | "--version" => return Self::Version,
                "-p" | "--param" => match arguments.next() {
                    Some(parameter) if parameter.contains(":=") => parameters.push(parameter),
                    _ => return Self::Wrong(format!("{argument} takes name:=value")),
                },
                // The log itself looks for it.
                "--log-level" => match arguments.next().map(|level| log::check_level(&level)) {
                    Some(Ok(())) => {}
                    Some(Err(reason)) => return Self::Wrong(format!("{argument}: {reason}")),
                    None => return Self::Wrong(format!("{argument} takes debug, info, warn, error or fatal")),
                },
                _ => return Self::Wrong(unknown(&argument)),
            }
        }
        Self::Parameters(parameters)
    }
}

/// What to say of an argument that there is not: `hexapod` takes some that are parameters of a node.
fn unknown(argument: &str) -> String {
    let name = argument.split('=').next().unwrap_or_default();
    let value = match name {
        "--config" => "DIR",
        "--urdf" => "FILE",
        "--bus" => "BUS",
        _ => return format!("{argument}: there is no such argument before --ros-args"),
    };
    format!("{argument}: a node takes this as a parameter: -p {}:={value}", name.trim_start_matches('-'))
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Usage, parameters with their defaults, and files.
fn help(about: &About, specs: &[ParamSpec]) -> String {
    let About { name, does, files } = about;
    let mut out = format!(
        "{does}\n\nUsage: {name} [-p NAME:=VALUE] [--log-level [NODE:=]LEVEL] [--ros-args [-p NAME:=VALUE] [--params-file FILE] [-r FROM:=TO] ...]\n"
    );
    out.push_str("\nParameters, with their defaults:\n");
    let settings: Vec<String> = specs.iter().map(|spec| format!("{}:={}", spec.name, spec.default)).collect();
    let width = settings.iter().map(|setting| setting.chars().count()).max().unwrap_or_default();
    for (spec, setting) in specs.iter().zip(&settings) {
        let _ = writeln!(out, "  {setting:<width$}  {}{}", spec.description, allowed(spec));
    }
    let _ = writeln!(out, "\nFiles, in the folder `config` unless it is the URDF: {}", files.join(", "));
    out.push_str("\nOptions:\n  -h, --help     Print help\n  -V, --version  Print version\n");
    out
}

/// What a parameter may be, in brackets.
fn allowed(spec: &ParamSpec) -> String {
    match (spec.range, spec.choices) {
        (Some((least, greatest)), _) => format!(" [{least} to {greatest}]"),
        (None, []) => String::new(),
        (None, choices) => format!(" [{}]", choices.join(", ")),
    }
}

fn start<S, L: Into<Failure>, E: std::fmt::Display>(
    name: &str,
    specs: Vec<ParamSpec>,
    parameters: &[String],
    load: impl FnOnce(&Params) -> Result<S, L>,
    run: impl FnOnce(S, RosNode, &Shutdown) -> Result<(), E>,
) -> Result<(), Failure> {
    let shutdown = Shutdown::on_signals()?;
    check_parameter_files(name, &specs)?;
    let ros = Ros::init_with(parameters)?;
    ros.watch_rmw(&shutdown)?;
    let base = |given: &Params| parameters_of(name, &specs, given);
    let node = RosNode::create_over(&ros, name, specs.clone(), base)?;
    let values = beside_files_for_ros(name, &specs, node.values().clone(), &files_for_ros());
    tell_files([&values]);
    let setup = load(&values).map_err(Into::into)?;
    beside_others(&values, name).iter().flat_map(notes).for_each(|note| tracing::warn!("{note}"));
    if let Err(reason) = memory::lock() {
        tracing::info!("{reason}");
    }
    run(setup, node, &shutdown).map_err(|error| Failure::Running(error.to_string()))
}

/// What `hexapod.yaml`, or `joystick.yaml`, says of a node, in the folders that `--ros-args` or nobody names.
fn parameters_of(node: &str, specs: &[ParamSpec], given: &Params) -> Result<Params, Failure> {
    let (name, nodes) = params::file_of(node);
    let file = Files::find(&params::text(given, "config"), &params::text(given, "urdf"))?.in_config(name);
    if !file.exists() {
        return Ok(Params::new());
    }
    let document = file.read_on()?;
    let mut faults = Faults::default();
    faults.note(check_known_nodes(&document, nodes));
    faults.note(check_no_folder(&document));
    let mut params = load_on(&document, node, specs, &mut faults);
    if node == gait_planner::NAME {
        // What does not hold there is reported by that node.
        let publisher = load_on(&document, state_publisher::NAME, &state_publisher::specs(), &mut Faults::default());
        share_frames(&mut params, &publisher);
    }
    Ok(faults.or(Some(params))?)
}

/// The parameters of a node, and those that `hexapod.yaml` gives the others; none where it does not hold.
fn beside_others(values: &Params, node: &str) -> Option<AllParams> {
    let mut all = AllParams::of_files(&files_of(values).ok()?)?;
    assume_shared(&mut all, values, node);
    Some(all)
}

/// Lays what a node was given over what the files say. Of what all nodes have to agree on the others are taken to have been
/// given the same, by command lines of their own, which are not known here. Where they were not, their messages show it.
fn assume_shared(all: &mut AllParams, values: &Params, node: &str) {
    for name in ["use_sim_time", "base_frame", "frame_prefix"] {
        let Some(value) = values.get(name) else { continue };
        if all.of_mut(node).is_none_or(|own| own.get(name) == Some(value)) {
            continue;
        }
        for other in params::NODES {
            if let Some(known) = all.of_mut(other).and_then(|other| other.get_mut(name)) {
                known.clone_from(value);
            }
        }
    }
    if let Some(own) = all.of_mut(node) {
        own.extend(values.clone());
    }
}

/// rcl takes misspelt names in a parameter file without a word: each file is read a second time, strictly.
fn check_parameter_files(node: &str, specs: &[ParamSpec]) -> Result<(), ConfigError> {
    let mut faults = Faults::default();
    for file in files_for_ros() {
        if let Some(document) = faults.note(Document::read_on(&file)) {
            load_on(&document, node, specs, &mut faults);
        }
    }
    faults.into_result()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Own {
        Own::read(arguments.iter().map(|argument| (*argument).to_owned()))
    }

    #[test]
    fn when_arguments_come_before_those_for_ros_expect_parameters_taken_and_all_else_named() {
        assert_eq!(read(&[]), Own::Parameters(vec![]));
        assert_eq!(
            read(&["-p", "rate:=50.0", "--param", "gait:=wave"]),
            Own::Parameters(vec!["rate:=50.0".into(), "gait:=wave".into()])
        );
        assert_eq!(read(&["--log-level", "gait_planner:=debug"]), Own::Parameters(vec![]));
        assert_eq!((read(&["-p", "a:=1", "-h"]), read(&["-V"])), (Own::Help, Own::Version));
        for (arguments, culprit) in [
            (&["-p"][..], "-p"),
            (&["--log-level", "loud"], "loud"),
            (&["-p", "rate"], "-p"),
            (&["--bogus"], "--bogus"),
            (&["gait:=wave"], "gait"),
            (&["--config", "/c"], "-p config:=DIR"),
            (&["--urdf=/r.urdf"], "-p urdf:=FILE"),
        ] {
            assert!(matches!(read(arguments), Own::Wrong(what) if what.contains(culprit)), "{arguments:?}");
        }
    }

    #[test]
    fn when_a_node_is_given_what_all_have_to_share_expect_the_others_taken_to_be_given_it_too() {
        let params =
            |specs: Vec<ParamSpec>| -> Params { specs.into_iter().map(|spec| (spec.name, spec.default)).collect() };
        let files = || AllParams {
            planner: params(gait_planner::specs()),
            driver: params(servo_driver::specs()),
            publisher: params(state_publisher::specs()),
            ..AllParams::default()
        };
        for node in [gait_planner::NAME, servo_driver::NAME, state_publisher::NAME] {
            let mut all = files();
            let mut given = all.of_mut(node).cloned().unwrap_or_default();
            given.insert("use_sim_time", true.into());
            assume_shared(&mut all, &given, node);
            assert_eq!(notes(&all), [""; 0], "{node}");
            // What a file says of one node alone is reported as ever.
            let mut all = files();
            all.of_mut(node).and_then(|own| own.insert("use_sim_time", true.into()));
            assume_shared(&mut all, &given, node);
            assert!(notes(&all).concat().contains("use_sim_time differs"), "{node}");
        }
    }

    #[test]
    fn when_help_is_asked_for_expect_every_parameter_with_its_default_and_range() {
        let about = About { name: "gait_planner", does: "Walks.", files: &["gaits.yaml"] };
        let help = help(&about, &gait_planner::specs());
        for words in
            ["Walks.", "Usage: gait_planner", "step_height:=0.03", "[0 to 0.5]", "gait:=\"tripod\"", "gaits.yaml"]
        {
            assert!(help.contains(words), "{words}: {help}");
        }
        assert_eq!(help.matches(":=").count(), gait_planner::specs().len() + 4);
    }
}
