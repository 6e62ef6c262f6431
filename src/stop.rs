//! `hexapod stop`: stops one robot, or every robot that the network shows, and says which have confirmed it.

use crate::cli::StopArgs;
use crate::discovery_hint::{DiscoveryHint, Reach};
use crate::exit::{Failure, say};
use hexapod_config::ros_params::Params;
use hexapod_ros::bounds::{NAMESPACE, is_namespace};
use hexapod_ros::r2r::std_srvs::srv::Trigger;
use hexapod_ros::realtime::priority;
use hexapod_ros::{Caller, Graph, Lane, LaneOpener, OpenLane, Ros, RosNode, Shutdown, Stage};
use hexapod_setup::params::common;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Robots are looked for until none is new for so long. One announces itself each second.
const LOOKS_FOR: Duration = Duration::from_secs(2);
/// As long as none is found: the first one of a fleet may take longer, as all of it answers at once.
const LOOKS_FOR_THE_FIRST: Duration = Duration::from_secs(5);
/// How to reach a robot of another namespace.
const STOP: &str = "Stop one: hexapod stop ";
/// How long robots may take to confirm once the last one is found. One that walks confirms before its feet are down.
const CONFIRMS_WITHIN: Duration = Duration::from_secs(3);
/// A request may be sent before the service hears it: it is sent again, which does no harm.
const AGAIN: Duration = Duration::from_millis(200);
/// Nodes of one name in one namespace are counted for so long: the graph is not complete at once.
const COUNTS_FOR: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A robot's namespace, and what it answered.
type Answer = (String, Result<String, String>);

/// Stops them.
///
/// # Errors
/// No robot is found, or one has not confirmed; ROS is not to be had.
pub fn stop(arguments: &StopArgs) -> Result<(), Failure> {
    let shutdown = Shutdown::on_signals()?;
    let ros = Ros::init()?;
    let node = RosNode::create(&ros, "hexapod_stop", common(), Params::new())?;
    let (graph, own) = (node.graph(), node.namespace());
    let (node_name, service) = match arguments.emergency {
        true => (servo_driver::NAME, "emergency_stop"),
        false => (gait_planner::NAME, "stop"),
    };
    let mut fleet = Fleet::new(node.lane_opener(), service);
    let named = named(arguments, &own);
    // Those that are named need not be found: one that hangs is not.
    fleet.add(&named);
    let began = Instant::now();
    let mut is_interrupted = false;
    while fleet.is_waiting() || began.elapsed() < COUNTS_FOR || (arguments.all && fleet.is_looked_for()) {
        let found = robots(&graph, node_name);
        if arguments.all {
            fleet.add(found.keys());
        }
        fleet.call();
        fleet.count(&found);
        fleet.say_what_is_known(node_name);
        if shutdown.wait(Stage::Stopping, LOOK_EVERY) {
            is_interrupted = true;
            break;
        }
    }
    if !arguments.emergency {
        fleet.add_undriven(robots(&graph, servo_driver::NAME).into_keys(), arguments.all);
    }
    let (found, unheard) = (fleet.robots.len(), fleet.report(is_interrupted, node_name)?);
    let mut words = complaint(found, &unheard, is_interrupted);
    if fleet.robots.values().all(|robot| robot.answer.is_none()) && !words.is_empty() {
        let place = unheard.first().or(named.first()).cloned().unwrap_or_default();
        let mut hint = DiscoveryHint::new(Reach::of_process(), place, STOP).of_node(node_name);
        hint.see(&graph.nodes());
        words.extend(hint.unheard(false));
    }
    if words.is_empty() { Ok(()) } else { Err(Failure::Running(words.join("\n"))) }
}

/// The namespaces that are named, each with its slash; this process's own where none is.
fn named(arguments: &StopArgs, own: &str) -> Vec<String> {
    if arguments.robots.is_empty() && !arguments.all {
        return vec![own.into()];
    }
    arguments.robots.iter().map(|robot| format!("/{}", robot.trim_matches('/'))).collect()
}

