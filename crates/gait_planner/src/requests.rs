//! The last requests for motions and trajectories, by whom and what came of them: `motion_status`.

use crate::joint_views::Desired;
use crate::names::Names;
use crate::progress::{ACTION, Entry, KEPT, Progress, Stage, gives_way};
use hexapod_gait::Tick;
use hexapod_ros::bounds::{Burst, excerpt, reason};
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use hexapod_ros::{Level, Publisher, RosClock, RosError, RosNode, Sender, monotonic_now, warn_if_lost};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use triple_buffer::Input;

/// The last requests. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    board: Arc<Mutex<Board>>,
}

/// How far a request is.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// In words.
    pub stage: Stage,
    /// What ended it, or is ending it.
    pub why: Cow<'static, str>,
    /// Seconds left at full speed, the way back not counted.
    pub remaining_s: f64,
}

#[derive(Clone, Debug, Default)]
struct Board {
    /// Requests so far.
    count: u64,
    /// Goes up with each change.
    changes: u64,
    /// The newest last.
    kept: Vec<Request>,
}

#[derive(Clone, Debug)]
struct Request {
    number: u64,
    topic: &'static str,
    name: String,
    sender: Sender,
    stage: Stage,
    why: Cow<'static, str>,
    fraction: f64,
    remaining_s: f64,
}

impl Requests {
    /// Takes down that somebody asks for something; its number.
    pub fn open(&self, topic: &'static str, name: &str, sender: Sender) -> u64 {
        self.locked(|board| {
            board.count += 1;
            board.changes += 1;
            let (stage, why) = (Stage::Accepted, Cow::Borrowed(""));
            let (name, number) = (excerpt(name).into_owned(), board.count);
            board.kept.push(Request {
                number,
                topic,
                name,
                sender,
                stage,
                why,
                fraction: 0.0,
                remaining_s: f64::INFINITY,
            });
            if board.kept.len() > KEPT {
                let over = board.kept.iter().position(|request| request.stage.is_over());
                board.kept.remove(over.unwrap_or_default());
            }
            number
        })
    }

    /// Takes down why a request was refused.
    pub fn reject(&self, number: u64, why: &str) {
        self.change(number, |request| {
            (request.stage, request.why) = (Stage::Rejected, reason(why).into_owned().into());
        });
    }

    /// Takes down what the control loop has done; gives what is to be logged of it.
    pub fn take(&self, progress: &Progress) -> Vec<Line> {
        let mut lines = vec![];
        for &Entry { request, stage, why, fraction, remaining_s, .. } in progress.iter().flatten() {
            self.change(request, |request| {
                let is_new = std::mem::replace(&mut request.stage, stage) != stage;
                request.why = why.into();
                lines.extend(is_new.then(|| line(request)).flatten());
                (request.fraction, request.remaining_s) = (fraction, remaining_s);
            });
        }
        lines
    }

    /// Ends all that is under way, because the control loop does not come back.
    pub fn abort(&self, why: &'static str) {
        self.locked(|board| {
            for request in board.kept.iter_mut().filter(|request| !request.stage.is_over()) {
                (request.stage, request.why) = (Stage::Aborted, why.into());
                board.changes += 1;
            }
        });
    }

    /// How far a request is, if it is one of the last.
    #[must_use]
    pub fn of(&self, number: u64) -> Option<Seen> {
        self.locked(|board| {
            let request = board.kept.iter().find(|request| request.number == number)?;
            let Request { stage, ref why, remaining_s, .. } = *request;
            Some(Seen { stage, why: why.clone(), remaining_s })
        })
    }

    /// Whether a goal of the action is under way that gives way to the next one.
    #[must_use]
    pub fn plays_goal(&self) -> bool {
        let plays = |request: &Request| request.topic == ACTION && !request.stage.is_over() && gives_way(&request.why);
        self.locked(|board| board.kept.iter().any(plays))
    }

