//! What was heard of the robot, as its topics said it last. Handlers write here, on the threads that publish where those
//! are in this process: nothing waits, and nothing is put into words before somebody asks.

use crate::protocol::{Ages, Battery, Event, Health, MotionStatus, NodeStatus, RobotNames, Rounded, State};
use hexapod_ros::bounds::{self, Burst, excerpt, reason};
use hexapod_ros::r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use hexapod_ros::r2r::geometry_msgs::msg::Twist;
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::rcl_interfaces::msg::Log;
use hexapod_ros::r2r::sensor_msgs::msg::{BatteryState, JointState};
use hexapod_ros::r2r::std_msgs::msg::UInt8MultiArray;
use hexapod_ros::r2r::visualization_msgs::msg::MarkerArray;
use hexapod_setup::params;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Silence of the planner after which what it said is past.
const PLANNER_SILENCE: Duration = Duration::from_secs(1);
/// The namespace of the markers that are footholds, and the age at which they are past.
const FOOTHOLDS: &str = "footholds";
const FOOTHOLDS_AGE: Duration = Duration::from_millis(500);
/// Silence after which a node's status is stale.
const STATUS_SILENCE: Duration = Duration::from_millis(2500);
/// Values of a status that are shown.
const MOST_VALUES: usize = 64;
/// Levels of the log, as rcl_interfaces has them.
const INFO: u8 = 20;
const WARN: u8 = 30;
const ERROR: u8 = 40;
/// Lines of the log that are kept.
pub const MOST_EVENTS: usize = 100;
/// Lines that are taken, per second.
const EVENTS_PER_SECOND: u32 = 20;

/// Something, and when it was heard.
type At<T> = Option<(Duration, T)>;

/// What was heard last of each topic.
#[derive(Clone, Debug)]
pub struct Heard {
    /// As in `/left`; `/` where there is none.
    namespace: String,
    joint_names: Vec<String>,
    legs: Vec<String>,
    gaits: Vec<String>,
    motions: Vec<String>,
    joints: At<Vec<f64>>,
    odom: At<[f64; 7]>,
    /// The frame whose pose odometry is.
    base_frame: String,
    contacts: At<Vec<u8>>,
    footholds: At<Vec<[f64; 3]>>,
    twist: At<[f64; 3]>,
    gait_state: String,
    planner: Option<Duration>,
    nodes: BTreeMap<String, (Duration, NodeStatus)>,
    motion: Option<MotionStatus>,
    battery: Option<Battery>,
    events: VecDeque<Event>,
    /// Lines ever taken.
    reported: u64,
    burst: Burst,
    /// Goes up with each change of a status.
    pub changes: u64,
}

impl Heard {
    /// Nothing heard yet, of a robot in `namespace`.
    #[must_use]
    pub fn new(namespace: &str) -> Self {
        Self {
            namespace: namespace.into(),
            joint_names: vec![],
            legs: vec![],
            gaits: vec![],
            motions: vec![],
            joints: None,
            odom: None,
            base_frame: String::new(),
            contacts: None,
            footholds: None,
            twist: None,
            gait_state: String::new(),
            planner: None,
            nodes: BTreeMap::new(),
            motion: None,
            battery: None,
            events: VecDeque::new(),
            reported: 0,
            burst: Burst::new(MOST_EVENTS as u32, EVENTS_PER_SECOND),
            changes: 0,
        }
    }

    /// Forgets what streams said: nobody has listened since.
    pub fn forget(&mut self) {
        let (namespace, events, reported) = (self.namespace.clone(), std::mem::take(&mut self.events), self.reported);
        *self = Self { events, reported, ..Self::new(&namespace) };
    }

    /// Takes joint states.
    pub fn take_joints(&mut self, message: &JointState, at: Duration) {
        let count = message.name.len();
        if count > bounds::MAX_JOINTS || message.position.len() != count || !all_finite(&message.position) {
            return;
        }
        if self.joint_names != message.name && message.name.iter().all(|name| name.len() <= bounds::MAX_NAME) {
            self.joint_names.clone_from(&message.name);
        }
        if self.joint_names.len() == count {
            let mut angles = self.joints.take().map(|(_, angles)| angles).unwrap_or_default();
            angles.clone_from(&message.position);
            self.joints = Some((at, angles));
        }
    }

