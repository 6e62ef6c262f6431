//! A ROS node: what it takes in is handled on the one thread that spins it, but for its lanes.

use crate::call::Caller;
use crate::clock::{RosClock, from_stamp};
use crate::error::RosError;
use crate::graph::Graph;
use crate::inbound::Inbound;
use crate::inputs::Inputs;
use crate::lane::{Lane, LaneOpener, LaneThread};
use crate::local::LocalTopics;
use crate::log;
use crate::overrides::overrides;
use crate::parameters::{OnCheck, OnSet, Parameters};
use crate::publisher::{Kept, Publisher, Refill, SharedPublisher};
use crate::realtime::{self, priority};
use crate::received::Received;
use crate::reply::Reply;
use crate::rmw_watchdog::{ExitGuard, RmwWatchdog};
use crate::ros::Ros;
use crate::subscriptions::Subscriptions;
use hexapod_config::ros_params::{ParamSpec, ParamValue, Params};
use hexapod_rcl::{Context, Node};
use r2r::rosgraph_msgs::msg::Clock;
use r2r::{QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use std::sync::{Arc, Mutex, PoisonError};

/// A node and the handlers of all it subscribes to and serves. With it end its publishers, callers and replies: they
/// may outlive it, but reach nobody then.
pub struct RosNode {
    pub(crate) inputs: Inputs,
    pub(crate) lanes: Vec<LaneThread>,
    pub(crate) parameters: Parameters,
    pub(crate) publishers: Vec<Arc<dyn Kept>>,
    local: Option<LocalTopics>,
    values: Params,
    clock: RosClock,
    name: String,
    logger: String,
    node: Arc<Node>,
    context: Context,
    rmw_watchdog: RmwWatchdog,
}

impl RosNode {
    /// Creates the node `name`. Its parameters are the defaults of `specs`, under `base` (a configuration file), under the
    /// overrides from `--ros-args`.
    ///
    /// # Errors
    /// The node cannot be created, or an override is not what `specs` ask for.
    pub fn create(ros: &Ros, name: &str, specs: Vec<ParamSpec>, base: Params) -> Result<Self, RosError> {
        Self::create_over(ros, name, specs, |_| Ok(base))
    }

    /// As [`Self::create`], where `base` depends on the overrides, such as on the folder they name.
    ///
    /// # Errors
    /// As [`Self::create`], and those of `base`.
    pub fn create_over<E: From<RosError>>(
        ros: &Ros,
        name: &str,
        specs: Vec<ParamSpec>,
        base: impl FnOnce(&Params) -> Result<Params, E>,
    ) -> Result<Self, E> {
        // The first node brings the middleware up. Fast DDS announces itself a moment before it listens: an answer
        // that came in between would be lost, and the next be two seconds away.
        let create = || Node::create(&ros.context, name, "");
        let node = realtime::ahead_of_its_threads(priority::MESSAGES, create).map_err(|e| RosError::node(name, e))?;
        let overrides = overrides(&node, name, &specs, &ros.names)?;
        let mut values: Params = specs.iter().map(|spec| (spec.name, spec.default.clone())).collect();
        values.extend(base(&overrides)?);
        values.extend(overrides);
        let logger = log::logger_name(&node.full_name());
        log::call(name, &logger);
        let simulated = values.get("use_sim_time").and_then(ParamValue::as_bool) == Some(true);
        let clock = if simulated { RosClock::simulated() } else { RosClock::System };
        Ok(Self {
            inputs: Inputs::new(&ros.context, &Subscriptions::default(), ros.rmw_watchdog.join(name))?,
            lanes: vec![],
            parameters: Parameters::new(specs, values.clone()).of_node(&node.full_name(), clock.clone()),
            publishers: vec![],
            local: ros.local.clone(),
            values,
            clock,
            name: node.name(),
            logger,
            node: Arc::new(node),
            context: ros.context.clone(),
            rmw_watchdog: ros.rmw_watchdog.clone(),
        })
    }

    /// The node's name, without its namespace.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the node's logger, as in `robot.gait_planner`.
    pub(crate) fn logger(&self) -> &str {
        &self.logger
    }

    /// The node's name with its namespace, as in `/robot/gait_planner`.
    ///
    /// # Errors
    /// rcl does not know the node.
    pub fn full_name(&self) -> Result<String, RosError> {
        Ok(self.node.full_name())
    }

    /// The node's namespace, as in `/robot`; `/` where it has none.
    #[must_use]
    pub fn namespace(&self) -> String {
        let full = self.node.full_name();
        match full.rsplit_once('/') {
            Some((namespace, _)) if !namespace.is_empty() => namespace.into(),
            _ => "/".into(),
        }
    }

    /// The parameters the node starts with.
    #[must_use]
    pub fn values(&self) -> &Params {
        &self.values
    }

    /// The node's parameters, for who changes one in another way than by its services.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters.clone()
    }

    /// Who is asked before a parameter changes while the node runs.
    pub fn on_check(&self, on_check: OnCheck) {
        self.parameters.on_check(on_check);
    }

    /// Who hears of a changed parameter.
    pub fn on_set(&self, on_set: OnSet) {
        self.parameters.on_set(on_set);
    }

    /// Who else is there, as far as this node knows.
    #[must_use]
    pub fn graph(&self) -> Graph {
        Graph::new(self.node.graph(), self.local.clone(), self.inputs.subscriptions.clone())
    }

    /// Calls `handle` with every message on `topic`, on the spinning thread; with those of nodes of the same process on
    /// theirs.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut handle: impl FnMut(T) + Send + 'static,
    ) -> Result<(), RosError> {
        self.subscribe_from(topic, qos, move |message, _| handle(message))
    }

    /// As [`Self::subscribe`], with where each message comes from.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        self.inbound().subscribe_from(topic, qos, handle)
    }

    /// As [`Self::subscribe`], where `handle` needs no message of its own.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe_shared<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut handle: impl FnMut(&T) + Send + 'static,
    ) -> Result<(), RosError> {
        self.subscribe_shared_from(topic, qos, move |message, _| handle(message))
    }

    /// As [`Self::subscribe_shared`], with where each message comes from.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe_shared_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(&T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        self.inbound().subscribe_shared_from(topic, qos, handle)
    }

    /// A publisher for messages that are sent again and again with other numbers.
    ///
    /// # Errors
    /// The publisher cannot be made.
    pub fn shared_publisher<T: Refill>(
        &mut self,
        topic: &str,
        qos: QosProfile,
    ) -> Result<SharedPublisher<T>, RosError> {
        self.publisher(topic, qos).map(SharedPublisher::new)
    }

    /// Answers calls of the service `name` with `answer`, on the spinning thread; those of nodes of the same process on
    /// theirs.
    ///
    /// # Errors
    /// The service cannot be made.
    pub fn serve<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        answer: impl FnMut(S::Request) -> S::Response + Send + 'static,
    ) -> Result<(), RosError> {
        let answer = Arc::new(Mutex::new(answer));
        self.serve_later::<S>(name, move |request, reply| {
            let response = answer.lock().unwrap_or_else(PoisonError::into_inner)(request);
            reply.send(response);
        })
    }

    /// As [`Self::serve`], for answers that take a while: `take` hands the reply on and returns at once. Callers of the
    /// same process have a clone of it, so that they share no lock with the spinning thread.
    ///
    /// # Errors
    /// The service cannot be made.
    pub fn serve_later<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        mut take: impl FnMut(S::Request, Reply<S>) + Clone + Send + 'static,
    ) -> Result<(), RosError> {
        self.serve_later_from::<S>(name, move |request, reply, _| take(request, reply))
    }

    /// As [`Self::serve_later`], with where each request comes from.
    ///
    /// # Errors
    /// The service cannot be made.
    pub fn serve_later_from<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        take: impl FnMut(S::Request, Reply<S>, &Received) + Clone + Send + 'static,
    ) -> Result<(), RosError> {
        self.inbound().serve_later_from(name, take)
    }

    /// A lane of the node: what is subscribed to and served there is handled on a thread of its own, which has SCHED_FIFO
    /// at `priority` where that is granted. Nothing that the node's other handlers do can hold it up. It runs while the
    /// node spins.
    ///
    /// # Errors
    /// The thread cannot be started, or rcl cannot wait on it.
    pub fn lane(&mut self, thread_name: &'static str, priority: u8) -> Result<Lane<'_>, RosError> {
        let inputs = Inputs::new(&self.context, &self.inputs.subscriptions, self.rmw_watchdog.join(thread_name))?;
        let lane = LaneThread::create(thread_name, priority, inputs)?;
        self.lanes.push(lane);
        let inputs = self.lanes.last_mut().map_or(&mut self.inputs, |lane| &mut lane.inputs);
        Ok(Lane(Inbound { node: &self.node, local: self.local.as_ref(), inputs }))
    }

    /// Opens lanes of the node while it spins.
    #[must_use]
    pub fn lane_opener(&self) -> LaneOpener {
        LaneOpener::new(&self.node, &self.context, self.local.clone(), self.rmw_watchdog.clone())
    }

    /// What the node has to do before its process ends, in every case: done when it is dropped.
    #[must_use]
    pub fn exit_guard(&self) -> ExitGuard {
        self.rmw_watchdog.exit_guard()
    }

    /// A caller of the service `name`.
    ///
    /// # Errors
    /// The client cannot be made.
    pub fn caller<S: WrappedServiceTypeSupport + 'static>(&mut self, name: &str) -> Result<Caller<S>, RosError>
    where
        S::Response: Send,
    {
        self.inbound().caller(name)
    }

    /// A publisher on `topic`.
    ///
    /// # Errors
    /// The publisher cannot be made.
    pub fn publisher<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
    ) -> Result<Publisher<T>, RosError> {
        let local = self.local.as_ref().map(|local| local.topic(topic));
        let (publisher, kept) = Publisher::open(&self.node, topic, qos, local)?;
        self.publishers.push(kept);
        self.name_local(publisher.id());
        Ok(publisher)
    }

    /// What the thread that spins takes in.
    pub(crate) fn inbound(&mut self) -> Inbound<'_> {
        Inbound { node: &self.node, local: self.local.as_ref(), inputs: &mut self.inputs }
    }

    /// Takes down that a publisher of this process belongs to this node.
    fn name_local(&self, id: u64) {
        if let Some(local) = &self.local {
            local.name(id, self.node.full_name());
        }
    }

    /// Where stamps come from: `/clock` when the parameter `use_sim_time` is true, else the system's clock. A simulated one
    /// stands until somebody sets it, as after [`Self::clock`].
    #[must_use]
    pub fn stamps(&self) -> RosClock {
        self.clock.clone()
    }

    /// As [`Self::stamps`], a simulated clock set by each message on `/clock`.
    ///
    /// # Errors
    /// `/clock` cannot be subscribed to.
    pub fn clock(&mut self) -> Result<RosClock, RosError> {
        let clock = self.stamps();
        if matches!(clock, RosClock::System) {
            return Ok(clock);
        }
        let simulated = clock.clone();
        let qos = QosProfile::default().keep_last(1).best_effort();
        self.subscribe::<Clock>("/clock", qos, move |message| simulated.set(from_stamp(&message.clock)))?;
        Ok(clock)
    }
}
