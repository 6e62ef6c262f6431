//! One node in a process of its own.

use crate::composed::{NODES, tell_files};
use crate::exit::{self, Failure};
use hexapod_config::ros_params::{ParamSpec, Params, check_known_nodes, load_ros_params};
use hexapod_config::{ConfigError, Document};
use hexapod_ros::{Ros, RosNode, Shutdown, log, memory};
use hexapod_setup::{Files, params};
use std::process::ExitCode;

/// Runs the node `name` until a signal ends it. Files are read and checked after ROS has told the parameters and
/// before anything is opened.
pub fn main<S, L: Into<Failure>, E: std::fmt::Display>(
    name: &str,
    specs: Vec<ParamSpec>,
    load: impl FnOnce(&Params) -> Result<S, L>,
    run: impl FnOnce(S, RosNode, &Shutdown) -> Result<(), E>,
) -> ExitCode {
    // First of all, as long as there is one thread.
    hexapod_middleware::take_profile();
    log::start(name);
    exit::status(start(name, specs, load, run))
}

fn start<S, L: Into<Failure>, E: std::fmt::Display>(
    name: &str,
    specs: Vec<ParamSpec>,
    load: impl FnOnce(&Params) -> Result<S, L>,
    run: impl FnOnce(S, RosNode, &Shutdown) -> Result<(), E>,
) -> Result<(), Failure> {
    let shutdown = Shutdown::on_signals()?;
    check_parameter_files(name, &specs)?;
    let ros = Ros::init()?;
    ros.watch_hearing(&shutdown)?;
    let base = |given: &Params| parameters_of(name, &specs, given);
    let node = RosNode::create_over(&ros, name, specs.clone(), base)?;
    tell_files([node.values()]);
    let setup = load(node.values()).map_err(Into::into)?;
    if let Err(reason) = memory::lock() {
        tracing::info!("{reason}");
    }
    run(setup, node, &shutdown).map_err(|error| Failure::Running(error.to_string()))
}

/// What `hexapod.yaml` says of a node, in the folders that `--ros-args` or nobody names.
fn parameters_of(node: &str, specs: &[ParamSpec], given: &Params) -> Result<Params, Failure> {
    let file = Files::find(&params::text(given, "config"), &params::text(given, "urdf"))?.in_config("hexapod.yaml");
    if !file.exists() {
        return Ok(Params::new());
    }
    let document = file.read()?;
    check_known_nodes(&document, &NODES)?;
    Ok(load_ros_params(&document, node, specs)?)
}

/// rcl takes misspelt names in a parameter file without a word: each file is read a second time, strictly.
fn check_parameter_files(node: &str, specs: &[ParamSpec]) -> Result<(), ConfigError> {
    let arguments: Vec<String> = std::env::args().collect();
    for pair in arguments.windows(2).filter(|pair| pair[0] == "--params-file") {
        load_ros_params(&Document::read(&pair[1])?, node, specs)?;
    }
    Ok(())
}
