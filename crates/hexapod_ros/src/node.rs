//! A ROS node: what it takes in is handled on the one thread that spins it.

use crate::clock::{RosClock, from_stamp};
use crate::error::RosError;
use crate::local::{Handler, LocalTopics, call};
use crate::opening::one_at_a_time;
use crate::parameters::{OnCheck, OnSet, Parameters, from_override};
use crate::publisher::{Publisher, Refill, SharedPublisher};
use crate::realtime::{self, priority};
use crate::shutdown::{Shutdown, Stage};
use futures::{FutureExt, Stream, StreamExt};
use hexapod_config::ros_params::{ParamSpec, ParamValue, Params, check_named};
use r2r::rcl_interfaces::srv;
use r2r::rosgraph_msgs::msg::Clock;
use r2r::{QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The process's one connection to ROS.
#[derive(Clone)]
pub struct Ros {
    context: r2r::Context,
    local: Option<LocalTopics>,
    process: Shutdown,
}

impl Ros {
    /// Reads the process's `--ros-args` and connects. From when `process` has been asked for, nodes look often whether
    /// it is their turn to end.
    ///
    /// # Errors
    /// The arguments are malformed: r2r panics on those, which is turned into an error here.
    pub fn init(process: &Shutdown) -> Result<Self, RosError> {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let created = std::panic::catch_unwind(r2r::Context::create);
        std::panic::set_hook(hook);
        match created {
            Ok(Ok(context)) => Ok(Self { context, local: None, process: process.clone() }),
            Ok(Err(error)) => Err(RosError::Context(error.to_string())),
            Err(panic) => {
                let words = panic.downcast_ref::<String>().cloned();
                Err(RosError::Arguments(words.unwrap_or_else(|| "rcl gave no reason".into())))
            }
        }
    }
}

impl Ros {
    /// Hands the messages of shared topics over between the nodes of this process without the middleware, which must
    /// have been told not to do so itself.
    #[must_use]
    pub fn with_local_topics(self) -> Self {
        Self { local: Some(LocalTopics::default()), ..self }
    }
}

/// The answer that a service's caller waits for.
pub struct Reply<S: WrappedServiceTypeSupport> {
    request: r2r::ServiceRequest<S>,
}

impl<S: WrappedServiceTypeSupport + 'static> Reply<S> {
    /// Answers. A client that has gone in the meantime is its own affair.
    pub fn send(self, response: S::Response) {
        if let Err(error) = self.request.respond(response) {
            tracing::debug!("an answer was not delivered: {error}");
        }
    }
}

type Answer = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Calls a service; answers are handled on the node's spinning thread.
pub struct Caller<S: WrappedServiceTypeSupport> {
    client: r2r::Client<S>,
    answers: std::sync::mpsc::Sender<Answer>,
}

impl<S: WrappedServiceTypeSupport + 'static> Caller<S>
where
    S::Response: Send,
{
    /// Sends a request; `handle` gets the answer, if one comes.
    ///
    /// # Errors
    /// The request cannot be sent.
    pub fn call(
        &self,
        request: &S::Request,
        handle: impl FnOnce(S::Response) + Send + 'static,
    ) -> Result<(), RosError> {
        let answer = self.client.request(request).map_err(|e| RosError::topic("service", e))?;
        let answer = answer.map(|answer| {
            if let Ok(answer) = answer {
                handle(answer);
            }
        });
        self.answers.send(Box::pin(answer)).map_err(|_| RosError::Thread("the node spins no more".into()))
    }
}

type Drain = Box<dyn FnMut() -> bool + Send>;

/// A node and the handlers of all it subscribes to and serves.
pub struct RosNode {
    node: r2r::Node,
    local: Option<LocalTopics>,
    process: Shutdown,
    name: String,
    drains: Vec<Drain>,
    parameters: Parameters,
    values: Params,
}

/// How long the spinning thread sleeps when nothing comes in: it bounds how late the process's end is seen.
const SPIN_TIMEOUT: Duration = Duration::from_millis(250);
/// And how long once that end has been asked for: it bounds how late the node's own is seen.
const STOPPING_TIMEOUT: Duration = Duration::from_millis(20);
/// How long a node spins before it opens its parameter services.
const TOPICS_FIRST: Duration = Duration::from_millis(50);
/// At most one spin in this time, so that a flood of messages cannot take a whole core.
const SPIN_PERIOD: Duration = Duration::from_micros(500);

