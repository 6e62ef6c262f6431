//! What is seen of a robot on its topics, put together for the terminal view.

use hexapod_kinematics::{LegAngles, Robot};
use hexapod_ros::bounds::{excerpt, reason};
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use hexapod_ros::r2r::geometry_msgs::msg::Twist;
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::{String as StringMsg, UInt8MultiArray};
use hexapod_ros::{RosError, RosNode};
use hexapod_view::{LegView, Level, Snapshot};
use nalgebra::Vector3;
use std::sync::{Arc, Mutex, PoisonError};

/// A view of the robot that the node's handlers keep up to date.
#[derive(Clone)]
pub struct Watch {
    shared: Arc<Mutex<Snapshot>>,
}

const PATH_POINTS: usize = 400;
const MESSAGES: usize = 6;

impl Watch {
    /// Subscribes to what is shown.
    ///
    /// # Errors
    /// A topic cannot be opened.
    pub fn open(node: &mut RosNode, robot: Arc<Robot>, gaits: Vec<String>) -> Result<Self, RosError> {
        let body_outline = outline(&robot);
        let snapshot = Snapshot { gaits, body_outline, servo_state: "unknown".into(), ..Snapshot::default() };
        let watch = Self { shared: Arc::new(Mutex::new(snapshot)) };
        let latest = || QosProfile::default().keep_last(1);
        let w = watch.clone();
        node.subscribe("gait_state", latest().transient_local(), move |m: StringMsg| {
            w.update(|s| s.gait_state = excerpt(&m.data).into_owned())
        })?;
        let w = watch.clone();
        node.subscribe("commanded_twist", latest(), move |m: Twist| {
            w.update(|s| s.twist_walked = [m.linear.x, m.linear.y, m.angular.z]);
        })?;
        let w = watch.clone();
        node.subscribe("foot_contacts", latest(), move |m: UInt8MultiArray| {
            w.update(|s| s.legs.iter_mut().zip(&m.data).for_each(|(leg, &down)| leg.down = down != 0));
        })?;
        let w = watch.clone();
        node.subscribe("joint_commands", latest(), move |m: JointState| w.update(|s| see_joints(s, &robot, &m)))?;
        let w = watch.clone();
        node.subscribe("odom", latest(), move |m: Odometry| w.update(|s| see_odom(s, &m)))?;
        let w = watch.clone();
        node.subscribe("/diagnostics", QosProfile::default(), move |m: DiagnosticArray| {
            w.update(|s| m.status.iter().for_each(|status| see_status(s, status)));
        })?;
        Ok(watch)
    }

    /// What is seen now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes down the twist the keys ask for.
    pub fn wants(&self, twist: [f64; 3]) {
        self.update(|s| s.twist_commanded = twist);
    }

    /// Takes down the gait the keys ask for.
    pub fn wants_gait(&self, gait: &str) {
        self.update(|s| s.gait = gait.into());
    }

    /// Shows what a service answered.
    pub fn tell(&self, service: &str, success: bool, message: &str) {
        let level = if success { Level::Ok } else { Level::Error };
        self.update(|s| note(s, level, format!("{service}: {message}")));
    }

    fn update(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn note(snapshot: &mut Snapshot, level: Level, message: String) {
    let message = reason(&message).into_owned();
    if snapshot.messages.last().is_none_or(|(_, last)| *last != message) {
        snapshot.messages.push((level, message));
    }
    let surplus = snapshot.messages.len().saturating_sub(MESSAGES);
    snapshot.messages.drain(..surplus);
}

/// The hips' hull stands for the body.
fn outline(robot: &Robot) -> Vec<[f64; 2]> {
    let hips = robot.legs().iter().map(|leg| leg.hip_in_body().xy());
    hexapod_gait::SupportPolygon::new(hips).corners().iter().map(|corner| [corner.x, corner.y]).collect()
}

fn see_joints(snapshot: &mut Snapshot, robot: &Robot, message: &JointState) {
    let down: Vec<bool> = snapshot.legs.iter().map(|leg| leg.down).collect();
    let angle = |name: &str| {
        let place = message.name.iter().position(|known| known == name)?;
        message.position.get(place).copied()
    };
    let mut legs = vec![];
    let mut feet: Vec<Vector3<f64>> = vec![];
    for (index, leg) in robot.legs().iter().enumerate() {
        let joints = leg.joints();
        let q = LegAngles::from_fn(joints.len(), |joint| angle(joints[joint].name()).unwrap_or_default());
        let foot = leg.foot_in_body(&q);
        let hip = leg.hip_in_body();
        let knee = (hip + foot) / 2.0;
        feet.push(foot);
        legs.push(LegView {
            name: leg.name().into(),
            down: down.get(index).copied().unwrap_or(false),
            foot_xy: [foot.x, foot.y],
            hip_xy: [hip.x, hip.y],
            knee_xy: [knee.x, knee.y],
        });
    }
    snapshot.height_m = feet.iter().map(|foot| -foot.z).fold(0.0, f64::max);
    let planted = legs.iter().filter(|leg| leg.down).map(|leg| nalgebra::Vector2::from(leg.foot_xy));
    let support = hexapod_gait::SupportPolygon::new(planted);
    snapshot.support = support.corners().iter().map(|corner| [corner.x, corner.y]).collect();
    snapshot.legs = legs;
}

fn see_odom(snapshot: &mut Snapshot, message: &Odometry) {
    let (p, q) = (&message.pose.pose.position, &message.pose.pose.orientation);
    let yaw = (2.0 * (q.w * q.z + q.x * q.y)).atan2(1.0 - 2.0 * (q.y * q.y + q.z * q.z));
    snapshot.odom = [p.x, p.y, yaw];
    let moved = snapshot.path.last().is_none_or(|[x, y]| (p.x - x).hypot(p.y - y) > 0.005);
    if moved {
        snapshot.path.push([p.x, p.y]);
        let surplus = snapshot.path.len().saturating_sub(PATH_POINTS);
        snapshot.path.drain(..surplus);
    }
}

fn see_status(snapshot: &mut Snapshot, status: &DiagnosticStatus) {
    let value =
        |key: &str| status.values.iter().find(|pair| pair.key == key).map(|pair| excerpt(&pair.value).into_owned());
    let number = |key: &str| value(key).and_then(|text| text.parse::<f64>().ok());
    if status.name.ends_with("gait_planner") {
        snapshot.loop_rate_hz = number("loop rate (Hz)").unwrap_or_default();
        snapshot.lateness_p99_us = number("lateness p99 (us)");
        snapshot.overruns += number("overruns").unwrap_or_default() as u64;
        snapshot.margin_m = number("stability margin (mm)").map(|mm| mm / 1000.0);
        snapshot.limited_by = value("limited by").filter(|by| by != "nothing").unwrap_or_default();
        snapshot.gait = value("gait").unwrap_or_else(|| snapshot.gait.clone());
    } else if status.name.ends_with("servo_driver") {
        snapshot.servo_state = value("state").unwrap_or_default();
    }
    let level = Level::from_diagnostic(status.level);
    if level != Level::Ok {
        note(snapshot, level, format!("{}: {}", status.name, status.message));
    }
}
