//! What the node tells the world, on a thread of its own.

use crate::condition_response::{BRINK, LIFTED, blocked};
use crate::driving;
use crate::fall_release::FallRelease;
use crate::fault::Fault;
use crate::inbox::Inbox;
use crate::markers::Markers;
use crate::names::Names;
use crate::offer;
use crate::outbox::Done;
use crate::pulse::Alarm;
use crate::remarks::Remarks;
use crate::requests::MotionStatus;
use crate::servos::Hold;
use crate::setup::Setup;
use crate::sight::Sees;
use crate::status::{Report, SharedState};
use hexapod_dynamics::Condition;
use hexapod_gait::{Foothold, GaitState, Tick};
use hexapod_kinematics::Robot;
use hexapod_ros::bounds::Burst;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::ending::{LONGEST, TIME_TO_SIT, allowance};
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::Twist as TwistMsg;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::{Float64, MultiArrayDimension, String as StringMsg, UInt8MultiArray};
use hexapod_ros::systemd::TimeoutExtender;
use hexapod_ros::{
    Diagnostics, Headers, Level, Publisher, RosError, RosNode, SharedPublisher, Shutdown, Stage, Status, SwitchFault,
    Unheard, monotonic_now, warn_if_lost,
};
use rtrb::Consumer;
use std::sync::Arc;
use std::time::Duration;

/// The publishers of the node and the messages they send again and again.
pub struct Outlet {
    robot: Arc<Robot>,
    joint_commands: SharedPublisher<JointState>,
    foot_contacts: SharedPublisher<UInt8MultiArray>,
    gait_state: SharedPublisher<StringMsg>,
    condition: SharedPublisher<StringMsg>,
    commanded_twist: Publisher<TwistMsg>,
    fall_release: FallRelease,
    markers: Markers,
    diagnostics: Diagnostics,
    status: MotionStatus,
    inbox: Inbox,
    shared: Arc<SharedState>,
    unheard: Unheard,
    names: Names,
    headers: Headers,
    joints: JointState,
    contacts: UInt8MultiArray,
    twist: TwistMsg,
    state: Option<(GaitState, Option<Fault>)>,
    reported: Option<(Condition, bool)>,
    leaving: bool,
    timeout_extender: TimeoutExtender,
    /// The longest time until the robot sits, as it was published last, tenths of a second.
    time_to_sit: Publisher<Float64>,
    reported_tenths: u64,
    lines: Burst,
    alarm: Alarm,
    /// When the last status was published.
    diagnosed: Duration,
    ticks: u64,
    marker_ticks: u64,
    report: Report,
}

impl Outlet {
    /// Opens the node's topics.
    ///
    /// # Errors
    /// One of them cannot be opened.
    pub fn new(
        node: &mut RosNode,
        setup: &Setup,
        (diagnostics, status): (Diagnostics, MotionStatus),
        inbox: Inbox,
        shared: Arc<SharedState>,
        headers: Headers,
    ) -> Result<Self, RosError> {
        let (robot, stance) = (setup.engine.robot(), setup.engine.stance());
        let reliable = QosProfile::default();
        let latched = QosProfile::default().keep_last(1).transient_local();
        let time_to_sit = node.publisher(TIME_TO_SIT, latched.clone())?;
        offer::publish(node, setup.gaits.names(), setup.motions.names().map(|(name, _)| name))?;
        Ok(Self {
            robot: Arc::clone(robot),
            joint_commands: node.shared_publisher("joint_commands", reliable.clone())?,
            foot_contacts: node.shared_publisher("foot_contacts", reliable.clone())?,
            gait_state: node.shared_publisher("gait_state", latched.clone())?,
            condition: node.shared_publisher("condition", latched)?,
            fall_release: FallRelease::open(node)?,
            commanded_twist: node.publisher("commanded_twist", reliable)?,
            markers: Markers::new(node, robot, &setup.frames)?,
            diagnostics,
            status,
            inbox,
            shared,
            unheard: Unheard::new(node),
            names: Names::new(node.graph()),
            headers,
            joints: blank_joints(robot),
            contacts: blank_contacts(robot),
            twist: TwistMsg::default(),
            state: None,
            reported: None,
            leaving: false,
            timeout_extender: TimeoutExtender::default(),
            time_to_sit,
            reported_tenths: 0,
            lines: Burst::new(20, 1),
            alarm: Alarm::default(),
            diagnosed: Duration::ZERO,
            ticks: 0,
            marker_ticks: (setup.rate_hz / MARKER_RATE_HZ).round().max(1.0) as u64,
            report: Report::new(stance.spec().height).using_imu(setup.uses_imu),
        })
    }

