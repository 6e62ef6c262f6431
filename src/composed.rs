//! All nodes in one process, ended in the order that is safe: first the robot sits, then the servos are let go.

use crate::agreement::{check_clock, check_no_folder, check_robots, notes, share_frames};
use crate::cli::{FileArgs, RunArgs};
use crate::exit::Failure;
use crate::strength;
use hexapod_config::ros_params::{
    ParamSpec, ParamValue, Params, check_known_nodes, check_named, hint_for, load_on, load_ros_params, parse_override,
};
use hexapod_config::{ConfigError, Faults};
use hexapod_ros::{Ros, RosError, RosNode, Shutdown, Stage, memory};
use hexapod_setup::{CONFIG_FILES, Files, params};
use servo_driver::Live;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

/// Parameters of the nodes.
#[derive(Clone, Debug, Default)]
pub struct AllParams {
    /// Of `gait_planner`.
    pub planner: Params,
    /// Of `servo_driver`.
    pub driver: Params,
    /// Of `state_publisher`.
    pub publisher: Params,
    /// Of `web_teleop`.
    pub web: Params,
}

impl AllParams {
    /// What `hexapod.yaml` says of all nodes; none where it does not hold.
    #[must_use]
    pub fn of_files(files: &Files) -> Option<Self> {
        let document = files.in_config("hexapod.yaml").read_on().ok()?;
        let [planner, driver, publisher, web] = specs();
        let read = |node: &str, specs: &[ParamSpec]| load_ros_params(&document, node, specs).ok();
        Some(Self {
            planner: read(gait_planner::NAME, &planner)?,
            driver: read(servo_driver::NAME, &driver)?,
            publisher: read(state_publisher::NAME, &publisher)?,
            web: read(web_teleop::NAME, &web)?,
        })
    }

    /// Those of the node of this name.
    pub fn of_mut(&mut self, node: &str) -> Option<&mut Params> {
        match node {
            gait_planner::NAME => Some(&mut self.planner),
            servo_driver::NAME => Some(&mut self.driver),
            state_publisher::NAME => Some(&mut self.publisher),
            web_teleop::NAME => Some(&mut self.web),
            _ => None,
        }
    }
}

/// Reads `hexapod.yaml` and lays the command line over it.
///
/// # Errors
/// File, line and key of what does not hold, in the other files too; arguments that do not.
pub fn parameters(arguments: &RunArgs) -> Result<AllParams, Failure> {
    let mut faults = Faults::default();
    let all = read_parameters(arguments, &mut faults)?;
    if !faults.is_empty() {
        match Setups::load(&all) {
            Err(Failure::Input(error)) => faults.add(error),
            Err(other) => return Err(other),
            Ok(_) => {}
        }
    }
    Ok(faults.or(Some(all))?)
}

/// The same, with defaults in place of what does not hold, which is noted.
fn read_parameters(arguments: &RunArgs, faults: &mut Faults) -> Result<AllParams, ConfigError> {
    let FileArgs { config, urdf } = &arguments.files;
    let files = Files::find(config, urdf)?;
    let document = faults.note(files.in_config("hexapod.yaml").read_on());
    if let Some(document) = &document {
        faults.note(check_known_nodes(document, &params::NODES));
        faults.note(check_no_folder(document));
    }
    let specs = specs();
    let mut all: Vec<Params> = Vec::new();
    for (node, specs) in params::NODES.iter().zip(&specs) {
        let mut params = match &document {
            Some(document) => load_on(document, node, specs, faults),
            None => specs.iter().map(|spec| (spec.name, spec.default.clone())).collect(),
        };
        if !config.is_empty() {
            params.insert("config", config.as_str().into());
        }
        if !urdf.is_empty() || params::text(&params, "urdf").is_empty() {
            params.insert("urdf", ParamValue::String(files.urdf.display().to_string()));
        }
        all.push(params);
    }
    if let Some(bus) = arguments.bus {
        all[1].insert("bus", bus.as_str().into());
    }
    for text in &arguments.params {
        let applied = apply(text, &specs, &mut all);
        faults.note(applied.map_err(|reason| ConfigError::whole_file(&format!("-p {text}"), reason, "")));
    }
    let mut all = all.into_iter();
    let mut next = || all.next().unwrap_or_default();
    Ok(AllParams { planner: next(), driver: next(), publisher: next(), web: next() })
}

