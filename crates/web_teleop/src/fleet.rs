//! Other robots on the network, and a stop of all of them.

use crate::input::Input;
use crate::protocol::{Fleet, FleetRobot};
use hexapod_ros::fleet::{FleetStop, Outcome, robots};
use hexapod_ros::{Graph, LaneOpener};
use hexapod_setup::planner;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How often other robots are looked for, where somebody looks on.
const NAMED_EVERY: Duration = Duration::from_secs(1);
const DRIVER: &str = "servo_driver";
/// What stops a robot with all feet planted.
const STOPPED_BY: (&str, &str) = (planner::NODE, "stop");

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

/// The thread that stops robots, each time it is told to; it ends when this is dropped.
struct Work {
    presses: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Others {
    pub fn new(graph: Graph, opener: LaneOpener, own: String) -> Self {
        let (reported, outcomes) = (Fleet::default(), vec![]);
        Self { graph, opener, own, reported, named: Duration::ZERO, outcomes, work: None }
    }

    /// Begins to stop all robots; anew, where that is under way.
    ///
    /// # Errors
    /// No thread is to be had.
    pub fn stop(&mut self, inbox: Sender<Input>) -> std::io::Result<()> {
        if self.work.is_none() {
            let (graph, opener, (presses, pressed)) = (self.graph.clone(), self.opener.clone(), channel());
            let work = move || {
                while pressed.recv().is_ok() {
                    stop_all(FleetStop::new(opener.clone(), graph.clone(), STOPPED_BY), &pressed, &inbox);
                }
            };
            let thread = Builder::new().name("web-fleet".into()).spawn(work)?;
            self.work = Some(Work { presses: Some(presses), thread: Some(thread) });
        }
        self.outcomes.clear();
        self.named = Duration::ZERO;
        // It hears as long as this one lives.
        let _ = self.work.as_ref().and_then(|work| work.presses.as_ref()).map(|presses| presses.send(()));
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

/// Stops all robots that are found, and tells what came of each as soon as it is known.
fn stop_all(mut stop: FleetStop, pressed: &Receiver<()>, inbox: &Sender<Input>) {
    let mut told = vec![];
    while stop.step(true) {
        let known: Vec<_> = stop.known().collect();
        if known != told {
            told.clone_from(&known);
            let _ = inbox.send(Input::Fleet(known));
        }
        match pressed.recv_timeout(LOOK_EVERY) {
            Ok(()) => stop.again(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
    stop.explain(DRIVER, true, |_| "it has servos, and no gait_planner answers".into());
    let _ = inbox.send(Input::Fleet(stop.outcomes(true).collect()));
}

impl Drop for Work {
    fn drop(&mut self) {
        self.presses = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
