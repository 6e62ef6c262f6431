//! Lanes: urgent topics and services on a thread of their own.

use crate::call::Caller;
use crate::end::{End, Over};
use crate::error::RosError;
use crate::inbound::Inbound;
use crate::inputs::{Inputs, TURN};
use crate::local::LocalTopics;
use crate::realtime;
use crate::received::Received;
use crate::reply::Reply;
use crate::rmw_watchdog::RmwWatchdog;
use crate::shutdown::{Shutdown, Stage};
use crate::subscriptions::Subscriptions;
use hexapod_rcl::{Context, Node};
use r2r::{QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use std::sync::{Arc, Weak, mpsc};
use std::thread::{Builder, JoinHandle};

/// A lane of a node ([`RosNode::lane`](crate::RosNode::lane)).
pub struct Lane<'a>(pub(crate) Inbound<'a>);

impl Lane<'_> {
    /// Calls `handle` with every message on `topic` and where it comes from, on the lane's thread. Nodes of the same process
    /// call a clone of it on theirs, so that they share no lock with the lane.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(T, &Received) + Clone + Send + 'static,
    ) -> Result<(), RosError> {
        self.0.subscribe_cloned_from(topic, qos, handle)
    }

    /// Calls `take` with every request of the service `name` and where it comes from, on the lane's thread; `take` hands
    /// the reply on and returns at once. Callers of the same process call a clone of it on theirs.
    ///
    /// # Errors
    /// The service cannot be made.
    pub fn serve_later_from<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        take: impl FnMut(S::Request, Reply<S>, &Received) + Clone + Send + 'static,
    ) -> Result<(), RosError> {
        self.0.serve_later_from(name, take)
    }

    /// A caller of the service `name`, whose answers are handled on the lane's thread.
    ///
    /// # Errors
    /// The client cannot be made.
    pub fn caller<S: WrappedServiceTypeSupport + 'static>(&mut self, name: &str) -> Result<Caller<S>, RosError>
    where
        S::Response: Send,
    {
        self.0.caller(name)
    }
}

/// Opens lanes of a node that spins, from any thread: for what is listened to now and then. It does not keep the node.
#[derive(Clone)]
pub struct LaneOpener {
    node: Weak<Node>,
    context: Context,
    local: Option<LocalTopics>,
    rmw_watchdog: RmwWatchdog,
}

impl LaneOpener {
    pub(crate) fn new(
        node: &Arc<Node>,
        context: &Context,
        local: Option<LocalTopics>,
        rmw_watchdog: RmwWatchdog,
    ) -> Self {
        Self { node: Arc::downgrade(node), context: context.clone(), local, rmw_watchdog }
    }

    /// A lane with what `fill` subscribes to, running until it is dropped; `None` if the node is gone.
    ///
    /// # Errors
    /// The thread cannot be started, or what `fill` says.
    pub fn open(
        &self,
        thread_name: &'static str,
        priority: u8,
        fill: impl FnOnce(&mut Lane<'_>) -> Result<(), RosError>,
    ) -> Result<Option<OpenLane>, RosError> {
        let Some(node) = self.node.upgrade() else { return Ok(None) };
        let inputs = Inputs::new(&self.context, &Subscriptions::default(), self.rmw_watchdog.join(thread_name))?;
        let mut lane = LaneThread::create(thread_name, priority, inputs)?;
        let inbound = Inbound { node: &node, local: self.local.as_ref(), inputs: &mut lane.inputs };
        fill(&mut Lane(inbound))?;
        let end = Arc::new(End::of(Shutdown::default(), Stage::Stopping, vec![lane.inputs.waker()]));
        let thread = lane.start(&end);
        Ok(Some(OpenLane { _over: Over(end), _thread: thread }))
    }
}

/// A lane that ends, with its subscriptions, when it is dropped.
pub struct OpenLane {
    // Dropped in this order: the thread is asked to end before it is joined.
    _over: Over,
    _thread: Joined,
}

/// A lane's thread, which waits for its node to spin; it ends when it is dropped.
pub(crate) struct LaneThread {
    pub(crate) inputs: Inputs,
    start: mpsc::Sender<(Inputs, Arc<End>)>,
    thread: Joined,
}

/// A thread that is joined when it is dropped.
pub(crate) struct Joined(Option<JoinHandle<()>>);

impl LaneThread {
    pub(crate) fn create(name: &'static str, priority: u8, inputs: Inputs) -> Result<Self, RosError> {
        let (start, started) = mpsc::channel();
        let work = move || {
            if let Ok((inputs, end)) = started.recv() {
                run(priority, inputs, end);
            }
        };
        let thread = Builder::new().name(name.into()).spawn(work);
        let thread = thread.map_err(|error| RosError::Thread(format!("{name}: {error}")))?;
        Ok(Self { inputs, start, thread: Joined(Some(thread)) })
    }

    /// Lets the thread run until `end`.
    pub(crate) fn start(self, end: &Arc<End>) -> Joined {
        // The thread does nothing but wait for this.
        let _ = self.start.send((self.inputs, Arc::clone(end)));
        self.thread
    }
}

fn run(priority: u8, mut inputs: Inputs, end: Arc<End>) {
    // Whether it is granted, the loops report.
    let _ = realtime::fifo(priority);
    let over = Over(end);
    while !over.0.has_come() {
        inputs.turn(TURN);
    }
    inputs.end();
}

impl Joined {
    /// Waits for the thread's end, and panics on if it has.
    pub(crate) fn join(mut self) {
        if let Some(Err(panic)) = self.0.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        // Whoever drops it is in a panic of its own, or never spun.
        let _ = self.0.take().map(JoinHandle::join);
    }
}
