//! Action servers: goals that take a while, with feedback, an end that can be asked for, and cancelling.
//!
//! An action is three services and two topics below its name, which is all that `ros2 action` and its clients look at. What
//! clients ask waits in a bounded queue for the one thread that has the server: no handler of the node waits for it, and
//! nothing of it is shared under a lock.

mod goals;

pub use goals::{GoalId, GoalStatus};

use crate::clock::{RosClock, from_stamp, to_stamp};
use crate::error::RosError;
use crate::node::RosNode;
use crate::pacer::monotonic_now;
use crate::publisher::{Publisher, warn_if_lost};
use crate::received::Received;
use crate::reply::Reply;
use goals::{Answer, Goals};
use r2r::action_msgs::msg::{GoalInfo, GoalStatus as GoalStatusMsg, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{QosProfile, WrappedActionTypeSupport, WrappedServiceTypeSupport};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// So many requests wait for the server's thread at most; more get no answer. Each may be a whole trajectory.
const MOST_REQUESTS: usize = 8;

type SendRequest<A> = <<A as WrappedActionTypeSupport>::SendGoal as WrappedServiceTypeSupport>::Request;
type SendResponse<A> = <<A as WrappedActionTypeSupport>::SendGoal as WrappedServiceTypeSupport>::Response;
type ResultRequest<A> = <<A as WrappedActionTypeSupport>::GetResult as WrappedServiceTypeSupport>::Request;
type ResultResponse<A> = <<A as WrappedActionTypeSupport>::GetResult as WrappedServiceTypeSupport>::Response;

/// What an action's types have to be: r2r's all are.
pub trait Action:
    WrappedActionTypeSupport<
        Goal: Send + 'static,
        Result: Send + 'static,
        Feedback: Send + 'static,
        FeedbackMessage: Send + 'static,
        SendGoal: WrappedServiceTypeSupport<Request: Send + 'static, Response: Send + 'static> + 'static,
        GetResult: WrappedServiceTypeSupport<Request: Send + 'static, Response: Send + 'static> + 'static,
    > + 'static
{
}

impl<A> Action for A where
    A: WrappedActionTypeSupport<
            Goal: Send + 'static,
            Result: Send + 'static,
            Feedback: Send + 'static,
            FeedbackMessage: Send + 'static,
            SendGoal: WrappedServiceTypeSupport<Request: Send + 'static, Response: Send + 'static> + 'static,
            GetResult: WrappedServiceTypeSupport<Request: Send + 'static, Response: Send + 'static> + 'static,
        > + 'static
{
}

/// What comes from clients.
enum Event<A: Action> {
    Goal(SendRequest<A>, Reply<A::SendGoal>, Received),
    Cancel(CancelGoal::Request, Reply<CancelGoal::Service>),
    Result(ResultRequest<A>, Reply<A::GetResult>),
    Wake,
}

/// The server of an action, for one thread.
pub struct ActionServer<A: Action> {
    events: Receiver<Event<A>>,
    waker: ActionWaker<A>,
    feedback: Publisher<A::FeedbackMessage>,
    status: Publisher<GoalStatusArray>,
    goals: Goals<A::Result, Reply<A::GetResult>>,
    clock: RosClock,
}

/// Ends a wait of a server's thread.
pub struct ActionWaker<A: Action>(SyncSender<Event<A>>);

/// A goal that a client asks for, to be accepted or rejected.
pub struct AskedGoal<A: Action> {
    /// Its number.
    pub id: GoalId,
    /// What is asked for.
    pub goal: A::Goal,
    /// Who asks, and when.
    pub from: Received,
    reply: Reply<A::SendGoal>,
}

/// What a client asks for.
pub enum Asked<A: Action> {
    /// A goal.
    Goal(AskedGoal<A>),
    /// To end these, which are not over.
    Cancel(Vec<GoalId>),
}

impl RosNode {
    /// Serves the action `name`; what clients ask is handled on the thread that calls [`ActionServer::next`].
    ///
    /// # Errors
    /// A service or topic of it cannot be made.
    pub fn action_server<A: Action>(&mut self, name: &str) -> Result<ActionServer<A>, RosError> {
        let (queue, events) = sync_channel(MOST_REQUESTS);
        let below = |entity: &str| format!("{name}/_action/{entity}");
        let to = queue.clone();
        self.serve_later_from::<A::SendGoal>(&below("send_goal"), move |request, reply, from| {
            hand_over(&to, Event::Goal(request, reply, *from));
        })?;
        let to = queue.clone();
        self.serve_later::<CancelGoal::Service>(&below("cancel_goal"), move |request, reply| {
            hand_over(&to, Event::Cancel(request, reply));
        })?;
        let to = queue.clone();
        self.serve_later::<A::GetResult>(&below("get_result"), move |request, reply| {
            hand_over(&to, Event::Result(request, reply));
        })?;
        let latched = QosProfile::default().keep_last(1).reliable().transient_local();
        let server = ActionServer {
            events,
            waker: ActionWaker(queue),
            feedback: self.publisher(&below("feedback"), QosProfile::default())?,
            status: self.publisher(&below("status"), latched)?,
            goals: Goals::new(),
            clock: self.stamps(),
        };
        server.publish_status();
        Ok(server)
    }
}

fn hand_over<A: Action>(queue: &SyncSender<Event<A>>, event: Event<A>) {
    if queue.try_send(event).is_err() {
        tracing::debug!("a request of an action was dropped: {MOST_REQUESTS} wait already");
    }
}

impl<A: Action> ActionServer<A> {
    /// Who ends a wait of the server's thread.
    #[must_use]
    pub fn waker(&self) -> ActionWaker<A> {
        ActionWaker(self.waker.0.clone())
    }

    /// Waits for what clients ask, at most `timeout`, without one until somebody wakes it. Who asks for results is answered
    /// here, now or when there is one.
    pub fn next(&mut self, timeout: Option<Duration>) -> Option<Asked<A>> {
        let event = match timeout {
            Some(timeout) => self.events.recv_timeout(timeout),
            None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event.ok()? {
            Event::Goal(request, reply, from) => {
                let (id, goal) = A::destructure_goal_request_msg(request);
                let (id, known) = (goal_id(&id), goal_id(&id).is_none_or(|id| self.goals.knows(&id)));
                match id {
                    Some(id) if !known => return Some(Asked::Goal(AskedGoal { id, goal, from, reply })),
                    _ => reply.send(self.sent(false)),
                }
            }
            Event::Cancel(request, reply) => return self.cancel(&request, reply).map(Asked::Cancel),
            Event::Result(request, reply) => self.answer_result(request, reply),
            Event::Wake => {}
        }
        None
    }

    /// Accepts a goal.
    pub fn accept(&mut self, asked: AskedGoal<A>) -> GoalId {
        let response = self.sent(true);
        self.goals.accept(asked.id, self.clock.now());
        asked.reply.send(response);
        self.publish_status();
        asked.id
    }

    /// Rejects a goal.
    pub fn reject(&self, asked: AskedGoal<A>) {
        asked.reply.send(self.sent(false));
    }

    /// A goal is carried out now, if it has waited until now.
    pub fn execute(&mut self, id: &GoalId) {
        if self.goals.execute(id) {
            self.publish_status();
        }
    }

    /// What came of a goal. One that has waited until now passes through the state between.
    pub fn finish(&mut self, id: &GoalId, status: GoalStatus, result: A::Result) {
        self.execute(id);
        for reply in self.goals.finish(id, status, result.clone(), monotonic_now()) {
            reply.send(A::make_result_response_msg(status.code(), result.clone()));
        }
        self.publish_status();
    }

    /// Whether feedback would be of use to anybody.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.feedback.is_wanted()
    }

    /// Publishes how a goal goes.
    pub fn publish_feedback(&self, id: &GoalId, feedback: A::Feedback) {
        warn_if_lost(self.feedback.publish(&A::make_feedback_msg(uuid(id), feedback)));
    }

    fn sent(&self, accepted: bool) -> SendResponse<A> {
        A::make_goal_response_msg(accepted, to_stamp(self.clock.now()))
    }

    /// The goals that are to be ended.
    fn cancel(&mut self, request: &CancelGoal::Request, reply: Reply<CancelGoal::Service>) -> Option<Vec<GoalId>> {
        let id = goal_id(&request.goal_info.goal_id).filter(|id| *id != GoalId::default());
        let until = Some(from_stamp(&request.goal_info.stamp)).filter(|until| !until.is_zero());
        let canceled = self.goals.cancel(id.as_ref(), until, monotonic_now());
        let goals: Vec<_> = canceled.iter().flatten().copied().collect();
        let info = |(id, stamp): &(GoalId, Duration)| GoalInfo { goal_id: uuid(id), stamp: to_stamp(*stamp) };
        reply.send(CancelGoal::Response {
            return_code: canceled.err().map_or(0, |refused| refused as i8),
            goals_canceling: goals.iter().map(info).collect(),
        });
        if goals.is_empty() {
            return None;
        }
        self.publish_status();
        Some(goals.into_iter().map(|(id, _)| id).collect())
    }

    fn answer_result(&mut self, request: ResultRequest<A>, reply: Reply<A::GetResult>) {
        let respond = |reply: Reply<A::GetResult>, status: GoalStatus, result| {
            let response: ResultResponse<A> = A::make_result_response_msg(status.code(), result);
            reply.send(response);
        };
        let Some(id) = goal_id(&A::destructure_result_request_msg(request)) else {
            return respond(reply, GoalStatus::Unknown, A::Result::default());
        };
        match self.goals.ask(&id, reply, monotonic_now()) {
            Answer::Later => {}
            Answer::Now(reply, status, result) => respond(reply, status, result),
            Answer::Unknown(reply) => respond(reply, GoalStatus::Unknown, A::Result::default()),
        }
    }

    fn publish_status(&self) {
        let status = |(id, stamp, status): (GoalId, Duration, GoalStatus)| GoalStatusMsg {
            goal_info: GoalInfo { goal_id: uuid(&id), stamp: to_stamp(stamp) },
            status: status.code(),
        };
        warn_if_lost(self.status.publish(&GoalStatusArray { status_list: self.goals.list().map(status).collect() }));
    }
}

impl<A: Action> ActionWaker<A> {
    /// Has the server's thread go on.
    pub fn wake(&self) {
        // A queue that is full wakes it as well.
        let _ = self.0.try_send(Event::Wake);
    }
}

fn uuid(id: &GoalId) -> UUID {
    UUID { uuid: id.to_vec() }
}

fn goal_id(uuid: &UUID) -> Option<GoalId> {
    uuid.uuid.as_slice().try_into().ok()
}
