//! The node: what comes in goes to the state, and the state goes out at the node's rate.

use crate::feet::Feet;
use crate::feet::publish::FeetPublishers;
use crate::links::Links;
use crate::messages;
use crate::publish_slot::{Audience, LULL, Listeners, Newest, PublishSlot};
use crate::report;
use crate::setup::Setup;
use crate::state::State;
use crate::tf::Tf;
use hexapod_config::ros_params::ParamValue;
use hexapod_dynamics::Source;
use hexapod_odometry::Estimate;
use hexapod_ros::clock::{from_stamp, to_stamp};
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::sensor_msgs::msg::{Imu, JointState};
use hexapod_ros::r2r::std_msgs::msg::{Header, String as Text, UInt8MultiArray};
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{
    Diagnostics, Lateness, Level, Publisher, RosClock, RosError, RosNode, SharedPublisher, Shutdown, Stage, Unheard,
    monotonic_now, qos, warn_if_lost,
};
use nalgebra::Isometry3;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    let robot = setup.description.robot.clone();
    let feet = Feet::try_new(&robot, &setup.feet).inspect_err(|error| tracing::warn!("{error}")).ok();
    let state = Arc::new(Mutex::new(State::new(robot, feet)));
    let send_tf = Arc::new(AtomicBool::new(setup.publish_tf));
    let clock = node.clock()?;
    let description: Publisher<Text> =
        node.publisher("robot_description", QosProfile::default().keep_last(1).transient_local())?;
    description.publish(&Text { data: setup.description.urdf.clone() })?;
    let output = Output::new(&mut node, &setup, &state, clock.clone(), send_tf.clone())?;
    let shared = Shared { state, output: Arc::new(Mutex::new(output)), clock: clock.clone() };
    subscribe(&mut node, &shared, &clock)?;
    let frames = setup.frames.clone().in_namespace(&node.namespace());
    let (odom, base) = (frames.name(&setup.odom_frame), frames.base());
    tracing::info!("joint_states and odom at {} Hz, {odom} -> {base}", setup.rate);
    node.on_set(Box::new(move |name, value| {
        if let ("publish_tf", ParamValue::Bool(on)) = (name, value) {
            send_tf.store(*on, Ordering::Relaxed);
        }
        Ok(())
    }));
    let (output, stop) = (shared.output, shutdown.clone());
    let thread = std::thread::Builder::new().name("state_publisher".into());
    let publishing = thread.spawn(move || publish_in_lulls(&output, &stop))?;
    // Ends with the process: the publishing thread sees the same flag.
    node.spin(shutdown, Stage::Stopping);
    if publishing.join().is_err() {
        tracing::error!("the publishing thread of state_publisher has panicked");
    }
    Ok(())
}

/// What is known, and what is published of it. Whoever has the output's lock may take the state's, never the other way.
#[derive(Clone)]
struct Shared {
    state: Arc<Mutex<State>>,
    output: Arc<Mutex<Output>>,
    clock: RosClock,
}

impl Shared {
    /// Works on the state with the time of receipt.
    fn take<R>(&self, work: impl FnOnce(&mut State, Duration) -> R) -> R {
        work(&mut lock(&self.state), time_of(&self.clock, monotonic_now()))
    }

