//! The node: what comes in goes to the state, and the state goes out at the node's rate.

use crate::messages;
use crate::report;
use crate::setup::Setup;
use crate::state::State;
use crate::tf::Tf;
use hexapod_config::ros_params::ParamValue;
use hexapod_odometry::Estimate;
use hexapod_ros::clock::{from_stamp, to_stamp};
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::rosgraph_msgs::msg::Clock;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::{Header, String as Text, UInt8MultiArray};
use hexapod_ros::r2r::{Publisher, QosProfile};
use hexapod_ros::{Diagnostics, Pacer, RosClock, RosError, RosNode, SharedPublisher, Shutdown, Stage, monotonic_now};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Why the node could not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A topic could not be opened.
    #[error(transparent)]
    Ros(#[from] RosError),
    /// A thread could not be started.
    #[error("no thread for state_publisher: {0}")]
    Thread(#[from] std::io::Error),
}

/// Runs the node on the calling thread and one more until the process is asked to stop.
///
/// # Errors
/// A topic could not be opened, or a thread not started.
pub fn run(setup: Setup, mut node: RosNode, shutdown: &Shutdown) -> Result<(), RunError> {
    let shared = Arc::new(Shared::new(State::new(setup.description.robot.clone())));
    let send_tf = Arc::new(AtomicBool::new(setup.publish_tf));
    let clock = if setup.use_sim_time { RosClock::simulated() } else { RosClock::System };
    subscribe(&mut node, &shared, &clock, setup.use_sim_time)?;
    let switch = send_tf.clone();
    node.on_set(Box::new(move |name, value| {
        if let ("publish_tf", ParamValue::Bool(on)) = (name, value) {
            switch.store(*on, Ordering::Relaxed);
        }
    }));
    let description: Publisher<Text> =
        node.publisher("robot_description", QosProfile::default().keep_last(1).transient_local())?;
    description
        .publish(&Text { data: setup.description.urdf.clone() })
        .map_err(|error| RosError::Topic { topic: "robot_description".into(), reason: error.to_string() })?;
    let output = Output::new(&mut node, &setup, &shared, clock, send_tf)?;
    let (rate, stop) = (setup.rate, shutdown.clone());
    let thread = std::thread::Builder::new().name("state_publisher".into());
    let publishing = thread.spawn(move || output.publish_until(&stop, rate))?;
    // Ends with the process: the publishing thread sees the same flag.
    node.spin(shutdown, Stage::Stopping);
    if publishing.join().is_err() {
        tracing::error!("the publishing thread of state_publisher has panicked");
    }
    Ok(())
}

/// The state, and a bell for when it is complete for the first time.
struct Shared {
    state: Mutex<State>,
    complete: Condvar,
}

impl Shared {
    fn new(state: State) -> Self {
        Self { state: Mutex::new(state), complete: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the state with the time of receipt, and wakes who waits for it.
    fn take(&self, work: impl FnOnce(&mut State, Duration)) {
        work(&mut self.lock(), monotonic_now());
        self.complete.notify_one();
    }

    /// Waits until every joint is known, at most `timeout`; true if it is.
    fn wait_until_complete(&self, timeout: Duration) -> bool {
        let complete = |state: &State| state.is_complete(monotonic_now());
        let waited = self.complete.wait_timeout_while(self.lock(), timeout, |state| !complete(state));
        complete(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

/// Contacts before joint commands: handlers are called in this order, and the planner publishes in this order.
fn subscribe(node: &mut RosNode, shared: &Arc<Shared>, clock: &RosClock, use_sim_time: bool) -> Result<(), RosError> {
    if use_sim_time {
        let clock = clock.clone();
        let qos = QosProfile::sensor_data().keep_last(1);
        node.subscribe("/clock", qos, move |message: Clock| clock.set(from_stamp(&message.clock)))?;
    }
    let state = shared.clone();
    node.subscribe_shared("foot_contacts", QosProfile::default(), move |message: &UInt8MultiArray| {
        state.take(|state, now| state.take_contacts(message, now));
    })?;
    let (state, time) = (shared.clone(), clock.clone());
    node.subscribe_shared("joint_commands", QosProfile::default(), move |message: &JointState| {
        let stamp = stamp_of(&message.header, &time);
        state.take(|state, now| state.take_commands(message, stamp, now));
    })?;
    let (state, time) = (shared.clone(), clock.clone());
    node.subscribe_shared("servo_states", QosProfile::default(), move |message: &JointState| {
        let stamp = stamp_of(&message.header, &time);
        state.take(|state, now| state.take_servos(message, stamp, now));
    })
}

/// The message's stamp; the time now where it has none.
fn stamp_of(header: &Header, clock: &RosClock) -> Duration {
    let stamp = from_stamp(&header.stamp);
    if stamp.is_zero() { clock.now() } else { stamp }
}

/// All that is published, and when it last was.
struct Output {
    shared: Arc<Shared>,
    send_tf: Arc<AtomicBool>,
    joint_states: (SharedPublisher<JointState>, JointState),
    odometry: (Publisher<Odometry>, Odometry),
    tf: Tf,
    diagnostics: Diagnostics,
    diagnosed: Duration,
    joints_stamp: Option<Duration>,
    odometry_stamp: Option<Duration>,
}

const DIAGNOSTICS_PERIOD: Duration = Duration::from_secs(1);
/// How often the end of the process is looked for before the first joint states.
const PATIENCE: Duration = Duration::from_millis(50);
/// Stamps that go back by more than this have been set anew, as a simulation does when it is reset.
const RESET: Duration = Duration::from_secs(1);

impl Output {
    fn new(
        node: &mut RosNode,
        setup: &Setup,
        shared: &Arc<Shared>,
        clock: RosClock,
        send_tf: Arc<AtomicBool>,
    ) -> Result<Self, RosError> {
        let joint_states = messages::joint_states(shared.lock().table());
        let odometry = messages::odometry(&setup.odom_frame, &setup.base_frame);
        Ok(Self {
            shared: shared.clone(),
            send_tf,
            joint_states: (node.shared_publisher("joint_states", QosProfile::default())?, joint_states),
            odometry: (node.publisher("odom", QosProfile::default())?, odometry),
            tf: Tf::new(node, &setup.odom_frame, &setup.base_frame)?,
            diagnostics: Diagnostics::new(node, setup.description.robot.model().name(), clock)?,
            diagnosed: monotonic_now(),
            joints_stamp: None,
            odometry_stamp: None,
        })
    }

    /// Publishes as soon as every joint is known, and at `rate` from then on.
    fn publish_until(mut self, shutdown: &Shutdown, rate: f64) {
        while shutdown.is_running() && !self.shared.wait_until_complete(PATIENCE) {
            self.diagnose(None);
        }
        let mut pacer = Pacer::new(rate);
        while shutdown.is_running() {
            self.publish();
            self.diagnose(Some(&mut pacer));
            pacer.wait();
        }
    }

    fn publish(&mut self) {
        let (publisher, message) = &mut self.joint_states;
        let (stamp, estimate) = {
            let state = self.shared.lock();
            let stamp = state.write_joints(monotonic_now(), &mut message.position, &mut message.velocity);
            (stamp, state.estimate().copied())
        };
        if let Some(stamp) = stamp.filter(|stamp| is_news(*stamp, &mut self.joints_stamp)) {
            message.header.stamp = to_stamp(stamp);
            warn("joint_states", publisher.publish(message));
        }
        if let Some(estimate) = estimate.filter(|estimate| is_news(estimate.time, &mut self.odometry_stamp)) {
            self.publish_odometry(&estimate);
        }
    }

    fn publish_odometry(&mut self, estimate: &Estimate) {
        let (publisher, message) = &mut self.odometry;
        messages::fill_odometry(message, estimate);
        warn("odom", publisher.publish(message));
        if self.send_tf.load(Ordering::Relaxed) {
            self.tf.publish(estimate);
        }
    }

    /// Publishes diagnostics when it is time to.
    fn diagnose(&mut self, pacer: Option<&mut Pacer>) {
        let now = monotonic_now();
        let since = now.saturating_sub(self.diagnosed);
        if since < DIAGNOSTICS_PERIOD {
            return;
        }
        self.diagnosed = now;
        let mut status = report::status(&mut self.shared.lock(), now, since.as_secs_f64());
        if let Some(pacer) = pacer {
            status.lateness(&pacer.take_lateness(), since.as_secs_f64());
        }
        self.diagnostics.publish(status);
    }
}

/// Whether a stamp has not been published yet; then it is from now on.
fn is_news(stamp: Duration, published: &mut Option<Duration>) -> bool {
    let news = published.is_none_or(|before| stamp > before || before - stamp > RESET);
    if news {
        *published = Some(stamp);
    }
    news
}

fn warn<E: std::fmt::Display>(topic: &str, published: Result<(), E>) {
    if let Err(error) = published {
        tracing::warn!("no {topic} published: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_stamp_is_old_expect_it_published_once() {
        let mut published = None;
        let ms = Duration::from_millis;
        let stamps = [5000, 5000, 5010, 5005, 6000, 4999, 5010].map(|stamp| is_news(ms(stamp), &mut published));
        assert_eq!(stamps, [true, false, true, false, true, true, true]);
    }
}
