//! Robots of several namespaces: which there are, and a stop of all of them.

use crate::bounds::{NAMESPACE, is_namespace};
use crate::realtime::priority;
use crate::{Caller, Graph, Lane, LaneOpener, OpenLane};
use r2r::std_srvs::srv::Trigger;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Robots are looked for until none is new for so long. One announces itself each second.
const LOOKS_FOR: Duration = Duration::from_secs(2);
/// As long as none is found: the first one of a fleet may take longer, as all of it answers at once.
const LOOKS_FOR_THE_FIRST: Duration = Duration::from_secs(5);
/// How long robots may take to confirm once the last one is found. One that walks confirms before its feet are down.
const CONFIRMS_WITHIN: Duration = Duration::from_secs(3);
/// A request may be sent before the service hears it: it is sent again, which does no harm.
const AGAIN: Duration = Duration::from_millis(200);
/// Nodes of one name in one namespace are counted for so long: the graph is not complete at once.
const COUNTS_FOR: Duration = Duration::from_millis(500);

/// A robot's namespace, what it answered, and to which of several stops.
type Answer = (String, Result<String, String>, u64);

/// The namespaces with a node of this name, and how many each has.
#[must_use]
pub fn robots(graph: &Graph, name: &str) -> BTreeMap<String, usize> {
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

/// What came of a robot's stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its namespace.
    pub robot: String,
    /// Whether it has confirmed for sure.
    pub is_confirmed: bool,
    /// What it did, or why it is not known to have stopped.
    pub words: String,
}

/// Robots that are being stopped: each is asked as soon as it is found, until it answers.
pub struct FleetStop {
    opener: LaneOpener,
    graph: Graph,
    lanes: Vec<OpenLane>,
    node: &'static str,
    service: &'static str,
    robots: BTreeMap<String, Robot>,
    answers: (Sender<Answer>, Receiver<Answer>),
    /// How many stops there were before.
    round: u64,
    began: Instant,
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
}

impl Robot {
    fn unasked(caller: Option<Caller<Trigger::Service>>, answer: Option<Result<String, String>>) -> Self {
        Self { caller, found: Instant::now(), asked: None, answer, nodes: 0 }
    }

    /// Whether it has confirmed for sure, and what is to be said of it.
    fn outcome(&self, is_over: bool, node: &str) -> (bool, String) {
        match &self.answer {
            Some(Ok(_)) if self.nodes > 1 => {
                let count = self.nodes;
                let why = "they drive one robot, or one has just died";
                (false, format!("stopped by one of {count} nodes {node} in this namespace: {why}"))
            }
            Some(Ok(does)) => (true, if does.is_empty() { "stopped".into() } else { format!("stopped: {does}") }),
            Some(Err(why)) => (false, format!("not stopped: {why}")),
            None if is_over => (false, format!("does not answer within {} s", CONFIRMS_WITHIN.as_secs())),
            None => (false, "has not answered yet".into()),
        }
    }
}

impl FleetStop {
    /// Stops robots by a service of a node.
    #[must_use]
    pub fn new(opener: LaneOpener, graph: Graph, (node, service): (&'static str, &'static str)) -> Self {
        let (began, answers) = (Instant::now(), channel());
        let (robots, lanes) = (BTreeMap::new(), vec![]);
        Self { opener, graph, lanes, node, service, robots, answers, round: 0, began, newest: began }
    }

    /// Stops them once more, whatever they have answered: one may have walked on since.
    pub fn again(&mut self) {
        self.round += 1;
        self.newest = Instant::now();
        for robot in self.robots.values_mut().filter(|robot| robot.caller.is_some()) {
            (robot.answer, robot.asked) = (None, None);
        }
    }

    /// Adds the robots that are not known yet, found or not. One that cannot be called keeps none of the others.
    pub fn add<'a>(&mut self, robots: impl IntoIterator<Item = &'a String>) {
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
            let known = match caller {
                Ok(caller) => Robot::unasked(Some(caller), None),
                Err(why) => Robot::unasked(None, Some(Err(why))),
            };
            self.robots.insert(robot.clone(), known);
        }
    }

    /// Looks for robots, where all are meant, takes answers in, and asks those that have not answered. True as long as
    /// that is to be done again, in a moment.
    pub fn step(&mut self, all: bool) -> bool {
        let found = robots(&self.graph, self.node);
        if all {
            self.add(found.keys());
        }
        self.call();
        for (name, robot) in &mut self.robots {
            robot.nodes = robot.nodes.max(found.get(name).copied().unwrap_or_default());
        }
        self.is_waiting() || self.began.elapsed() < COUNTS_FOR || (all && self.is_looked_for())
    }

    fn call(&mut self) {
        for (robot, answer, round) in self.answers.1.try_iter() {
            if let Some(robot) = self.robots.get_mut(&robot).filter(|_| round == self.round) {
                robot.answer.get_or_insert(answer);
            }
        }
        let (waits, round) = (self.waits(), self.round);
        for (name, robot) in &mut self.robots {
            let Some(caller) = robot.caller.as_ref().filter(|_| waits && robot.answer.is_none()) else { continue };
            if robot.asked.is_some_and(|asked| asked.elapsed() < AGAIN) {
                continue;
            }
            let (name, answers) = (name.clone(), self.answers.0.clone());
            robot.asked = Some(Instant::now());
            let called = caller.call(&Trigger::Request {}, move |answer| {
                let does = if answer.success { Ok(answer.message) } else { Err(answer.message) };
                let _ = answers.send((name, does, round));
            });
            if let Err(error) = called {
                robot.answer = Some(Err(error.to_string()));
            }
        }
    }

    /// Says of robots that have a node of this name, and have not answered, why not; adds those that nobody has named where
    /// `all` are meant.
    pub fn explain(&mut self, node: &str, all: bool, why: impl Fn(&str) -> String) {
        for name in robots(&self.graph, node).into_keys() {
            let why = why(&name);
            let known = if all {
                Some(self.robots.entry(name).or_insert_with(|| Robot::unasked(None, None)))
            } else {
                self.robots.get_mut(&name)
            };
            if let Some(robot) = known {
                robot.answer.get_or_insert(Err(why));
            }
        }
    }

    /// Whether one of them has answered.
    #[must_use]
    pub fn is_any_answered(&self) -> bool {
        self.robots.values().any(|robot| robot.answer.is_some())
    }

    /// What came of those that have answered, as soon as nodes of one name would have been seen.
    pub fn known(&self) -> impl Iterator<Item = Outcome> {
        let is_known = |robot: &Robot| robot.answer.is_some() && robot.found.elapsed() >= COUNTS_FOR;
        self.outcomes(false).filter(move |outcome| self.robots.get(&outcome.robot).is_some_and(is_known))
    }

    /// What came of each; `is_over`: they are waited for no longer.
    pub fn outcomes(&self, is_over: bool) -> impl Iterator<Item = Outcome> {
        self.robots.iter().map(move |(name, robot)| {
            let (is_confirmed, words) = robot.outcome(is_over, self.node);
            Outcome { robot: name.clone(), is_confirmed, words }
        })
    }

    /// Whether there may be more robots.
    fn is_looked_for(&self) -> bool {
        self.newest.elapsed() < if self.robots.is_empty() { LOOKS_FOR_THE_FIRST } else { LOOKS_FOR }
    }

    fn waits(&self) -> bool {
        self.newest.elapsed() < CONFIRMS_WITHIN
    }

    fn is_waiting(&self) -> bool {
        self.waits() && self.robots.values().any(|robot| robot.answer.is_none())
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