impl RosNode {
    /// Creates the node `name`. Its parameters are the defaults of `specs`, under `base` (a configuration file), under the
    /// overrides from `--ros-args`.
    ///
    /// # Errors
    /// The node cannot be created, or an override is not what `specs` ask for.
    pub fn create(ros: &Ros, name: &str, specs: Vec<ParamSpec>, base: Params) -> Result<Self, RosError> {
        // The first node brings the middleware up. Fast DDS announces itself a moment before it listens: an answer
        // that came in between would be lost, and the next be two seconds away.
        let create = || r2r::Node::create(ros.context.clone(), name, "");
        let node = realtime::ahead_of_its_threads(priority::MESSAGES, create);
        let node = node.map_err(|e| RosError::node(name, e))?;
        let mut values: Params = specs.iter().map(|spec| (spec.name, spec.default.clone())).collect();
        values.extend(base);
        for (key, value) in overrides(&node) {
            let refuse = |reason: String| RosError::Parameter { node: name.into(), parameter: key.clone(), reason };
            let value = from_override(&value).ok_or_else(|| refuse("it has no value of a known type".into()))?;
            let (spec, value) = check_named(&specs, &key, &value).map_err(refuse)?;
            values.insert(spec.name, value);
        }
        let parameters = Parameters::new(specs, values.clone());
        let (local, process) = (ros.local.clone(), ros.process.clone());
        Ok(Self { node, local, process, name: name.into(), drains: vec![], parameters, values })
    }

    /// The node's name, without its namespace.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The node's name with its namespace, as in `/robot/gait_planner`.
    ///
    /// # Errors
    /// rcl does not know the node.
    pub fn full_name(&self) -> Result<String, RosError> {
        self.node.fully_qualified_name().map_err(|e| RosError::node(&self.name, e))
    }

    /// The parameters the node starts with.
    #[must_use]
    pub fn values(&self) -> &Params {
        &self.values
    }

    /// Who is asked before a parameter changes while the node runs.
    pub fn on_check(&self, on_check: OnCheck) {
        self.parameters.on_check(on_check);
    }

    /// Who is told when a parameter has changed.
    pub fn on_set(&self, on_set: OnSet) {
        self.parameters.on_set(on_set);
    }