    /// Publishes all that has been done.
    pub fn publish_all(&mut self, done: &mut Consumer<Done>) {
        while let Ok(done) = done.pop() {
            match done {
                Done::Tick { tick, stamp, remarks } => {
                    self.publish_tick(&tick, &remarks.footholds, stamp);
                    self.take(&tick, &remarks);
                    self.tell_time_to_sit(remarks.sits_within_s);
                    self.publish_state(tick.state, remarks.fault);
                    self.publish_condition(&remarks);
                }
                Done::Refused(refused) => self.inbox.reject(refused.topic, refused.reason),
                Done::Progress(progress) => self.status.take(&progress),
                Done::Lateness(lateness, seconds) => {
                    (self.report.lateness, self.report.seconds) = (lateness, seconds);
                    self.diagnose(monotonic_now());
                    tracing::debug!("{}", self.report.line(&self.inbox, &self.shared));
                }
            }
        }
        self.status.tell();
    }

    fn diagnose(&mut self, now: Duration) {
        self.diagnosed = now;
        let mut status = self.report.status(&self.inbox, &self.shared);
        self.headers.report(&mut status);
        self.report_switches(&mut status);
        self.names.learn(driving::senders(self.report.driving()));
        driving::report(&mut status, self.report.driving(), &self.names);
        self.unheard.look().into_iter().for_each(|words| status.report(Level::Warn, words));
        self.diagnostics.publish(status);
    }

    /// Takes a tick down for the next report; a walk that has been given up, or leads over a brink, is reported at once.
    fn take(&mut self, tick: &Tick, remarks: &Remarks) {
        let (gave_up, saw) = (self.report.gave_up(), self.report.sees());
        self.report.take(tick, remarks);
        if let Some(words) = self.report.gave_up().filter(|_| gave_up.is_none()) {
            tracing::warn!("{words}");
        }
        if remarks.sees == Sees::Brink && saw != Sees::Brink {
            tracing::warn!("{BRINK}");
        }
    }

    fn report_switches(&self, status: &mut Status) {
        let names = self.robot.legs().iter().map(|leg| leg.name());
        if let Some(words) = SwitchFault::report(names.zip(self.report.switches())) {
            status.report(Level::Warn, words);
        }
    }

    /// Says so where the control loop, which else says what is wrong, does not come back, or waits for a clock that stands.
    pub fn watch(&mut self, now: Duration) {
        if self.inbox.paused(now).is_some() && now >= self.diagnosed + DIAGNOSE_EVERY {
            self.diagnose(now);
        }
        let Some(silent) = self.alarm.look(&self.shared.pulse, now) else { return };
        self.publish_state(self.shared.get(), Some(Fault::Lost));
        self.status.requests().abort(Fault::Lost.reason());
        self.status.tell();
        self.diagnostics.publish(self.report.lost(silent, &self.inbox, &self.shared));
    }

