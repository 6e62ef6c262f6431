//! Other robots on the network, and a stop of all of them.

use crate::input::Input;
use crate::protocol::{Fleet, FleetRobot};
use hexapod_ros::fleet::{FleetStop, Outcome, robots};
use hexapod_ros::{Graph, LaneOpener};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How often other robots are looked for, where somebody looks on.
const NAMED_EVERY: Duration = Duration::from_secs(1);
const DRIVER: &str = "servo_driver";
/// What stops a robot with all feet planted.
const STOPPED_BY: (&str, &str) = ("gait_planner", "stop");

/// The robots of other namespaces.
pub(crate) struct Others {
    graph: Graph,
    opener: LaneOpener,
    own: String,
    reported: Fleet,
    named: Duration,
    outcomes: Vec<Outcome>,
    work: Option<Work>,
}

/// A stop that is under way; it ends when this is dropped.
struct Work {
    is_dropped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Others {
    pub fn new(graph: Graph, opener: LaneOpener, own: String) -> Self {
        let (reported, outcomes) = (Fleet::default(), vec![]);
        Self { graph, opener, own, reported, named: Duration::ZERO, outcomes, work: None }
    }

    /// Begins to stop all robots, unless that is under way.
    ///
    /// # Errors
    /// No thread is to be had.
    pub fn stop(&mut self, inbox: Sender<Input>) -> std::io::Result<()> {
        if self.work.as_ref().and_then(|work| work.thread.as_ref()).is_some_and(|thread| !thread.is_finished()) {
            return Ok(());
        }
        let is_dropped = Arc::new(AtomicBool::new(false));
        let (graph, opener, ended) = (self.graph.clone(), self.opener.clone(), Arc::clone(&is_dropped));
        let work = move || {
            let mut stop = FleetStop::new(opener, graph, STOPPED_BY);
            let mut known = vec![];
            while !ended.load(Ordering::Relaxed) && stop.step(true) {
                let now: Vec<_> = stop.known().collect();
                if now != known {
                    known.clone_from(&now);
                    let _ = inbox.send(Input::Fleet(now));
                }
                std::thread::sleep(LOOK_EVERY);
            }
            stop.explain(DRIVER, true, |_| "it has servos, and no gait_planner answers".into());
            let _ = inbox.send(Input::Fleet(stop.outcomes(true).collect()));
        };
        self.outcomes.clear();
        let thread = Builder::new().name("web-fleet".into()).spawn(work)?;
        self.work = Some(Work { is_dropped, thread: Some(thread) });
        Ok(())
    }

    /// Takes in what came of a stop.
    pub fn stopped(&mut self, outcomes: Vec<Outcome>) {
        self.outcomes = outcomes;
        self.named = Duration::ZERO;
    }

    /// What is to be told of the other robots, where that has changed.
    pub fn news(&mut self, now: Duration) -> Option<&Fleet> {
        if self.named != Duration::ZERO && now.saturating_sub(self.named) < NAMED_EVERY {
            return None;
        }
        self.named = now;
        let found = [DRIVER, STOPPED_BY.0].map(|node| robots(&self.graph, node));
        let mut names: BTreeSet<String> = found.into_iter().flat_map(BTreeMap::into_keys).collect();
        names.extend(self.outcomes.iter().map(|outcome| outcome.robot.clone()));
        names.remove(&self.own);
        let robots = names.into_iter().map(|name| {
            let outcome = self.outcomes.iter().find(|outcome| outcome.robot == name);
            let is_stopped = outcome.map(|outcome| outcome.is_confirmed);
            let message = outcome.map(|outcome| outcome.words.clone()).unwrap_or_default();
            FleetRobot { name, is_stopped, message }
        });
        let fleet = Fleet { robots: robots.collect() };
        (fleet != self.reported).then(|| {
            self.reported = fleet;
            &self.reported
        })
    }

    /// What was told last.
    pub fn reported(&self) -> &Fleet {
        &self.reported
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.is_dropped.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