    /// Calls `handle` with every message on `topic`, on the spinning thread.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(T) + Send + 'static,
    ) -> Result<(), RosError> {
        let stream = one_at_a_time(|| self.node.subscribe::<T>(topic, qos)).map_err(|e| RosError::topic(topic, e))?;
        self.drains.push(drain(stream, handle));
        Ok(())
    }

    /// As [`Self::subscribe`], for a topic that nodes of the same process publish with [`Self::shared_publisher`]:
    /// those call `handle` themselves, on their own thread.
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe_shared<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(&T) + Send + 'static,
    ) -> Result<(), RosError> {
        let handler: Handler<T> = Arc::new(Mutex::new(handle));
        if let Some(local) = &self.local {
            local.topic::<T>(topic).add(Arc::clone(&handler));
        }
        self.subscribe(topic, qos, move |message: T| call(&handler, &message))
    }

    /// A publisher for a topic that nodes of the same process may take in with [`Self::subscribe_shared`].
    ///
    /// # Errors
    /// The publisher cannot be made.
    pub fn shared_publisher<T: Refill>(
        &mut self,
        topic: &str,
        qos: QosProfile,
    ) -> Result<SharedPublisher<T>, RosError> {
        let publisher = self.publisher(topic, qos)?;
        let local = self.local.as_ref().map(|local| local.topic(topic));
        Ok(SharedPublisher::new(publisher, local))
    }

    /// Answers calls of the service `name` with `answer`, on the spinning thread.
    ///
    /// # Errors
    /// The service cannot be made.
    pub fn serve<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        mut answer: impl FnMut(S::Request) -> S::Response + Send + 'static,
    ) -> Result<(), RosError>
    where
        S::Request: Clone,
    {
        self.serve_later::<S>(name, move |request, reply| reply.send(answer(request)))
    }

    /// As [`Self::serve`], for answers that take a while: `take` hands the reply on and returns at once.
    ///
    /// # Errors
    /// The service cannot be made.
    pub fn serve_later<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        mut take: impl FnMut(S::Request, Reply<S>) + Send + 'static,
    ) -> Result<(), RosError>
    where
        S::Request: Clone,
    {
        let stream = one_at_a_time(|| self.node.create_service::<S>(name, QosProfile::services_default()));
        let stream = stream.map_err(|e| RosError::topic(name, e))?;
        self.drains.push(drain(stream, move |request: r2r::ServiceRequest<S>| {
            take(request.message.clone(), Reply { request });
        }));
        Ok(())
    }

    /// A caller of the service `name`.
    ///
    /// # Errors
    /// The client cannot be made.
    pub fn caller<S: WrappedServiceTypeSupport + 'static>(&mut self, name: &str) -> Result<Caller<S>, RosError>
    where
        S::Response: Send,
    {
        let client = one_at_a_time(|| self.node.create_client::<S>(name, QosProfile::services_default()));
        let client = client.map_err(|e| RosError::topic(name, e))?;
        let (answers, waiting) = std::sync::mpsc::channel::<Answer>();
        let mut open: Vec<Answer> = vec![];
        self.drains.push(Box::new(move || {
            open.extend(waiting.try_iter());
            open.retain_mut(|answer| answer.as_mut().now_or_never().is_none());
            false
        }));
        Ok(Caller { client, answers })
    }

    /// A publisher on `topic`.
    ///
    /// # Errors
    /// The publisher cannot be made.
    pub fn publisher<T: WrappedTypesupport + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
    ) -> Result<Publisher<T>, RosError> {
        Publisher::open(&mut self.node, topic, qos)
    }

    /// Where stamps come from: `/clock` when the parameter `use_sim_time` is true, else the system's clock.
    ///
    /// # Errors
    /// `/clock` cannot be subscribed to.
    pub fn clock(&mut self) -> Result<RosClock, RosError> {
        if self.values.get("use_sim_time").and_then(ParamValue::as_bool) != Some(true) {
            return Ok(RosClock::System);
        }
        let clock = RosClock::simulated();
        let simulated = clock.clone();
        let qos = QosProfile::default().keep_last(1).best_effort();
        self.subscribe::<Clock>("/clock", qos, move |message| simulated.set(from_stamp(&message.clock)))?;
        Ok(clock)
    }

    /// Spins on this thread until the shutdown has come to `until`, then takes the node down. The parameter services
    /// open a moment after the start: they take longer than all topics, and would keep those back. The thread gets the
    /// middleware's priority where that is granted, for a stop comes in here.
    pub fn spin(mut self, shutdown: &Shutdown, until: Stage) {
        // Whether it is granted, the loops report.
        let _ = realtime::fifo(priority::MESSAGES);
        let services_at = Instant::now() + TOPICS_FIRST;
        let mut served = false;
        while shutdown.stage() < until {
            let started = Instant::now();
            if !served && started >= services_at {
                served = true;
                if let Err(error) = self.serve_parameters() {
                    tracing::error!("{}: no parameter services: {error}", self.name);
                }
            }
            self.node.spin_once(match (served, self.process.is_running()) {
                (true, true) => SPIN_TIMEOUT,
                (false, true) => TOPICS_FIRST,
                (_, false) => STOPPING_TIMEOUT,
            });
            // A stream hands over one message at a time; handlers may be called until all are empty.
            while self.drain_once() {}
            std::thread::sleep(SPIN_PERIOD.saturating_sub(started.elapsed()));
        }
    }

    /// One message of every stream, each in its turn; true while there may be more.
    fn drain_once(&mut self) -> bool {
        let mut more = false;
        for drain in &mut self.drains {
            more |= drain();
        }
        more
    }

    fn serve_parameters(&mut self) -> Result<(), RosError> {
        let base = self.name.clone();
        let name = |service: &str| format!("{base}/{service}");
        let p = self.parameters.clone();
        self.serve::<srv::GetParameters::Service>(&name("get_parameters"), move |request| {
            srv::GetParameters::Response { values: p.values(&request.names) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::GetParameterTypes::Service>(&name("get_parameter_types"), move |request| {
            srv::GetParameterTypes::Response { types: p.types(&request.names) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::SetParameters::Service>(&name("set_parameters"), move |request| {
            srv::SetParameters::Response { results: p.set_all(&request.parameters) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::SetParametersAtomically::Service>(&name("set_parameters_atomically"), move |request| {
            srv::SetParametersAtomically::Response { result: p.set_atomically(&request.parameters) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::DescribeParameters::Service>(&name("describe_parameters"), move |request| {
            srv::DescribeParameters::Response { descriptors: p.describe(&request.names) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::ListParameters::Service>(&name("list_parameters"), move |request| {
            srv::ListParameters::Response { result: p.list(&request.prefixes, request.depth) }
        })
    }
}

/// What `--ros-args` sets on the node.
fn overrides(node: &r2r::Node) -> Vec<(String, r2r::ParameterValue)> {
    let params = node.params.lock().unwrap_or_else(PoisonError::into_inner);
    params.iter().map(|(name, parameter)| (name.clone(), parameter.value.clone())).collect()
}

fn drain<T>(
    mut stream: impl Stream<Item = T> + Unpin + Send + 'static,
    mut handle: impl FnMut(T) + Send + 'static,
) -> Drain {
    Box::new(move || match stream.next().now_or_never() {
        Some(Some(item)) => {
            handle(item);
            true
        }
        _ => false,
    })
}