    fn publish_tick(&mut self, tick: &Tick, footholds: &[Option<Foothold>], stamp: Duration) {
        let legs = self.robot.legs().len();
        self.fill_joints(tick, stamp);
        self.status.show(tick);
        // A driver of the same process acts on them before anything is written to the middleware.
        self.joint_commands.act(&self.joints);
        // Then contacts: a listener that takes both topics in order has them when the joints arrive.
        for (cell, &down) in self.contacts.data.iter_mut().zip(&tick.contacts[..legs]) {
            *cell = u8::from(down);
        }
        warn_if_lost(self.foot_contacts.publish(&self.contacts));
        warn_if_lost(self.joint_commands.tell(&self.joints));
        if self.ticks.is_multiple_of(TWIST_TICKS) {
            let twist = &mut self.twist;
            (twist.linear.x, twist.linear.y, twist.angular.z) = (tick.twist.vx, tick.twist.vy, tick.twist.wz);
            warn_if_lost(self.commanded_twist.publish(twist));
        }
        if self.ticks.is_multiple_of(self.marker_ticks) {
            let margin = self.markers.publish(tick, footholds, stamp);
            self.report.margin_m = Some(margin);
        }
        self.ticks += 1;
    }

    fn fill_joints(&mut self, tick: &Tick, stamp: Duration) {
        let legs = self.robot.legs().len();
        self.joints.header.stamp = to_stamp(stamp);
        let angles = tick.angles[..legs].iter().flat_map(|leg| leg.iter());
        let velocities = tick.velocities[..legs].iter().flat_map(|leg| leg.iter());
        for (((position, velocity), &angle), &rate) in
            self.joints.position.iter_mut().zip(&mut self.joints.velocity).zip(angles).zip(velocities)
        {
            (*position, *velocity) = (angle, rate);
        }
    }

    /// Tells how long the robot is to be waited for when it is made to sit, when that changes.
    fn tell_time_to_sit(&mut self, within_s: f64) {
        let tenths = (allowance(within_s).min(LONGEST).as_secs_f64() * 10.0).ceil() as u64;
        if std::mem::replace(&mut self.reported_tenths, tenths) != tenths {
            warn_if_lost(self.time_to_sit.publish(&Float64 { data: tenths as f64 / 10.0 }));
        }
    }

    /// Publishes what the robot does when that changes; a fault in its place.
    fn publish_state(&mut self, state: GaitState, fault: Option<Fault>) {
        let now = (state, fault);
        let before = self.state.replace(now);
        if before == Some(now) {
            return;
        }
        self.shared.set(state, fault);
        self.log(before, now);
        let data = if fault.is_some() { "fault" } else { state.as_str() };
        warn_if_lost(self.gait_state.publish(&StringMsg { data: data.into() }));
    }

    /// Publishes whether the robot is where it should be when that changes, and has the servos of a fallen one let go.
    fn publish_condition(&mut self, remarks: &Remarks) {
        let (condition, now) = (remarks.condition, (remarks.condition, remarks.stopped_as_blocked));
        self.fall_release.look(condition == Condition::Fallen, remarks.hold == Hold::Held, monotonic_now());
        let before = self.reported.replace(now);
        if before == Some(now) {
            return;
        }
        match (before.map(|before| before.0), condition) {
            (_, Condition::Lifted) => tracing::warn!("{LIFTED}"),
            (_, Condition::Blocked) => tracing::warn!("{}", blocked(remarks)),
            (Some(Condition::Lifted), Condition::Ok) => tracing::info!("the robot was put down"),
            _ => {}
        }
        warn_if_lost(self.condition.publish(&StringMsg { data: condition.as_str().into() }));
    }

    /// Logs what has changed; changes of state that come and go faster than anybody reads are left out.
    fn log(&mut self, before: Option<(GaitState, Option<Fault>)>, (state, fault): (GaitState, Option<Fault>)) {
        match (before, fault) {
            (Some((_, before)), Some(fault)) if before == Some(fault) => {}
            (_, Some(fault)) => tracing::error!("{}", fault.reason()),
            (Some((_, Some(_))), None) => tracing::info!("the fault is over: {}", state.as_str()),
            (Some((before, None)), None) if before != state && self.lines.admit(monotonic_now()) => {
                tracing::info!("{} -> {}", before.as_str(), state.as_str());
            }
            _ => {}
        }
    }