/// The namespaces with a node of this name, and how many each has.
fn robots(graph: &Graph, name: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for node in graph.nodes() {
        if let Some((namespace, last)) = node.rsplit_once('/')
            && last == name
        {
            *found.entry(if namespace.is_empty() { "/".into() } else { namespace.into() }).or_default() += 1;
        }
    }
    found
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

/// The robots that are being stopped.
struct Fleet {
    opener: LaneOpener,
    lanes: Vec<OpenLane>,
    service: &'static str,
    robots: BTreeMap<String, Robot>,
    answers: (Sender<Answer>, Receiver<Answer>),
    /// When the last one was found.
    newest: Instant,
}

struct Robot {
    /// None where it cannot be called, which is its answer then.
    caller: Option<Caller<Trigger::Service>>,
    found: Instant,
    asked: Option<Instant>,
    /// What it has done, or why it has not.
    answer: Option<Result<String, String>>,
    /// How many nodes of its service's name were seen.
    nodes: usize,
    /// What was said of it.
    said: Option<String>,
}

impl Robot {
    /// Whether it has confirmed for sure, and what is to be said of it.
    fn outcome(&self, is_interrupted: bool, node: &str) -> (bool, String) {
        match &self.answer {
            Some(Ok(_)) if self.nodes > 1 => {
                let count = self.nodes;
                let why = "they drive one robot, or one has just died";
                (false, format!("stopped by one of {count} nodes {node} in this namespace: {why}"))
            }
            Some(Ok(does)) => (true, if does.is_empty() { "stopped".into() } else { format!("stopped: {does}") }),
            Some(Err(why)) => (false, format!("not stopped: {why}")),
            None if is_interrupted => (false, "has not answered yet".into()),
            None => (false, format!("does not answer within {} s", CONFIRMS_WITHIN.as_secs())),
        }
    }

    /// Says what came of it, unless that was said.
    fn say(&mut self, name: &str, words: String) -> Result<(), Failure> {
        if self.said.as_ref() != Some(&words) {
            say(format_args!("{name:<20} {words}"))?;
            self.said = Some(words);
        }
        Ok(())
    }
}

impl Fleet {
    fn new(opener: LaneOpener, service: &'static str) -> Self {
        let (robots, answers) = (BTreeMap::new(), channel());
        Self { opener, lanes: vec![], service, robots, answers, newest: Instant::now() }
    }

    /// Adds the robots that are not known yet. One that cannot be called keeps none of the others.
    fn add<'a>(&mut self, robots: impl IntoIterator<Item = &'a String>) {
        let new: Vec<_> = robots.into_iter().filter(|robot| !self.robots.contains_key(*robot)).collect();
        if new.is_empty() {
            return;
        }
        self.newest = Instant::now();
        let mut callers = BTreeMap::new();
        // A lane for those that are found together, so that they do not wait for the others, and one node for all: each
        // node would be announced to every robot, with its services.
        let lane = self.opener.open("stop-call", priority::MESSAGES, |lane| {
            callers.extend(new.iter().map(|robot| (*robot, caller(lane, robot, self.service))));
            Ok(())
        });
        let why = match lane {
            Ok(lane) => {
                self.lanes.extend(lane);
                String::new()
            }
            Err(error) => error.to_string(),
        };
        for robot in new {
            let caller = callers.remove(robot).unwrap_or_else(|| Err(why.clone()));
            let (caller, answer) = caller.map_or_else(|why| (None, Some(Err(why))), |caller| (Some(caller), None));
            self.robots.insert(
                robot.clone(),
                Robot { caller, found: Instant::now(), asked: None, answer, nodes: 0, said: None },
            );
        }
    }

    /// Takes answers in, and asks those that have not answered.
    fn call(&mut self) {
        for (robot, answer) in self.answers.1.try_iter() {
            if let Some(robot) = self.robots.get_mut(&robot) {
                robot.answer.get_or_insert(answer);
            }
        }
        let waits = self.waits();
        for (name, robot) in &mut self.robots {
            let Some(caller) = robot.caller.as_ref().filter(|_| waits && robot.answer.is_none()) else { continue };
            if robot.asked.is_some_and(|asked| asked.elapsed() < AGAIN) {
                continue;
            }
            let (name, answers) = (name.clone(), self.answers.0.clone());
            robot.asked = Some(Instant::now());
            let called = caller.call(&Trigger::Request {}, move |answer| {
                let _ = answers.send((name, if answer.success { Ok(answer.message) } else { Err(answer.message) }));
            });
            if let Err(error) = called {
                robot.answer = Some(Err(error.to_string()));
            }
        }
    }

    fn count(&mut self, found: &BTreeMap<String, usize>) {
        for (name, robot) in &mut self.robots {
            robot.nodes = robot.nodes.max(found.get(name).copied().unwrap_or_default());
        }
    }

    /// Says of robots that have servos, and no planner that answers, how they are stopped; adds those that nobody has named
    /// where `all` are meant.
    fn add_undriven(&mut self, drivers: impl Iterator<Item = String>, all: bool) {
        for name in drivers {
            let cut = match name.as_str() {
                "/" => "hexapod stop --emergency".into(),
                robot => format!("hexapod stop {} --emergency", robot.trim_start_matches('/')),
            };
            let why = format!("it has servos, and no gait_planner answers: `{cut}` lets them go");
            let silent = Robot { caller: None, found: Instant::now(), asked: None, answer: None, nodes: 0, said: None };
            let robot = if all { Some(self.robots.entry(name).or_insert(silent)) } else { self.robots.get_mut(&name) };
            if let Some(robot) = robot {
                robot.answer.get_or_insert(Err(why));
            }
        }
    }

    fn waits(&self) -> bool {
        self.newest.elapsed() < CONFIRMS_WITHIN
    }

    fn is_waiting(&self) -> bool {
        self.waits() && self.robots.values().any(|robot| robot.answer.is_none())
    }

    /// Whether there may be more robots.
    fn is_looked_for(&self) -> bool {
        self.newest.elapsed() < if self.robots.is_empty() { LOOKS_FOR_THE_FIRST } else { LOOKS_FOR }
    }

    /// Says what came of those that have answered, as soon as nodes of one name would have been seen. A reader that is gone
    /// keeps no robot from being stopped.
    fn say_what_is_known(&mut self, node: &str) {
        let is_known = |robot: &Robot| robot.answer.is_some() && robot.found.elapsed() >= COUNTS_FOR;
        for (name, robot) in self.robots.iter_mut().filter(|(_, robot)| is_known(robot)) {
            let (_, words) = robot.outcome(false, node);
            let _ = robot.say(name, words);
        }
    }

    /// Says what came of each; which have not confirmed.
    fn report(&mut self, is_interrupted: bool, node: &str) -> Result<Vec<String>, Failure> {
        let mut unconfirmed = Vec::new();
        for (name, robot) in &mut self.robots {
            let (is_confirmed, words) = robot.outcome(is_interrupted, node);
            if !is_confirmed {
                unconfirmed.push(name.clone());
            }
            robot.say(name, words)?;
        }
        Ok(unconfirmed)
    }
}

/// A caller of a robot's service.
fn caller(lane: &mut Lane<'_>, robot: &str, service: &str) -> Result<Caller<Trigger::Service>, String> {
    if !is_namespace(robot) {
        return Err(format!("{robot:?} is no namespace: {NAMESPACE}"));
    }
    let service = format!("{}/{service}", robot.trim_end_matches('/'));
    lane.caller(&service).map_err(|error| error.to_string())
}