    /// Takes odometry.
    pub fn take_odom(&mut self, message: &Odometry, at: Duration) {
        let (p, q) = (&message.pose.pose.position, &message.pose.pose.orientation);
        let pose = [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
        if all_finite(&pose) {
            self.odom = Some((at, pose));
            self.base_frame.clone_from(&message.child_frame_id);
        }
    }

    /// Takes which feet are down.
    pub fn take_contacts(&mut self, message: &UInt8MultiArray, at: Duration) {
        self.planner = Some(at);
        let label = message.layout.dim.first().map(|dim| dim.label.as_str()).unwrap_or_default();
        if message.data.len() > bounds::MAX_JOINTS || label.len() > bounds::MAX_LABEL {
            return;
        }
        if !self.legs.iter().map(String::as_str).eq(label.split(',')) {
            self.legs = label.split(',').map(String::from).collect();
        }
        self.contacts = Some((at, message.data.clone()));
    }

    /// Takes the twist that is walked.
    pub fn take_twist(&mut self, message: &Twist, at: Duration) {
        self.planner = Some(at);
        let twist = [message.linear.x, message.linear.y, message.angular.z];
        if all_finite(&twist) {
            self.twist = Some((at, twist));
        }
    }

    /// Takes what the robot does.
    pub fn take_gait_state(&mut self, state: &str, at: Duration) {
        self.planner = Some(at);
        self.gait_state = excerpt(state).into_owned();
        self.changes += 1;
    }

    /// Takes the names of the gaits that can be asked for.
    pub fn take_gaits(&mut self, list: &str) {
        self.gaits = bounds::names(list);
    }

    /// Takes those of the motions.
    pub fn take_motions(&mut self, list: &str) {
        self.motions = bounds::names(list);
    }

    /// Takes the footholds that the planner has chosen on ground that it sees, in the base's frame.
    pub fn take_markers(&mut self, message: &MarkerArray, at: Duration) {
        let mut shown = message.markers.iter().filter(|marker| marker.ns == FOOTHOLDS).peekable();
        let Some(pose) = shown.peek().and_then(|marker| self.pose_of(&marker.header.frame_id)) else { return };
        let points = shown.flat_map(|marker| &marker.points).take(bounds::MAX_JOINTS);
        let points = points.map(|p| pose * Point3::new(p.x, p.y, p.z)).filter(|p| all_finite(p.coords.as_slice()));
        self.footholds = Some((at, points.map(|p| [p.x, p.y, p.z]).collect()));
    }

    /// Where this frame is, by odometry: the base's, which is meant where none is named.
    #[must_use]
    pub fn pose_of(&self, frame: &str) -> Option<Isometry3<f64>> {
        if !frame.is_empty() && frame != self.base_frame {
            return None;
        }
        let (_, [x, y, z, qx, qy, qz, qw]) = self.odom?;
        let turned = UnitQuaternion::try_new(Quaternion::new(qw, qx, qy, qz), 1e-9)?;
        Some(Isometry3::from_parts(Translation3::new(x, y, z), turned))
    }

    /// Takes the status of this robot's nodes; others tell of themselves on the same topic.
    pub fn take_diagnostics(&mut self, message: &DiagnosticArray, at: Duration) {
        for status in &message.status {
            let (place, name) = status.name.rsplit_once('/').unwrap_or(("", &status.name));
            if place == self.namespace.trim_matches('/') && params::NODES.contains(&name) {
                self.nodes.insert(name.into(), (at, node_status(name, status)));
                self.changes += 1;
            }
        }
    }

    /// Takes what came of the motions that were asked for; the newest is the last.
    pub fn take_motion(&mut self, message: &DiagnosticArray) {
        self.motion = message.status.last().map(|status| MotionStatus {
            name: excerpt(&status.name).into_owned(),
            level: status.level,
            message: reason(&status.message).into_owned(),
        });
        self.changes += 1;
    }

    /// Takes the battery's state.
    pub fn take_battery(&mut self, message: &BatteryState) {
        let known = |number: f32| number.is_finite().then(|| Rounded(f64::from(number)));
        self.battery = Some(Battery { voltage: known(message.voltage), percentage: known(message.percentage) });
    }

    /// Takes a line of the log, `at` on the monotonic clock.
    pub fn take_log(&mut self, message: &Log, at: Duration) {
        let (place, name) = message.name.rsplit_once('.').unwrap_or(("", &message.name));
        let is_own = place == self.namespace.trim_matches('/').replace('/', ".");
        if !is_own || message.level < INFO || !self.burst.admit(at) {
            return;
        }
        let level = if message.level < WARN { 0 } else { 1 + u8::from(message.level >= ERROR) };
        let event = Event {
            t: Rounded(at.as_secs_f64()),
            level,
            source: excerpt(name).into_owned(),
            text: reason(&message.msg).into_owned(),
        };
        if self.events.len() >= MOST_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
        self.reported += 1;
    }

    /// Lines of the log after the first `reported` ever taken, and how many there have been now.
    #[must_use]
    pub fn events_after(&self, reported: u64) -> (Vec<Event>, u64) {
        let new = usize::try_from(self.reported.saturating_sub(reported)).unwrap_or(MOST_EVENTS).min(self.events.len());
        (self.events.range(self.events.len() - new..).cloned().collect(), self.reported)
    }

    /// Whether the driver said in its newest status that the servos are on, and when.
    #[must_use]
    pub fn live(&self) -> Option<(Duration, bool)> {
        let (at, status) = self.nodes.get("servo_driver")?;
        let state = status.values.get("state")?;
        Some((*at, matches!(state.as_str(), "arming" | "armed" | "holding")))
    }

    /// What the robot does.
    #[must_use]
    pub fn gait_state(&self) -> &str {
        &self.gait_state
    }

    /// The names that go with the numbers of a state, without revision and description.
    #[must_use]
    pub fn names(&self) -> RobotNames {
        RobotNames {
            joints: self.joint_names.clone(),
            legs: self.legs.clone(),
            gaits: self.gaits.clone(),
            motions: self.motions.clone(),
            ..RobotNames::default()
        }
    }

    /// The state at `now`, without number and revision.
    #[must_use]
    pub fn state(&self, now: Duration) -> State {
        let age = |at: Option<Duration>| at.map(|at| seconds(now.saturating_sub(at)));
        let is_past = self.planner.is_none_or(|at| now.saturating_sub(at) > PLANNER_SILENCE);
        State {
            t: seconds(now),
            joints: self.joints.as_ref().map(|(_, angles)| angles.iter().copied().map(Rounded).collect()),
            odom: self.odom.map(|(_, pose)| pose.map(Rounded)),
            contacts: self.contacts.as_ref().map(|(_, contacts)| contacts.clone()),
            twist: self.twist.filter(|_| !is_past).map(|(_, twist)| twist.map(Rounded)),
            footholds: self.footholds_at(now),
            gait_state: self.gait_state.clone(),
            age: Ages {
                joints: age(self.joints.as_ref().map(|(at, _)| *at)),
                odom: age(self.odom.map(|(at, _)| at)),
                planner: age(self.planner),
                driver: age(self.nodes.get("servo_driver").map(|(at, _)| *at)),
            },
            ..State::default()
        }
    }

    fn footholds_at(&self, now: Duration) -> Vec<[Rounded; 3]> {
        let fresh = self.footholds.iter().filter(|(at, _)| now.saturating_sub(*at) < FOOTHOLDS_AGE);
        fresh.flat_map(|(_, points)| points).map(|point| point.map(Rounded)).collect()
    }

    /// How the robot is at `now`, without camera and elevation.
    #[must_use]
    pub fn health(&self, now: Duration) -> Health {
        let nodes: Vec<NodeStatus> =
            self.nodes.values().map(|(at, status)| aged(status, now.saturating_sub(*at))).collect();
        let level = nodes.iter().map(|node| node.level).max().unwrap_or_default();
        Health {
            t: seconds(now),
            level,
            nodes,
            battery: self.battery,
            motion: self.motion.clone(),
            ..Health::default()
        }
    }
}

fn aged(status: &NodeStatus, age: Duration) -> NodeStatus {
    let mut status = NodeStatus { age: seconds(age), ..status.clone() };
    if age > STATUS_SILENCE {
        status.level = 3;
        status.message = format!("no word for {:.0} s; its last: {}", age.as_secs_f64(), status.message);
    }
    status
}

fn node_status(name: &str, status: &DiagnosticStatus) -> NodeStatus {
    let values = status.values.iter().take(MOST_VALUES);
    NodeStatus {
        name: name.into(),
        level: status.level.min(3),
        message: reason(&status.message).into_owned(),
        age: Rounded(0.0),
        values: values.map(|pair| (excerpt(&pair.key).into_owned(), reason(&pair.value).into_owned())).collect(),
    }
}

fn all_finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// A time as clients get it.
#[must_use]
pub fn seconds(time: Duration) -> Rounded {
    Rounded(time.as_secs_f64())
}
