//! The action's thread: it takes goals in, follows the one that is played, and reports to its client.

use super::code::{Code, Refusal};
use super::goal::{Followed, check};
use super::outcome::{Course, End, course};
use super::tolerances::Compared;
use crate::command::Command;
use crate::control_watchdog::spawn;
use crate::joint_views::{Reading, Views};
use crate::motion_intake::{Ends, TrajectoryIntake};
use crate::progress::{ACTION, ITS_CLIENT, ITS_TOLERANCES};
use crate::requests::Requests;
use crate::setup::Setup;
use hexapod_ros::bounds::reason;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::builtin_interfaces::msg::Duration as DurationMsg;
use hexapod_ros::r2r::control_msgs::action::FollowJointTrajectory::{Action, Feedback, Result as Outcome};
use hexapod_ros::r2r::trajectory_msgs::msg::JointTrajectoryPoint;
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{ActionServer, ActionWaker, Asked, AskedGoal, GoalId, RosClock, RosError, RosNode, monotonic_now};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the goal is looked at, and feedback sent.
const PERIOD: Duration = Duration::from_millis(50);

/// The thread, which ends with this: it publishes, and publishers are to end before their node does.
pub(crate) struct ActionThread {
    over: Arc<AtomicBool>,
    waker: ActionWaker<Action>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ActionThread {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.waker.wake();
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// Serves the action on a thread of its own.
///
/// # Errors
/// A service or topic of it cannot be opened, or the thread not be started.
pub(crate) fn open(
    node: &mut RosNode,
    setup: &Setup,
    ends: &Ends<'_>,
    (views, clock): (Views, &RosClock),
) -> Result<ActionThread, RosError> {
    let server = node.action_server::<Action>(ACTION)?;
    let (waker, over) = (server.waker(), Arc::new(AtomicBool::new(false)));
    let trajectories = TrajectoryIntake::of(setup, ends);
    let requests = ends.requests.clone();
    let mut follower = Follower { server, trajectories, requests, views, clock: clock.clone(), live: None };
    let end = Arc::clone(&over);
    let thread = spawn("planner-action", move || {
        // As the thread that takes messages in, with which it shares locks; whether it is granted, the loops report.
        let _ = realtime::fifo(priority::MESSAGES);
        let mut due = Duration::ZERO;
        while !end.load(Ordering::SeqCst) {
            due = follower.turn(due);
        }
        follower.leave();
    })?;
    Ok(ActionThread { over, waker, thread: Some(thread) })
}

struct Follower {
    server: ActionServer<Action>,
    trajectories: TrajectoryIntake,
    requests: Requests,
    views: Views,
    clock: RosClock,
    /// There is at most one: the next one takes its place.
    live: Option<Live>,
}

/// The goal that is under way.
struct Live {
    id: GoalId,
    /// Its number on `motion_status`.
    request: u64,
    goal: Followed,
    /// Its client has asked to end it.
    is_canceling: bool,
}

impl Follower {
    /// Takes in what comes until it is time to look at the goal, and looks at it at `due`; the next time to look.
    fn turn(&mut self, due: Duration) -> Duration {
        let until_due = due.saturating_sub(monotonic_now());
        match self.server.next(self.live.is_some().then_some(until_due)) {
            Some(Asked::Goal(asked)) => self.take(asked),
            Some(Asked::Cancel(goals)) => self.cancel(&goals),
            None => {}
        }
        let now = monotonic_now();
        if now < due {
            return due;
        }
        self.follow(now);
        now + PERIOD
    }

    fn take(&mut self, asked: AskedGoal<Action>) {
        let from = asked.from;
        let refuse = |reason: String| self.trajectories.take(ACTION, Err(reason), Command::Goal, &from);
        if let Err(reason) = self.trajectories.may_follow() {
            refuse(reason);
            return self.server.reject(asked);
        }
        match check(&self.trajectories, &asked.goal, self.clock.now()) {
            Err(Refusal { code, reason }) => {
                refuse(reason.clone());
                let id = self.server.accept(asked);
                self.finish(&id, End::aborted(code, reason));
            }
            Ok(checked) => match self.trajectories.take(ACTION, Ok(checked.motion), Command::Goal, &from) {
                None => self.server.reject(asked),
                Some(request) => {
                    self.give_way();
                    let id = self.server.accept(asked);
                    self.live = Some(Live { id, request, goal: checked.followed, is_canceling: false });
                    self.say_what_is_not_looked_at();
                }
            },
        }
    }

    /// The goal that is under way ends in favour of another, unless it was reached just now.
    fn give_way(&mut self) {
        self.follow(monotonic_now());
        if let Some(Live { id, is_canceling, .. }) = self.live.take() {
            self.finish(&id, End::of_preempted(is_canceling));
        }
    }

    fn say_what_is_not_looked_at(&mut self) {
        let given = self.live.as_ref().is_some_and(|live| live.goal.tolerances.are_given());
        if given && !self.views.measured.read().is_measured() {
            tracing::info!("{ACTION}: the servos do not measure their angles, so tolerances are not looked at");
        }
    }

    fn cancel(&mut self, goals: &[GoalId]) {
        if let Some(live) = self.live.as_mut().filter(|live| goals.contains(&live.id)) {
            live.is_canceling = true;
            self.trajectories.end_goal(ACTION, live.request, ITS_CLIENT);
        }
    }

    /// Looks at the goal that is under way, and reports to its client.
    fn follow(&mut self, now: Duration) {
        let Some(live) = &self.live else { return };
        let joints = compared(&live.goal, &mut self.views, now);
        let is_measured = self.views.measured.read().is_measured();
        let looked_at = if is_measured { joints.as_slice() } else { &[] };
        match course(self.requests.of(live.request).as_ref(), live.is_canceling, &live.goal, looked_at) {
            Course::Waits => {}
            Course::Goes(elapsed_s) => {
                self.server.execute(&live.id);
                if self.server.is_followed() {
                    self.server.publish_feedback(&live.id, feedback(&live.goal, &joints, elapsed_s, self.clock.now()));
                }
            }
            Course::Ends(end) => {
                let Live { id, request, .. } = *live;
                if [Code::PathToleranceViolated, Code::GoalToleranceViolated].contains(&end.code) {
                    tracing::warn!("{ACTION}: {}", end.text);
                    self.trajectories.end_goal(ACTION, request, ITS_TOLERANCES);
                }
                self.live = None;
                self.finish(&id, end);
            }
        }
    }

    fn finish(&mut self, id: &GoalId, end: End) {
        let result = Outcome { error_code: end.code as i32, error_string: reason(&end.text).into_owned() };
        self.server.finish(id, end.status, result);
    }

    /// The node ends.
    fn leave(&mut self) {
        self.follow(monotonic_now());
        if let Some(Live { id, .. }) = self.live.take() {
            self.finish(&id, End::aborted(Code::InvalidGoal, "ended by the end of the process"));
        }
    }
}

/// The joints of a goal as they are commanded, and as far as is known of their servos.
fn compared(goal: &Followed, views: &mut Views, now: Duration) -> Vec<Compared> {
    let (desired, measured) = (*views.desired.read(), views.measured.read());
    let joint = |&place: &(usize, usize)| {
        let nothing = Reading { position: 0.0, velocity: None };
        (desired.joint(place).unwrap_or(nothing), measured.joint(place, now))
    };
    goal.places.iter().map(joint).collect()
}

/// What a client hears of its goal: where a servo is not known, neither is what its joint does and how far it is off.
fn feedback(goal: &Followed, joints: &[Compared], elapsed_s: f64, now: Duration) -> Feedback {
    let desired: Vec<Reading> = joints.iter().map(|(desired, _)| *desired).collect();
    let actual: Option<Vec<Reading>> = joints.iter().map(|(_, actual)| *actual).collect();
    let error =
        actual.as_ref().map(|actual| desired.iter().zip(actual).map(|(to, is)| to.minus(is)).collect::<Vec<_>>());
    let mut feedback = Feedback {
        joint_names: goal.names.clone(),
        desired: point(&desired, elapsed_s),
        actual: actual.map(|actual| point(&actual, elapsed_s)).unwrap_or_default(),
        error: error.map(|error| point(&error, elapsed_s)).unwrap_or_default(),
        ..Feedback::default()
    };
    feedback.header.stamp = to_stamp(now);
    feedback
}

fn point(joints: &[Reading], elapsed_s: f64) -> JointTrajectoryPoint {
    let elapsed = Duration::try_from_secs_f64(elapsed_s).unwrap_or_default();
    let sec = i32::try_from(elapsed.as_secs()).unwrap_or(i32::MAX);
    let velocities: Option<Vec<f64>> = joints.iter().map(|joint| joint.velocity).collect();
    JointTrajectoryPoint {
        positions: joints.iter().map(|joint| joint.position).collect(),
        velocities: velocities.unwrap_or_default(),
        time_from_start: DurationMsg { sec, nanosec: elapsed.subsec_nanos() },
        ..JointTrajectoryPoint::default()
    }
}