    /// Changes a request that is not over; an end is final.
    fn change(&self, number: u64, change: impl FnOnce(&mut Request)) {
        self.locked(|board| {
            let mut kept = board.kept.iter_mut();
            if let Some(request) = kept.find(|request| request.number == number && !request.stage.is_over()) {
                change(request);
                board.changes += 1;
            }
        });
    }

    fn locked<R>(&self, work: impl FnOnce(&mut Board) -> R) -> R {
        work(&mut self.board.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A line for the log, and whether it is a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    words: String,
    warns: bool,
}

/// What is logged when a request gets to where it is.
fn line(request: &Request) -> Option<Line> {
    let Request { topic, name, why, stage, .. } = request;
    let what = if topic == name { name.clone() } else { format!("{topic} {name}") };
    let (words, warns) = match stage {
        Stage::Executing => (format!("{what} started"), false),
        Stage::Succeeded => (format!("{what} ended"), false),
        Stage::Canceled => (format!("{what} canceled by {why}"), false),
        Stage::Aborted => (format!("{what} aborted: {why}"), true),
        // What is rejected is logged where it came in.
        Stage::Accepted | Stage::Canceling | Stage::Rejected => return None,
    };
    Some(Line { words, warns })
}

/// The topic `motion_status`.
pub struct MotionStatus {
    publisher: Publisher<DiagnosticArray>,
    requests: Requests,
    clock: RosClock,
    robot: String,
    /// What was reported last, and of whom.
    reported: Option<Board>,
    names: Names,
    lines: Burst,
    desired: Option<Input<Desired>>,
}

impl MotionStatus {
    /// Opens the topic, and says that nothing has been asked for. Whoever follows goals sees each tick in `desired`.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn new(node: &mut RosNode, robot: &str, desired: Option<Input<Desired>>) -> Result<Self, RosError> {
        let latched = QosProfile::default().keep_last(1).reliable().transient_local();
        let publisher = node.publisher("motion_status", latched)?;
        let (names, clock, requests) = (Names::new(node.graph()), node.stamps(), Requests::default());
        let (robot, lines) = (robot.into(), Burst::new(20, 1));
        let mut status = Self { publisher, requests, clock, robot, reported: None, names, lines, desired };
        status.tell();
        Ok(status)
    }

    /// Shows a tick.
    pub fn show(&mut self, tick: &Tick) {
        self.desired.iter_mut().for_each(|desired| desired.write(Desired::of(tick)));
    }

    /// The requests it tells of.
    #[must_use]
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Takes down what the control loop has done, and logs it.
    pub fn take(&mut self, progress: &Progress) {
        for Line { words, warns } in self.requests.take(progress) {
            match self.lines.admit(monotonic_now()) {
                false => {}
                true if warns => tracing::warn!("{words}"),
                true => tracing::info!("{words}"),
            }
        }
    }

    /// Publishes what has changed since, the names of those who asked included.
    pub fn tell(&mut self) {
        let reported = self.reported.as_ref().map(|reported| reported.changes);
        let changed = self.requests.locked(|board| (reported != Some(board.changes)).then(|| board.clone()));
        let is_changed = changed.is_some();
        let board = changed.or_else(|| self.reported.take()).unwrap_or_default();
        if self.names.learn(board.kept.iter().map(|request| request.sender)) || is_changed {
            self.publish(&board);
        }
        self.reported = Some(board);
    }

    fn publish(&self, board: &Board) {
        let mut array = DiagnosticArray::default();
        array.header.stamp = to_stamp(self.clock.now());
        let reported = |request: &Request| status(request, self.names.of(request.sender), &self.robot);
        array.status = board.kept.iter().map(reported).collect();
        warn_if_lost(self.publisher.publish(&array));
    }
}

fn status(request: &Request, asked_by: &str, robot: &str) -> DiagnosticStatus {
    let level = match request.stage {
        Stage::Accepted | Stage::Executing | Stage::Succeeded => Level::Ok,
        Stage::Canceling | Stage::Canceled => Level::Warn,
        Stage::Aborted | Stage::Rejected => Level::Error,
    };
    let mut values = vec![
        ("request", request.number.to_string()),
        ("state", request.stage.as_str().into()),
        ("progress", format!("{:.3}", request.fraction)),
    ];
    if request.remaining_s.is_finite() {
        values.push(("remaining (s)", format!("{:.2}", request.remaining_s)));
    }
    values.push(("reason", request.why.to_string()));
    values.push(("asked on", request.topic.into()));
    values.push(("asked by", asked_by.into()));
    DiagnosticStatus {
        level: level as u8,
        name: request.name.clone(),
        message: words(request),
        hardware_id: robot.into(),
        values: values.into_iter().map(|(key, value)| KeyValue { key: key.into(), value }).collect(),
    }
}

fn words(request: &Request) -> String {
    let why = &request.why;
    match request.stage {
        Stage::Executing => format!("executing, {:.0} %", request.fraction * 100.0),
        Stage::Canceling => format!("canceling: {why}"),
        Stage::Canceled => format!("canceled by {why}"),
        Stage::Aborted => format!("aborted: {why}"),
        Stage::Rejected => format!("rejected: {why}"),
        Stage::Accepted | Stage::Succeeded => request.stage.as_str().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENDER: Sender = Sender::Local(7);

    fn kept(requests: &Requests) -> Vec<(u64, Stage)> {
        requests.locked(|board| board.kept.iter().map(|request| (request.number, request.stage)).collect())
    }

    #[test]
    fn when_a_flood_is_refused_expect_what_is_under_way_still_reported_and_little_kept() {
        let requests = Requests::default();
        let first = requests.open("motion", "wave", SENDER);
        for _ in 0..1000 {
            let number = requests.open("motion", &"x".repeat(100_000), SENDER);
            requests.reject(number, &"there is no motion so ".repeat(1000));
        }
        let kept = kept(&requests);
        assert_eq!((kept.len(), kept[0], kept[7]), (KEPT, (first, Stage::Accepted), (1001, Stage::Rejected)));
        let bytes: usize = requests.locked(|board| board.kept.iter().map(|r| r.name.len() + r.why.len()).sum());
        assert!(bytes < 8000, "{bytes}");
    }

    #[test]
    fn when_a_motion_begins_and_ends_expect_it_logged_with_what_ended_it() {
        for (topic, stage, why, words) in [
            ("motion", Stage::Executing, "", Some("motion wave started")),
            ("motion", Stage::Succeeded, "", Some("motion wave ended")),
            ("motion", Stage::Canceled, "stop", Some("motion wave canceled by stop")),
            ("motion", Stage::Aborted, "emergency stop", Some("motion wave aborted: emergency stop")),
            ("motion", Stage::Canceling, "stop", None),
            ("wave", Stage::Executing, "", Some("wave started")),
        ] {
            let requests = Requests::default();
            requests.open(topic, "wave", SENDER);
            let request = requests.locked(|board| Request { stage, why: why.into(), ..board.kept[0].clone() });
            let reported = line(&request).map(|line| (line.words, line.warns));
            assert_eq!(reported, words.map(|words| (words.to_owned(), stage == Stage::Aborted)));
        }
    }

    #[test]
    fn when_a_request_is_over_expect_that_for_good() {
        let requests = Requests::default();
        let number = requests.open("motion", "wave", SENDER);
        requests.abort("the loop is lost");
        requests.reject(number, "late");
        assert_eq!(kept(&requests), [(number, Stage::Aborted)]);
        let status = requests.locked(|board| status(&board.kept[0], "/script", "hexapod"));
        assert_eq!((status.level, status.message.as_str()), (2, "aborted: the loop is lost"));
    }
}