/// What can be set on each of the nodes.
fn specs() -> [Vec<ParamSpec>; 4] {
    [gait_planner::specs(), servo_driver::specs(), state_publisher::specs(), web_teleop::specs()]
}

/// What can be set on each of the nodes, by its name.
#[must_use]
pub fn node_specs() -> [(&'static str, Vec<ParamSpec>); 4] {
    let [planner, driver, publisher, web] = specs();
    let [a, b, c, d] = params::NODES;
    [(a, planner), (b, driver), (c, publisher), (d, web)]
}

/// What can be set on any of the nodes.
#[must_use]
pub fn all_specs() -> Vec<ParamSpec> {
    specs().concat()
}

/// Lets the page send the type of `cmd_vel` that the planner takes, and the planner tell its markers in the frames of
/// `state_publisher`.
fn share(mut all: AllParams) -> AllParams {
    all.web.insert("stamped_cmd_vel", ParamValue::Bool(params::switch(&all.planner, "stamped_cmd_vel")));
    share_frames(&mut all.planner, &all.publisher);
    all
}

fn apply(text: &str, specs: &[Vec<ParamSpec>], all: &mut [Params]) -> Result<(), String> {
    let (node, name, value) = parse_override(text)?;
    let index = |node: &String| {
        let index = params::NODES.iter().position(|known| known == node);
        index.ok_or_else(|| format!("there is no node `{node}`: {}", hint_for(node, &params::NODES)))
    };
    let named = node.as_ref().map(index).transpose()?;
    let has_it = |index: &usize| specs[*index].iter().any(|spec| spec.name == name);
    let nodes: Vec<usize> = named.map_or_else(|| (0..specs.len()).filter(has_it).collect(), |index| vec![index]);
    if nodes.is_empty() {
        let known: Vec<&str> = specs.iter().flatten().map(|spec| spec.name).collect();
        return Err(format!("no node has a parameter `{name}`: {}", hint_for(&name, &known)));
    }
    for index in nodes {
        let (spec, value) = check_named(&specs[index], &name, &value)?;
        all[index].insert(spec.name, value);
    }
    Ok(())
}

/// All that the nodes run with.
pub struct Setups {
    /// Of `gait_planner`.
    pub planner: gait_planner::Setup,
    /// Of `servo_driver`.
    pub driver: servo_driver::Setup,
    /// Of `state_publisher`.
    pub publisher: state_publisher::Setup,
    /// Of `web_teleop`.
    pub web: web_teleop::Setup,
}

impl Setups {
    /// Reads and checks every file.
    ///
    /// # Errors
    /// File, line and key of all that does not hold.
    pub fn load(all: &AllParams) -> Result<Self, Failure> {
        // The planner has most to work out; the others read their files meanwhile.
        std::thread::scope(|scope| {
            let others = || (servo_driver::Setup::load(&all.driver), state_publisher::Setup::load(&all.publisher));
            let others = std::thread::Builder::new().name("files".into()).spawn_scoped(scope, others)?;
            let planner = gait_planner::Setup::load(&all.planner);
            let (driver, publisher) = others.join().map_err(|_| Failure::Running("reading files panicked".into()))?;
            let mut faults = Faults::default();
            faults.note(check_robots(all));
            faults.note(check_clock(all));
            // The planner may have its frames of the publisher, which says so where they do not hold.
            let told = publisher.as_ref().err().cloned();
            let is_told = |error: &ConfigError| {
                told.iter().flat_map(ConfigError::each).any(|known| error.message().ends_with(known.message()))
            };
            let planner = match planner {
                Err(error) if error.each().all(is_told) => None,
                planner => faults.note(planner),
            };
            let web = faults.note(web_teleop::Setup::load(&all.web));
            let read = planner.zip(faults.note(driver)).zip(faults.note(publisher)).zip(web);
            let (((mut planner, driver), publisher), web) = faults.or(read)?;
            planner.notes.extend(strength::note(&planner.engine));
            Ok(Self { planner, driver, publisher, web })
        })
    }
}

struct Nodes {
    planner: RosNode,
    driver: RosNode,
    publisher: RosNode,
    /// Where the page is asked for.
    web: Option<RosNode>,
    web_params: Params,
}

impl Nodes {
    fn create(base: AllParams, arguments: &RunArgs, local_topics: bool, shutdown: &Shutdown) -> Result<Self, RosError> {
        let ros = Ros::init()?.beside(&all_specs());
        ros.watch_hearing(shutdown)?;
        let ros = if local_topics { ros.with_local_topics() } else { ros };
        Ok(Self {
            planner: RosNode::create(&ros, gait_planner::NAME, gait_planner::specs(), base.planner)?,
            driver: RosNode::create(&ros, servo_driver::NAME, servo_driver::specs(), base.driver)?,
            publisher: RosNode::create(&ros, state_publisher::NAME, state_publisher::specs(), base.publisher)?,
            web: arguments
                .web
                .then(|| RosNode::create(&ros, web_teleop::NAME, web_teleop::specs(), base.web.clone()))
                .transpose()?,
            web_params: base.web,
        })
    }

    /// Parameters with what `--ros-args` say.
    fn values(&self) -> AllParams {
        AllParams {
            planner: self.planner.values().clone(),
            driver: self.driver.values().clone(),
            publisher: self.publisher.values().clone(),
            web: self.web.as_ref().map_or(&self.web_params, RosNode::values).clone(),
        }
    }
}

/// Runs all nodes until `shutdown`. With `local_topics` they hand shared topics over themselves.
///
/// # Errors
/// The input does not hold, or a node failed.
pub fn run(arguments: &RunArgs, local_topics: bool, shutdown: &Shutdown) -> Result<(), Failure> {
    // The middleware takes longer to be known to others than all files take to be read. Where those do not hold, nothing
    // of the robot has been opened, and the nodes are gone again before anybody could have heard of them. Not both at
    // once: with every processor busy, others answer the middleware's first words too late (ARCHITECTURE.md).
    let nodes = Nodes::create(parameters(arguments)?, arguments, local_topics, shutdown)?;
    let values = share(nodes.values());
    tell_files([&values.planner, &values.driver, &values.publisher]);
    let setups = Setups::load(&values)?;
    notes(&values).iter().for_each(|note| tracing::warn!("{note}"));
    if let Err(reason) = memory::lock() {
        tracing::info!("{reason}");
    }
    let (last, end) = (Shutdown::default(), shutdown.clone());
    let (stop_driver, stop_publisher, stop_web) = (last.clone(), last.clone(), last.clone());
    let publisher = spawn(state_publisher::NAME, shutdown, move || {
        state_publisher::run(setups.publisher, nodes.publisher, &stop_publisher).map_err(|e| e.to_string())
    })?;
    let live = setups.driver.live();
    let driver = spawn(servo_driver::NAME, shutdown, move || {
        servo_driver::run(setups.driver, nodes.driver, &stop_driver).map_err(|e| e.to_string())
    })?;
    // The page is not what the robot stands on: where it fails, the robot goes on. It may stop the robot until the end.
    let serve = move |node| web_teleop::run(setups.web, node, &stop_web).map_err(|e| e.to_string());
    let web =
        nodes.web.map(|node| spawn(web_teleop::NAME, &Shutdown::default(), move || told(serve(node)))).transpose()?;
    // A planner that fails cannot make the robot sit, so that does not end the process (see below).
    let planner = spawn(gait_planner::NAME, &Shutdown::default(), move || {
        gait_planner::run(setups.planner, nodes.planner, &end).map_err(|e| e.to_string())
    })?;
    // The planner ends when the robot sits; only then may the servos be let go.
    let planner = join(gait_planner::NAME, planner);
    if let Err(Failure::Running(reason)) = &planner {
        hold(reason, &live, &driver, shutdown);
    }
    last.ask_now();
    let driver = join(servo_driver::NAME, driver);
    let publisher = join(state_publisher::NAME, publisher);
    // Told already.
    let _ = web.map(|web| join(web_teleop::NAME, web));
    planner.and(driver).and(publisher)
}

/// Tells at once why something failed.
fn told(result: Result<(), String>) -> Result<(), String> {
    result.inspect_err(|reason| tracing::error!("{reason}"))
}

/// Without a planner the driver holds the robot as it stands, as it does when the planner was a process of its own that
/// died, and lets go in its own time; a signal skips that.
fn hold(reason: &str, live: &Live, driver: &Running, shutdown: &Shutdown) {
    const LOOK_EVERY: Duration = Duration::from_millis(50);
    if live.is_live() {
        tracing::error!("{reason}: the servos hold the robot; lift it off the ground before you end this process");
    }
    while live.is_live() && !driver.is_finished() && !shutdown.wait(Stage::Stopping, LOOK_EVERY) {}
}

type Running = JoinHandle<Result<(), String>>;

/// A node on a thread of its own; when it fails or panics, the whole process ends in order.
fn spawn(
    name: &str,
    shutdown: &Shutdown,
    node: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Result<Running, Failure> {
    let shutdown = shutdown.clone();
    let work = move || {
        let mut ending = AskUnlessInOrder { shutdown, in_order: false };
        let result = node();
        ending.in_order = result.is_ok();
        result
    };
    Ok(std::thread::Builder::new().name(name.into()).spawn(work)?)
}

/// Asks for the end when it is dropped, panics included.
struct AskUnlessInOrder {
    shutdown: Shutdown,
    in_order: bool,
}

impl Drop for AskUnlessInOrder {
    fn drop(&mut self) {
        if !self.in_order {
            self.shutdown.ask();
        }
    }
}

fn join(name: &str, node: Running) -> Result<(), Failure> {
    match node.join() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(reason)) => Err(Failure::Running(format!("{name}: {reason}"))),
        Err(_) => Err(Failure::Running(format!("{name} panicked"))),
    }
}

