//! `hexapod stop`: stops one robot, or every robot that the network shows, and says which have confirmed it.

use crate::cli::StopArgs;
use crate::discovery_hint::{DiscoveryHint, Reach};
use crate::exit::{Failure, say};
use hexapod_config::ros_params::Params;
use hexapod_ros::fleet::{FleetStop, Outcome};
use hexapod_ros::{Ros, RosNode, Shutdown, Stage};
use hexapod_setup::params::common;
use std::collections::BTreeMap;
use std::time::Duration;

/// How to reach a robot of another namespace.
const STOP: &str = "Stop one: hexapod stop ";
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Stops them.
///
/// # Errors
/// No robot is found, or one has not confirmed; ROS is not to be had.
pub fn stop(arguments: &StopArgs) -> Result<(), Failure> {
    let shutdown = Shutdown::on_signals()?;
    let ros = Ros::init()?;
    let node = RosNode::create(&ros, "hexapod_stop", common(), Params::new())?;
    let (graph, own) = (node.graph(), node.namespace());
    let stopped_by = match arguments.emergency {
        true => (servo_driver::NAME, "emergency_stop"),
        false => (gait_planner::NAME, "stop"),
    };
    let mut fleet = FleetStop::new(node.lane_opener(), graph.clone(), stopped_by);
    let named = named(arguments, &own);
    // Those that are named need not be found: one that hangs is not.
    fleet.add(&named);
    let (mut lines, mut is_interrupted) = (Lines::default(), false);
    while fleet.step(arguments.all) {
        // A reader that is gone keeps no robot from being stopped.
        fleet.known().for_each(|outcome| _ = lines.say(&outcome));
        if shutdown.wait(Stage::Stopping, LOOK_EVERY) {
            is_interrupted = true;
            break;
        }
    }
    if !arguments.emergency {
        fleet.explain(servo_driver::NAME, arguments.all, undriven);
    }
    let outcomes: Vec<_> = fleet.outcomes(!is_interrupted).collect();
    outcomes.iter().try_for_each(|outcome| lines.say(outcome))?;
    let unheard: Vec<_> = outcomes.iter().filter(|one| !one.is_confirmed).map(|one| one.robot.clone()).collect();
    let mut words = complaint(outcomes.len(), &unheard, is_interrupted);
    if !fleet.is_any_answered() && !words.is_empty() {
        let place = unheard.first().or(named.first()).cloned().unwrap_or_default();
        let mut hint = DiscoveryHint::new(Reach::of_process(), place, STOP).of_node(stopped_by.0);
        hint.see(&graph.nodes());
        words.extend(hint.unheard(false));
    }
    if words.is_empty() { Ok(()) } else { Err(Failure::Running(words.join("\n"))) }
}

/// What was said of each robot.
#[derive(Default)]
struct Lines(BTreeMap<String, String>);

impl Lines {
    /// Says what came of a robot, unless that was said.
    fn say(&mut self, Outcome { robot, words, .. }: &Outcome) -> Result<(), Failure> {
        if self.0.get(robot) != Some(words) {
            say(format_args!("{robot:<20} {words}"))?;
            self.0.insert(robot.clone(), words.clone());
        }
        Ok(())
    }
}

/// How a robot is stopped that has servos, and no planner that answers.
fn undriven(robot: &str) -> String {
    let cut = match robot {
        "/" => "hexapod stop --emergency".into(),
        robot => format!("hexapod stop {} --emergency", robot.trim_start_matches('/')),
    };
    format!("it has servos, and no gait_planner answers: `{cut}` lets them go")
}

/// The namespaces that are named, each with its slash; this process's own where none is.
fn named(arguments: &StopArgs, own: &str) -> Vec<String> {
    if arguments.robots.is_empty() && !arguments.all {
        return vec![own.into()];
    }
    arguments.robots.iter().map(|robot| format!("/{}", robot.trim_matches('/'))).collect()
}

/// What to say after the robots' lines; nothing where all have confirmed.
fn complaint(found: usize, unconfirmed: &[String], is_interrupted: bool) -> Vec<String> {
    let mut words = Vec::new();
    if is_interrupted {
        words.push("interrupted: a robot that has not confirmed may not have been stopped.".into());
    }
    match unconfirmed {
        [] if found == 0 => words
            .push("no robot has confirmed: if there is one that moves, go there, and cut its servos' power.".into()),
        [] => {}
        [robot] => words.push(format!("{robot} did not confirm: go there, and cut its servos' power.")),
        several => {
            let count = several.len();
            words.push(format!("{count} of {found} robots did not confirm: go there, and cut their servos' power."));
        }
    }
    words
}