    /// Logs once that the robot sits down, or why it does not, when the process is asked to end; and asks for the time.
    pub fn watch_end(&mut self, shutdown: &Shutdown, time_stands: bool) {
        if !self.leaving && !shutdown.is_running() {
            self.leaving = true;
            let ends = match (shutdown.stage(), time_stands) {
                (Stage::Now, _) => "stops where it is",
                (_, true) => "stays where it is, for simulated time stands still",
                _ => "sits down",
            };
            tracing::info!("the robot {ends}: {}", shutdown.reason());
        }
        if self.leaving {
            self.timeout_extender.ask(monotonic_now());
        }
    }
}

/// How often it is reported that the clock is paused.
const DIAGNOSE_EVERY: Duration = Duration::from_secs(1);
const MARKER_RATE_HZ: f64 = 10.0;
/// `commanded_twist` goes out with every second tick: it changes slowly.
const TWIST_TICKS: u64 = 2;

fn blank_joints(robot: &Robot) -> JointState {
    let name: Vec<String> =
        robot.legs().iter().flat_map(|leg| leg.joints()).map(|joint| joint.name().to_owned()).collect();
    let zeros = vec![0.0; name.len()];
    JointState { name, position: zeros.clone(), velocity: zeros, ..JointState::default() }
}

fn blank_contacts(robot: &Robot) -> UInt8MultiArray {
    let names: Vec<&str> = robot.legs().iter().map(|leg| leg.name()).collect();
    let mut message = UInt8MultiArray { data: vec![0; names.len()], ..UInt8MultiArray::default() };
    let size = u32::try_from(names.len()).unwrap_or_default();
    message.layout.dim.push(MultiArrayDimension { label: names.join(","), size, stride: size });
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::shipped;
    use hexapod_ros::r2r::std_msgs::msg::UInt8MultiArray;
    use hexapod_ros::{Ros, RosClock};
    use std::sync::Mutex;

    /// As in the composed process: the state publisher may have subscribed first.
    #[test]
    fn when_a_tick_goes_out_expect_a_driver_of_the_process_to_act_on_it_before_anybody_else_hears_of_it() {
        let (ros, setup) = (Ros::init().unwrap().with_local_topics(), Setup::load(&shipped()).unwrap());
        let node = |name| RosNode::create(&ros, name, vec![], Default::default()).unwrap();
        let [mut planner, mut hears, mut drives] = ["planner", "hears", "drives"].map(node);
        let calls = Arc::new(Mutex::new(vec![]));
        let note = |what: &'static str| {
            let calls = Arc::clone(&calls);
            move || calls.lock().unwrap().push(what)
        };
        let qos = QosProfile::default;
        let [contacts, joints, driver] = ["contacts sent", "joints sent", "joints done"].map(note);
        hears.subscribe_shared_from("joint_commands", qos(), move |_: &JointState, _| joints()).unwrap();
        hears.subscribe_shared_from("foot_contacts", qos(), move |_: &UInt8MultiArray, _| contacts()).unwrap();
        drives.subscribe_acting_from("joint_commands", qos(), move |_: &JointState, _| driver()).unwrap();
        let diagnostics = Diagnostics::new(&mut planner, "robot", RosClock::System).unwrap();
        let status = MotionStatus::new(&mut planner, "robot", None).unwrap();
        let (queue, _, _incoming) = crate::command::queues();
        let inbox = Inbox::new(queue, Arc::new(monotonic_now), Shutdown::default());
        let headers = Headers::new("planner", RosClock::System, "base_link");
        let mut outlet =
            Outlet::new(&mut planner, &setup, (diagnostics, status), inbox, Arc::default(), headers).unwrap();
        outlet.publish_tick(setup.engine.last(), &[], Duration::from_secs(1));
        assert_eq!(*calls.lock().unwrap(), ["joints done", "contacts sent", "joints sent"]);
    }
}