/// The files that a node reads.
///
/// # Errors
/// There is no such folder, or the shipped files are needed and not to be found.
pub fn files_of(node: &Params) -> Result<Files, ConfigError> {
    Files::find(&params::text(node, "config"), &params::text(node, "urdf"))
}

/// Logs which of the owner's files some nodes use, once where it is the same for all, and what nobody reads.
pub fn tell_files<'a>(nodes: impl IntoIterator<Item = &'a Params>) {
    // Where files are not found, that is told when they are read.
    let mut files: Vec<Files> = nodes.into_iter().filter_map(|node| files_of(node).ok()).collect();
    files.dedup_by_key(|files| files.told());
    for files in files {
        tracing::info!("{}", files.told());
        for stray in files.strays() {
            tracing::warn!("{}", stray_line(&stray));
        }
    }
}

/// What is said of a file that nobody reads.
pub fn stray_line(file: &Path) -> String {
    format!("{} is not read: files are called {}", file.display(), CONFIG_FILES.join(", "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_nodes_are_told_by_name_expect_those_there_are() {
        let names = [gait_planner::NAME, servo_driver::NAME, state_publisher::NAME, web_teleop::NAME];
        assert_eq!(params::NODES, names);
    }

    #[test]
    fn when_a_node_fails_or_panics_expect_the_process_to_end_in_order_and_its_name_told() {
        let run = |node: fn() -> Result<(), String>| {
            let shutdown = Shutdown::default();
            let spawned = spawn("node", &shutdown, node).ok().unwrap();
            let words = match join("node", spawned) {
                Err(Failure::Running(words)) => words,
                _ => String::new(),
            };
            (shutdown.stage(), words)
        };
        assert_eq!(run(|| Ok(())), (Stage::Running, String::new()));
        assert_eq!(run(|| Err("no bus".into())), (Stage::Stopping, "node: no bus".into()));
        assert_eq!(run(|| panic!("as it must not")), (Stage::Stopping, "node panicked".into()));
    }

    #[test]
    fn when_the_planner_fails_expect_the_robot_held_until_the_driver_lets_go_or_a_signal_comes() {
        let waits = || {
            std::thread::sleep(Duration::from_secs(1));
            Ok(())
        };
        for by_signal in [true, false] {
            let (live, shutdown) = (Live::default(), Shutdown::default());
            let driver = spawn("driver", &Shutdown::default(), waits).ok();
            let driver = driver.unwrap();
            live.set(true);
            let (ends, lets_go) = (shutdown.clone(), live.clone());
            let later = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(200));
                if by_signal { ends.ask() } else { lets_go.set(false) }
            });
            let since = std::time::Instant::now();
            hold("gait_planner panicked", &live, &driver, &shutdown);
            let held = since.elapsed();
            assert!(held >= Duration::from_millis(200) && held < Duration::from_millis(700), "{held:?}");
            later.join().unwrap();
        }
        let (driver, shutdown) = (spawn("driver", &Shutdown::default(), || Ok(())).ok().unwrap(), Shutdown::default());
        hold("gait_planner panicked", &Live::default(), &driver, &shutdown);
    }
}
