//! The node: what comes in goes to the state, and the state goes out at the node's rate.

use crate::messages;
use crate::report;
use crate::setup::Setup;
use crate::state::State;
use crate::tf::Tf;
use hexapod_config::ros_params::ParamValue;
use hexapod_odometry::Estimate;
use hexapod_ros::clock::{from_stamp, to_stamp};
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::{Header, String as Text, UInt8MultiArray};
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{
    Diagnostics, Lateness, Level, Publisher, RosClock, RosError, RosNode, SharedPublisher, Shutdown, Stage, Unheard,
    monotonic_now,
};
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
    let state = Arc::new(Mutex::new(State::new(setup.description.robot.clone())));
    let send_tf = Arc::new(AtomicBool::new(setup.publish_tf));
    let clock = node.clock()?;
    let description: Publisher<Text> =
        node.publisher("robot_description", QosProfile::default().keep_last(1).transient_local())?;
    description.publish(&Text { data: setup.description.urdf.clone() })?;
    let output = Output::new(&mut node, &setup, &state, clock.clone(), send_tf.clone())?;
    let shared = Shared { state, output: Arc::new(Mutex::new(output)) };
    subscribe(&mut node, &shared, &clock)?;
    tracing::info!("joint_states and odom at {} Hz, {} -> {}", setup.rate, setup.odom_frame, setup.base_frame);
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

/// What is known, and what is told of it. Whoever has the output's lock may take the state's, never the other way.
#[derive(Clone)]
struct Shared {
    state: Arc<Mutex<State>>,
    output: Arc<Mutex<Output>>,
}