    /// Tells what was sensed of the feet.
    fn tell_feet(&self) {
        lock(&self.output).publish_sensed();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time at `now` that what is known ages by, and that is published: the monotonic clock's, and in a simulation the
/// simulated one, however fast that goes.
fn time_of(clock: &RosClock, now: Duration) -> Duration {
    match clock {
        RosClock::System => now,
        simulated => simulated.now(),
    }
}

/// Contacts before joint commands: handlers are called in this order, and the planner publishes in this order. What is
/// due goes out with the commands that moved it, on the thread that brought them: that spares a wake-up each time.
fn subscribe(node: &mut RosNode, shared: &Shared, clock: &RosClock) -> Result<(), RosError> {
    let contacts = shared.clone();
    node.subscribe_shared("foot_contacts", qos::stream(), move |message: &UInt8MultiArray| {
        contacts.take(|state, now| state.take_contacts(message, now));
    })?;
    let (commands, time) = (shared.clone(), clock.clone());
    node.subscribe_shared("joint_commands", qos::stream(), move |message: &JointState| {
        let stamp = stamp_of(&message.header, &time);
        commands.take(|state, now| state.take_commands(message, stamp, now));
        lock(&commands.output).publish(monotonic_now());
    })?;
    let (servos, time) = (shared.clone(), clock.clone());
    node.subscribe_shared("servo_states", qos::stream(), move |message: &JointState| {
        let stamp = stamp_of(&message.header, &time);
        if servos.take(|state, now| state.take_servos(message, stamp, now)) {
            servos.tell_feet();
        }
    })?;
    let switches = shared.clone();
    node.subscribe("foot_switches", qos::stream(), move |message: UInt8MultiArray| {
        if switches.take(|state, now| state.take_switches(&message, now)) {
            switches.tell_feet();
        }
    })?;
    let (robot, latched) = (shared.clone(), QosProfile::default().keep_last(1).transient_local());
    node.subscribe_shared("condition", latched, move |word: &Text| {
        robot.take(|state, _| state.take_condition(&word.data))
    })?;
    let imu = shared.clone();
    node.subscribe("imu/data", qos::stream(), move |message: Imu| imu.take(|state, now| state.take_imu(&message, now)))
}

/// Publishes what is due while no commands come, and diagnostics, until `shutdown`.
fn publish_in_lulls(output: &Mutex<Output>, shutdown: &Shutdown) {
    // The planner's publishing thread waits for the same locks.
    let _ = realtime::join_loops(priority::PUBLISHING);
    while shutdown.is_running() {
        let now = monotonic_now();
        let next = {
            let mut output = lock(output);
            output.diagnose(now);
            output.publish_in_lull(now)
        };
        let _ = shutdown.wait(Stage::Stopping, next.saturating_sub(monotonic_now()));
    }
}

/// The message's stamp; the time now where it has none.
fn stamp_of(header: &Header, clock: &RosClock) -> Duration {
    let stamp = from_stamp(&header.stamp);
    if stamp.is_zero() { clock.now() } else { stamp }
}

/// All that is published, and when it last was.
struct Output {
    state: Arc<Mutex<State>>,
    send_tf: Arc<AtomicBool>,
    clock: RosClock,
    joint_states: (SharedPublisher<JointState>, JointState, Newest),
    odometry: (Publisher<Odometry>, Odometry, Newest),
    /// Pose of the base frame in the root link.
    root_from_base: Isometry3<f64>,
    feet: FeetPublishers,
    tf: Tf,
    links: Links,
    /// The stamp of the links' last poses.
    reported_links: Newest,
    /// Joint states, odometry and transforms go out together: links are published with the stamps of joint states.
    slot: PublishSlot,
    diagnostics: Diagnostics,
    unheard: Unheard,
    period: Duration,
    lateness: Lateness,
    published: Duration,
    audience: Listeners,
    /// Until then, it is looked often whether somebody listens.
    watched_until: Duration,
    diagnosed: Duration,
}

const DIAGNOSTICS_PERIOD: Duration = Duration::from_secs(1);
/// How long after the start it is looked often whether somebody listens; later that is seen as commands come.
const WATCH: Duration = Duration::from_secs(1);

impl Output {
    fn new(
        node: &mut RosNode,
        setup: &Setup,
        state: &Arc<Mutex<State>>,
        clock: RosClock,
        send_tf: Arc<AtomicBool>,
    ) -> Result<Self, RosError> {
        let joint_states = messages::joint_states(lock(state).table());
        let frames = setup.frames.clone().in_namespace(&node.namespace());
        let odometry = messages::odometry(&frames.name(&setup.odom_frame), &frames.base());
        let links = Links::new(setup.description.robot.model(), setup.publish_links);
        let mut tf = Tf::new(node, &frames, (&setup.odom_frame, setup.footprint_frame.as_deref()), &links)?;
        tf.publish_fixed(clock.now());
        let now = monotonic_now();
        Ok(Self {
            state: state.clone(),
            send_tf,
            clock: clock.clone(),
            joint_states: (
                node.shared_publisher("joint_states", QosProfile::default())?,
                joint_states,
                Newest::default(),
            ),
            odometry: (node.publisher("odom", QosProfile::default())?, odometry, Newest::default()),
            root_from_base: *frames.root_from_base(),
            feet: FeetPublishers::new(node, &setup.description.robot, &frames)?,
            tf,
            links,
            reported_links: Newest::default(),
            slot: PublishSlot::default(),
            diagnostics: Diagnostics::new(node, setup.description.robot.model().name(), clock)?,
            unheard: Unheard::new(node),
            period: Duration::from_secs_f64(1.0 / setup.rate),
            lateness: Lateness::default(),
            published: Duration::ZERO,
            audience: Listeners::default(),
            watched_until: now + WATCH,
            diagnosed: now,
        })
    }

    /// Publishes as [`Self::publish`] does, unless commands have come in lately; returns when to look again.
    fn publish_in_lull(&mut self, now: Duration) -> Duration {
        let watching = now < self.watched_until && !self.audience.served;
        let first = watching && self.audience.may_be_served(self.joint_states.0.is_heard(), now);
        let next = if now < self.published + LULL {
            if first {
                self.publish(now);
            }
            self.published + LULL
        } else {
            self.publish(now);
            // What a lull publishes does not end it.
            self.published = Duration::ZERO;
            now + self.period.min(LULL)
        };
        if watching { next.min(self.audience.look_again(now)) } else { next }
    }

    /// Publishes what is news when it is time to.
    fn publish(&mut self, now: Duration) {
        let (publisher, message, reported) = &mut self.joint_states;
        let (audience, time) = (self.audience.look(publisher.is_heard(), now), time_of(&self.clock, now));
        if audience == Audience::Arrived {
            *reported = Newest::default();
            self.slot = PublishSlot::at(time);
        }
        if !self.slot.has_come(time, self.period) {
            return;
        }
        let (stamp, estimate) = {
            let mut state = lock(&self.state);
            let stamp = state.write_joints(time, &mut message.position, &mut message.velocity);
            if stamp.is_some() {
                state.predict(&message.position, publisher.is_heard() || self.feet.wants_predictions(), time);
            }
            (stamp, state.estimate().copied())
        };
        let joints = stamp.filter(|&stamp| audience != Audience::Arriving && reported.take(stamp));
        let walked = estimate.filter(|estimate| self.odometry.2.take(estimate.time));
        let moved = stamp.filter(|&stamp| self.sends_links() && self.reported_links.take(stamp));
        if joints.is_none() && walked.is_none() && moved.is_none() {
            return;
        }
        let late = self.slot.pass(time, self.period);
        self.lateness.record(late);
        self.lateness.overruns += u64::from(late > self.period);
        self.published = now;
        if let Some(stamp) = joints {
            self.publish_joints(stamp, time);
        }
        self.publish_frames(walked.as_ref(), moved);
    }

    /// Whether there are links to tell of, and somebody to tell.
    fn sends_links(&self) -> bool {
        self.links.count() > 0 && self.tf.is_heard()
    }

    fn publish_joints(&mut self, stamp: Duration, now: Duration) {
        let (publisher, message, _) = &mut self.joint_states;
        message.header.stamp = to_stamp(stamp);
        let state = lock(&self.state);
        let source = state.write_efforts(now, &mut message.effort);
        // The one place of the message where a reader can see that nobody measured this.
        let label = if source == Some(Source::Predicted) { Source::Predicted.as_str() } else { "" };
        if message.header.frame_id != label {
            message.header.frame_id = label.into();
        }
        warn_if_lost(publisher.publish(message));
        if let Some(feet) = state.feet.as_ref().filter(|_| self.feet.wants_predictions()) {
            self.feet.publish_predicted(feet, &state.feet_in_body(&message.position), stamp, now);
        }
    }

    /// Publishes what was sensed of the feet.
    fn publish_sensed(&mut self) {
        if let Some(feet) = &mut lock(&self.state).feet {
            self.feet.publish_sensed(feet);
        }
    }

    /// Publishes odometry and transforms: the robot's by `walked`, the links' by the joints of the stamp `moved`.
    fn publish_frames(&mut self, walked: Option<&Estimate>, moved: Option<Duration>) {
        let (publisher, message, _) = &mut self.odometry;
        if let Some(estimate) = walked {
            messages::fill_odometry(message, estimate, &self.root_from_base);
            warn_if_lost(publisher.publish(message));
        }
        if moved.is_some() {
            self.links.place(&self.joint_states.1.position);
        }
        let send_tf = self.send_tf.load(Ordering::Relaxed);
        self.tf.publish(walked, send_tf, moved.map(|stamp| (stamp, &self.links)));
    }

    /// Publishes diagnostics when it is time to.
    fn diagnose(&mut self, now: Duration) {
        let since = now.saturating_sub(self.diagnosed);
        if since < DIAGNOSTICS_PERIOD {
            return;
        }
        self.diagnosed = now;
        let time = time_of(&self.clock, now);
        let mut status = report::status(&mut lock(&self.state), time, since.as_secs_f64());
        status.lateness(&std::mem::take(&mut self.lateness), since.as_secs_f64());
        self.unheard.look().into_iter().for_each(|words| status.report(Level::Warn, words));
        self.diagnostics.publish(status);
    }
}
