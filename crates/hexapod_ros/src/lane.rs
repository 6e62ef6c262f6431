//! Lanes: urgent topics and services on a thread of their own.

use crate::call::Reply;
use crate::error::RosError;
use crate::inputs::Inputs;
use crate::node::{serve_later_from, subscribe_from};
use crate::realtime;
use crate::received::Received;
use crate::spin::{End, Over, TURN};
use hexapod_rcl::Node;
use r2r::{QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};

/// A lane of a node ([`RosNode::lane`](crate::RosNode::lane)).
pub struct Lane<'a> {
    node: &'a Node,
    inputs: &'a mut Inputs,
}

impl<'a> Lane<'a> {
    pub(crate) fn new(node: &'a Node, inputs: &'a mut Inputs) -> Self {
        Self { node, inputs }
    }

    /// Calls `handle` with every message on `topic` and where it comes from, on the lane's thread.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        subscribe_from(self.node, self.inputs, topic, qos, handle)
    }

    /// Calls `take` with every request of the service `name` and where it comes from, on the lane's thread; `take` hands
    /// the reply on and returns at once.
    ///
    /// # Errors
    /// The service cannot be made.
    pub fn serve_later_from<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        take: impl FnMut(S::Request, Reply<S>, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        serve_later_from(self.node, self.inputs, name, take)
    }
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