impl Shared {
    /// Works on the state with the time of receipt.
    fn take(&self, work: impl FnOnce(&mut State, Duration)) {
        work(&mut lock(&self.state), monotonic_now());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Contacts before joint commands: handlers are called in this order, and the planner publishes in this order. What is
/// due goes out with the commands that moved it, on the thread that brought them: that spares a wake-up each time.
fn subscribe(node: &mut RosNode, shared: &Shared, clock: &RosClock) -> Result<(), RosError> {
    let contacts = shared.clone();
    node.subscribe_shared("foot_contacts", QosProfile::default(), move |message: &UInt8MultiArray| {
        contacts.take(|state, now| state.take_contacts(message, now));
    })?;
    let (commands, time) = (shared.clone(), clock.clone());
    node.subscribe_shared("joint_commands", QosProfile::default(), move |message: &JointState| {
        let stamp = stamp_of(&message.header, &time);
        commands.take(|state, now| state.take_commands(message, stamp, now));
        lock(&commands.output).publish(monotonic_now());
    })?;
    let (servos, time) = (shared.clone(), clock.clone());
    node.subscribe_shared("servo_states", QosProfile::default(), move |message: &JointState| {
        let stamp = stamp_of(&message.header, &time);
        servos.take(|state, now| state.take_servos(message, stamp, now));
    })
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
    joint_states: (SharedPublisher<JointState>, JointState, Turn),
    odometry: (Publisher<Odometry>, Odometry, Turn),
    tf: Tf,
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
/// How long after its publisher has seen a listener the listener has seen the publisher too.
const MUTUAL: Duration = Duration::from_millis(3);
/// How long after the start, and how often, it is looked whether somebody listens; later that is seen as commands come.
const WATCH: Duration = Duration::from_secs(1);
const WATCH_PERIOD: Duration = Duration::from_millis(1);
/// Without commands for this long, a clock's turns decide when to publish.
const LULL: Duration = Duration::from_millis(100);
/// Stamps that go back by more than this have been set anew, as a simulation does when it is reset.
const RESET: Duration = Duration::from_secs(1);

impl Output {
    fn new(
        node: &mut RosNode,
        setup: &Setup,
        state: &Arc<Mutex<State>>,
        clock: RosClock,
        send_tf: Arc<AtomicBool>,
    ) -> Result<Self, RosError> {
        let joint_states = messages::joint_states(lock(state).table());
        let odometry = messages::odometry(&setup.odom_frame, &setup.base_frame);
        let now = monotonic_now();
        Ok(Self {
            state: state.clone(),
            send_tf,
            joint_states: (
                node.shared_publisher("joint_states", QosProfile::default())?,
                joint_states,
                Turn::default(),
            ),
            odometry: (node.publisher("odom", QosProfile::default())?, odometry, Turn::default()),
            tf: Tf::new(node, &setup.odom_frame, &setup.base_frame)?,
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

    /// Publishes what is news and has its turn.
    fn publish(&mut self, now: Duration) {
        let (publisher, message, turn) = &mut self.joint_states;
        let is_joints_turn = match self.audience.look(publisher.is_heard(), now) {
            Audience::Usual => turn.has_come(now, self.period),
            Audience::Arriving => false,
            Audience::Arrived => {
                turn.begin(now);
                true
            }
        };
        let (stamp, estimate) = {
            let state = lock(&self.state);
            let mut write = || state.write_joints(now, &mut message.position, &mut message.velocity);
            (is_joints_turn.then(&mut write).flatten(), state.estimate().copied())
        };
        if let Some(late) = stamp.and_then(|stamp| turn.take(stamp, now, self.period)) {
            message.header.stamp = to_stamp(turn.stamp);
            warn(publisher.publish(message));
            self.lateness.record(late);
            self.lateness.overruns += u64::from(late > self.period);
            self.published = now;
        }
        let turn = &mut self.odometry.2;
        if let Some(estimate) = estimate.filter(|_| turn.has_come(now, self.period))
            && turn.take(estimate.time, now, self.period).is_some()
        {
            self.publish_odometry(&estimate);
        }
    }

    fn publish_odometry(&mut self, estimate: &Estimate) {
        let (publisher, message, _) = &mut self.odometry;
        messages::fill_odometry(message, estimate);
        warn(publisher.publish(message));
        if self.send_tf.load(Ordering::Relaxed) {
            self.tf.publish(estimate);
        }
    }

    /// Publishes diagnostics when it is time to.
    fn diagnose(&mut self, now: Duration) {
        let since = now.saturating_sub(self.diagnosed);
        if since < DIAGNOSTICS_PERIOD {
            return;
        }
        self.diagnosed = now;
        let mut status = report::status(&mut lock(&self.state), now, since.as_secs_f64());
        status.lateness(&std::mem::take(&mut self.lateness), since.as_secs_f64());
        self.unheard.look().into_iter().for_each(|words| status.report(Level::Warn, words));
        self.diagnostics.publish(status);
    }
}

/// Those who listen to joint states from other processes.
#[derive(Clone, Copy, Debug, Default)]
struct Listeners {
    /// Since when the first of them has been seen.
    since: Option<Duration>,
    /// Whether a message has been sent since.
    served: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Audience {
    /// There is none, or the same as before.
    Usual,
    /// It has been seen, but may not have seen this publisher yet: what it does not get now, it gets 200 ms later
    /// (`config/fastdds.xml`), and all that follows after that.
    Arriving,
    /// It takes its first message now.
    Arrived,
}

impl Listeners {
    /// What is the case now, of which [`Audience::Arrived`] is told once.
    fn look(&mut self, heard: bool, now: Duration) -> Audience {
        if !heard {
            *self = Self::default();
        }
        match (heard, self.served, self.may_be_served(heard, now)) {
            (true, false, false) => Audience::Arriving,
            (true, false, true) => {
                self.served = true;
                Audience::Arrived
            }
            _ => Audience::Usual,
        }
    }

    /// When to look again, while nobody has been served.
    fn look_again(&self, now: Duration) -> Duration {
        let served_at = self.since.map(|since| since + MUTUAL).filter(|&at| at > now);
        served_at.unwrap_or(now + WATCH_PERIOD)
    }

    /// Whether somebody listens who has been seen long enough ago.
    fn may_be_served(&mut self, heard: bool, now: Duration) -> bool {
        heard && now >= *self.since.get_or_insert(now) + MUTUAL
    }
}

/// When a topic is to be published next, and the stamp it was published with last.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    next: Duration,
    stamp: Duration,
}

impl Turn {
    /// Comes at once, for what has been published to nobody as well: whoever begins to listen need not wait for news.
    fn begin(&mut self, now: Duration) {
        *self = Self { next: now, stamp: Duration::ZERO };
    }

    /// Whether the turn has come: commands fall a little before or after it, so a quarter of a period is given.
    fn has_come(&self, now: Duration, period: Duration) -> bool {
        now + period / 4 >= self.next
    }

    /// Takes the turn if the stamp is news; returns how late it was then.
    fn take(&mut self, stamp: Duration, now: Duration, period: Duration) -> Option<Duration> {
        if stamp <= self.stamp && self.stamp - stamp <= RESET {
            return None;
        }
        let late = now.saturating_sub(self.next);
        // The first turn, or the first after a lull, is not late.
        let late = if late > LULL { Duration::ZERO } else { late };
        self.next = if now > self.next + period { now + period } else { self.next + period };
        self.stamp = stamp;
        Some(late)
    }
}

fn warn(published: Result<(), RosError>) {
    if let Err(error) = published {
        tracing::warn!("{error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn when_somebody_begins_to_listen_expect_a_message_at_once_but_not_before_they_can_take_it() {
        let mut listeners = Listeners::default();
        let looks = [(0, false), (10, true), (12, true), (14, true), (16, true), (20, false), (30, true), (40, true)];
        let seen = looks.map(|(at, heard)| listeners.look(heard, ms(at)));
        use Audience::{Arrived, Arriving, Usual};
        assert_eq!(seen, [Usual, Arriving, Arriving, Arrived, Usual, Usual, Arriving, Arrived]);
    }

    #[test]
    fn when_somebody_has_been_seen_expect_the_next_look_when_they_can_take_a_message() {
        let mut listeners = Listeners::default();
        assert_eq!(listeners.look_again(ms(10)), ms(10) + WATCH_PERIOD);
        listeners.look(true, ms(10));
        assert_eq!(listeners.look_again(ms(11)), ms(10) + MUTUAL);
        assert_eq!(listeners.look(true, ms(10) + MUTUAL), Audience::Arrived);
    }

    #[test]
    fn when_a_stamp_is_old_expect_it_published_once() {
        let mut turn = Turn::default();
        let stamps =
            [5000, 5000, 5010, 5005, 6000, 4999, 5010].map(|stamp| turn.take(ms(stamp), ms(1), ms(20)).is_some());
        assert_eq!(stamps, [true, false, true, false, true, true, true]);
    }

    #[test]
    fn when_somebody_begins_to_listen_expect_them_told_what_was_told_to_nobody() {
        let mut turn = Turn::default();
        assert!(turn.take(ms(5000), ms(1), ms(20)).is_some());
        turn.begin(ms(8));
        assert!(turn.has_come(ms(8), ms(20)));
        assert_eq!(turn.take(ms(5000), ms(8), ms(20)), Some(Duration::ZERO));
        assert_eq!(turn.take(ms(5000), ms(28), ms(20)), None, "and once only");
    }

    #[test]
    fn when_commands_come_faster_than_the_rate_expect_the_rate_in_step_with_them() {
        for (period, expected) in [(ms(20), 50), (ms(10), 100), (Duration::from_secs_f64(1.0 / 30.0), 30), (ms(5), 100)]
        {
            let mut turn = Turn::default();
            let mut count = 0;
            for tick in 0..100_u64 {
                // A little early or late, as threads are woken.
                let now = ms(1000 + 10 * tick) + Duration::from_micros(700 * (tick * 7 % 3));
                count += i32::from(turn.has_come(now, period) && turn.take(now, now, period).is_some());
            }
            assert!((count - expected).abs() <= 1, "{count} with a period of {period:?}");
        }
    }
}
