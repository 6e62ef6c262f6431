//! All nodes in one process, ended in the order that is safe: first the robot sits, then the servos are let go.

use crate::agreement::{notes, share_frames, share_odom_frame};
use crate::cli::RunArgs;
use crate::exit::Failure;
use crate::ineffective_args::{Options, check_ground, check_run};
use crate::parameters::{AllParams, all_specs, files_for_ros, tell_files};
use crate::setups::{Setups, parameters};
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_ros::{Ros, RosError, RosNode, Shutdown, Stage, memory};
use hexapod_servo::SimulatedBus;
use hexapod_setup::params;
use servo_driver::Live;
use std::thread::JoinHandle;
use std::time::Duration;

/// The bus whose boards move a robot in physics.
const PHYSICS: &str = "physics";

/// Lets the page send the type of `cmd_vel` that the planner takes, and the planner tell its markers in the frames of
/// `state_publisher`.
fn share(mut all: AllParams) -> AllParams {
    all.web.insert("stamped_cmd_vel", ParamValue::Bool(params::switch(&all.planner, "stamped_cmd_vel")));
    share_frames(&mut all.planner, &all.publisher);
    share_frames(&mut all.simulator, &all.publisher);
    share_odom_frame(&mut all.simulator, &all.publisher);
    all
}

/// The parameters with the ground of the command line.
pub(crate) fn on_terrain(mut all: AllParams, terrain: &str) -> Result<AllParams, Failure> {
    if terrain.is_empty() {
        return Ok(all);
    }
    if params::text(&all.driver, "bus") != PHYSICS {
        return Err(Failure::Words(format!("--terrain {terrain} is for a robot in physics; add --bus {PHYSICS}")));
    }
    all.simulator.insert("terrain", terrain.into());
    Ok(all)
}

struct Nodes {
    planner: RosNode,
    driver: RosNode,
    publisher: RosNode,
    /// Where the page is asked for.
    web: Option<RosNode>,
    web_params: Params,
    /// Where the servos are those of a robot in physics.
    simulator: Option<RosNode>,
    simulator_params: Params,
}

impl Nodes {
    fn create(base: AllParams, arguments: &RunArgs, local_topics: bool, shutdown: &Shutdown) -> Result<Self, RosError> {
        let ros = Ros::init()?.with_sibling_params(&all_specs());
        ros.watch_rmw(shutdown)?;
        let ros = if local_topics { ros.with_local_topics() } else { ros };
        let physics = params::text(&base.driver, "bus") == PHYSICS;
        Ok(Self {
            planner: RosNode::create(&ros, gait_planner::NAME, gait_planner::specs(), base.planner)?,
            driver: RosNode::create(&ros, servo_driver::NAME, servo_driver::specs(), base.driver)?,
            publisher: RosNode::create(&ros, state_publisher::NAME, state_publisher::specs(), base.publisher)?,
            web: arguments
                .web
                .then(|| RosNode::create(&ros, web_teleop::NAME, web_teleop::specs(), base.web.clone()))
                .transpose()?,
            web_params: base.web,
            simulator: physics
                .then(|| RosNode::create(&ros, simulator::NAME, simulator::specs(), base.simulator.clone()))
                .transpose()?,
            simulator_params: base.simulator,
        })
    }

    /// Parameters with what `--ros-args` say.
    fn values(&self) -> AllParams {
        AllParams {
            planner: self.planner.values().clone(),
            driver: self.driver.values().clone(),
            publisher: self.publisher.values().clone(),
            web: self.web.as_ref().map_or(&self.web_params, RosNode::values).clone(),
            simulator: self.simulator.as_ref().map_or(&self.simulator_params, RosNode::values).clone(),
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
    let all = on_terrain(parameters(&arguments.bus)?, &arguments.terrain)?;
    let (given, options) = (&arguments.bus.params, Options { terrain: &arguments.terrain, gait: "" });
    check_run(given, options, &all, arguments.web)?;
    let nodes = Nodes::create(all, arguments, local_topics, shutdown)?;
    let mut values = share(nodes.values());
    check_ground(given, &values.simulator)?;
    values.lay_beside(&files_for_ros());
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
    // A robot that moves with the boards has them from its start to its end.
    let boards = setups.driver.servos().cloned();
    let (driver, physics) = match setups.simulator.zip(nodes.simulator).zip(boards) {
        Some(((setup, node), servos)) => {
            let boards = SimulatedBus::for_config(&servos);
            let driver = setups.driver.on_boards(boards.clone());
            let closing = simulator::Closing { asked: shutdown.clone(), over: last.clone() };
            let simulate = move || simulator::run(setup, (servos, boards), node, &closing).map_err(|e| e.to_string());
            (driver, Some(spawn(simulator::NAME, shutdown, simulate)?))
        }
        None => (setups.driver, None),
    };
    let driver = spawn(servo_driver::NAME, shutdown, move || {
        servo_driver::run(driver, nodes.driver, &stop_driver).map_err(|e| e.to_string())
    })?;
    // The page is not what the robot stands on: where it fails, the robot goes on. It may stop the robot until the end.
    let serve = move |node| web_teleop::run(setups.web, node, &stop_web).map_err(|e| e.to_string());
    let web =
        nodes.web.map(|node| spawn(web_teleop::NAME, &Shutdown::default(), move || logged(serve(node)))).transpose()?;
    // A planner that fails cannot make the robot sit, so that does not end the process (see below).
    let planner = spawn(gait_planner::NAME, &Shutdown::default(), move || {
        gait_planner::run(setups.planner, nodes.planner, &end).map_err(|e| e.to_string())
    })?;
    // The planner ends when the robot sits; only then may the servos be let go.
    let planner = join(gait_planner::NAME, planner);
    if let (Err(Failure::Running(reason)), true) = (&planner, shutdown.is_running()) {
        hold(reason, &live, &driver, shutdown);
    }
    last.ask_now();
    let driver = join(servo_driver::NAME, driver);
    let publisher = join(state_publisher::NAME, publisher);
    let physics = physics.map_or(Ok(()), |physics| join(simulator::NAME, physics));
    // Reported already.
    let _ = web.map(|web| join(web_teleop::NAME, web));
    planner.and(driver).and(publisher).and(physics)
}

/// Tells at once why something failed.
fn logged(result: Result<(), String>) -> Result<(), String> {
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
        let guard = shutdown.drop_guard();
        let result = node();
        if result.is_ok() {
            guard.disarm();
        }
        result
    };
    Ok(std::thread::Builder::new().name(name.into()).spawn(work)?)
}

fn join(name: &str, node: Running) -> Result<(), Failure> {
    match node.join() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(reason)) => Err(Failure::Running(format!("{name}: {reason}"))),
        Err(_) => Err(Failure::Running(format!("{name} panicked"))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_a_node_fails_or_panics_expect_the_process_to_end_in_order_and_its_name_reported() {
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
