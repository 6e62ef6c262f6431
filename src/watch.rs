//! What is seen of a robot on its topics, put together for the terminal view.

use crate::loads::Loads;
use hexapod_kinematics::{Leg, LegAngles, Robot};
use hexapod_ros::bounds::{excerpt, is_ros_name, names, reason};
use hexapod_ros::r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use hexapod_ros::r2r::geometry_msgs::msg::{Twist, WrenchStamped};
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::{String as StringMsg, UInt8MultiArray};
use hexapod_ros::r2r::{QosProfile, WrappedTypesupport};
use hexapod_ros::{RosError, RosNode, monotonic_now, qos};
use hexapod_view::{FootLoad, Freshness, LegView, Level, LoadSource, Snapshot, StopAlarm, Truth};
use nalgebra::Vector3;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A view of the robot that the node's handlers keep up to date.
#[derive(Clone)]
pub struct Watch {
    shared: Arc<Mutex<Seen>>,
}

struct Seen {
    snapshot: Snapshot,
    /// The planner's ticks, of which there are at least twenty a second.
    planner: Freshness,
    /// The driver's status, which comes once a second.
    driver: Freshness,
    stop: StopAlarm,
    loads: Loads,
}

/// Silence after which what was heard is past.
const PLANNER_SILENCE: Duration = Duration::from_secs(1);
const DRIVER_SILENCE: Duration = Duration::from_millis(2500);

const PATH_POINTS: usize = 400;
const MESSAGES: usize = 6;
const UNKNOWN: &str = "unknown";

impl Watch {
    /// Subscribes to what is shown.
    ///
    /// # Errors
    /// A topic cannot be opened.
    pub fn open(node: &mut RosNode, robot: Arc<Robot>) -> Result<Self, RosError> {
        let snapshot = Snapshot { body_outline: outline(&robot), servo_state: UNKNOWN.into(), ..Snapshot::default() };
        let (planner, driver) = (Freshness::new(PLANNER_SILENCE), Freshness::new(DRIVER_SILENCE));
        let seen = Seen { snapshot, planner, driver, stop: StopAlarm::default(), loads: Loads::default() };
        let watch = Self { shared: Arc::new(Mutex::new(seen)) };
        let latest = || QosProfile::default().keep_last(1);
        watch.hear(node, "gait_state", latest().transient_local(), |s, m: StringMsg| {
            s.gait_state = excerpt(&m.data).into_owned();
        })?;
        watch.hear(node, "gaits", latest().transient_local(), |s, m: StringMsg| s.gaits = names(&m.data))?;
        watch.hear(node, "motions", latest().transient_local(), |s, m: StringMsg| s.motions = names(&m.data))?;
        watch.hear(node, "commanded_twist", latest(), |s, m: Twist| {
            s.twist_walked = [m.linear.x, m.linear.y, m.angular.z];
        })?;
        watch.hear(node, "foot_contacts", latest(), |s, m: UInt8MultiArray| {
            s.legs.iter_mut().zip(&m.data).for_each(|(leg, &down)| leg.down = down != 0);
        })?;
        let named = |leg: &Leg| is_ros_name(leg.name());
        for (index, leg) in robot.legs().iter().enumerate().filter(|(_, leg)| named(leg)) {
            for (topic, source) in
                [("foot_forces", LoadSource::Estimated), ("predicted_foot_forces", LoadSource::Predicted)]
            {
                let w = watch.clone();
                let topic = format!("{topic}/{}", leg.name());
                node.subscribe_from(&topic, qos::stream(), move |m: WrenchStamped, from| {
                    w.update(|seen| seen.loads.see(index, FootLoad { up_n: m.wrench.force.z, source }, from.at));
                })?;
            }
        }
        watch.hear(node, "joint_commands", latest(), move |s, m: JointState| see_joints(s, &robot, &m))?;
        let w = watch.clone();
        node.subscribe("odom", latest(), move |m: Odometry| w.update(|seen| see_odom(&mut seen.snapshot, &m)))?;
        let w = watch.clone();
        node.subscribe("odom_true", qos::stream(), move |m: Odometry| {
            w.update(|seen| seen.snapshot.truth = Some(truth(&m)));
        })?;
        let (w, namespace) = (watch.clone(), node.namespace().trim_start_matches('/').to_owned());
        node.subscribe_from("/diagnostics", QosProfile::default(), move |m: DiagnosticArray, from| {
            w.update(|seen| m.status.iter().for_each(|status| see_status(seen, &namespace, status, from.at)));
        })?;
        Ok(watch)
    }

    /// Subscribes to a topic of the planner, each message of which is a word of it.
    fn hear<T: WrappedTypesupport + Send + 'static>(
        &self,
        node: &mut RosNode,
        topic: &str,
        qos: QosProfile,
        see: impl Fn(&mut Snapshot, T) + Send + 'static,
    ) -> Result<(), RosError> {
        let watch = self.clone();
        node.subscribe_from(topic, qos, move |message, from| {
            watch.update(|seen| {
                if seen.planner.hear(from.at) {
                    forget(&mut seen.snapshot);
                }
                see(&mut seen.snapshot, message);
            });
        })
    }

    /// What is seen now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let now = monotonic_now();
        let seen = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = seen.snapshot.clone();
        snapshot.legs.iter_mut().enumerate().for_each(|(index, leg)| leg.load = seen.loads.of(index, now));
        snapshot.silence = seen.planner.silence(now);
        if let Some(silence) = seen.driver.silence(now) {
            snapshot.servo_state = format!("lost, no data for {:.1} s", silence.as_secs_f64());
        }
        snapshot.alarm = seen.stop.words(now, seen.planner.is_heard(now));
        snapshot
    }

    /// Whether the robot tells of itself.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).planner.is_heard(monotonic_now())
    }

    /// Takes down the twist the keys ask for.
    pub fn wants(&self, twist: [f64; 3]) {
        self.update(|seen| seen.snapshot.twist_commanded = twist);
    }

    /// Takes down the gait the keys ask for.
    pub fn wants_gait(&self, gait: &str) {
        self.update(|seen| seen.snapshot.gait = gait.into());
    }

    /// Shows what a service answered.
    pub fn tell(&self, service: &str, success: bool, message: &str) {
        let level = if success { Level::Ok } else { Level::Error };
        self.update(|seen| note(&mut seen.snapshot, level, format!("{service}: {message}")));
    }

    /// Takes down that an emergency stop is sent.
    pub fn stop_asked(&self) {
        self.update(|seen| seen.stop.ask(monotonic_now()));
    }

    /// Shows what became of an emergency stop.
    pub fn stop_answered(&self, success: bool, message: &str) {
        self.tell("emergency stop", success, message);
        let answer = if success { Ok(()) } else { Err(reason(message).into_owned()) };
        self.update(|seen| seen.stop.answer(answer));
    }

    /// Whether an emergency stop is to be sent again.
    #[must_use]
    pub fn stop_is_due(&self) -> bool {
        self.update(|seen| seen.stop.is_due(monotonic_now()))
    }

    fn update<R>(&self, change: impl FnOnce(&mut Seen) -> R) -> R {
        change(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
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

/// Forgets what a robot that comes back may have changed, or what another one in its place never was. Its state stays: it
/// is latched, and not reported again by one that was only cut off.
fn forget(snapshot: &mut Snapshot) {
    let blank = Snapshot::default();
    snapshot.servo_state = UNKNOWN.into();
    snapshot.twist_walked = blank.twist_walked;
    snapshot.gait = blank.gait;
    snapshot.margin_m = blank.margin_m;
    snapshot.truth = blank.truth;
    snapshot.path = blank.path;
    snapshot.loop_rate_hz = blank.loop_rate_hz;
    snapshot.lateness_p99_us = blank.lateness_p99_us;
    snapshot.overruns = blank.overruns;
    snapshot.limited_by = blank.limited_by;
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
            load: None,
        });
    }
    snapshot.height_m = feet.iter().map(|foot| -foot.z).fold(0.0, f64::max);
    let planted = legs.iter().filter(|leg| leg.down).map(|leg| nalgebra::Vector2::from(leg.foot_xy));
    let support = hexapod_gait::SupportPolygon::new(planted);
    snapshot.support = support.corners().iter().map(|corner| [corner.x, corner.y]).collect();
    snapshot.legs = legs;
}

/// x, y and yaw.
fn place(message: &Odometry) -> [f64; 3] {
    let (p, q) = (&message.pose.pose.position, &message.pose.pose.orientation);
    [p.x, p.y, (2.0 * (q.w * q.z + q.x * q.y)).atan2(1.0 - 2.0 * (q.y * q.y + q.z * q.z))]
}

fn truth(message: &Odometry) -> Truth {
    let q = &message.pose.pose.orientation;
    let up = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
    Truth { place: place(message), lean: up.clamp(-1.0, 1.0).acos() }
}

fn see_odom(snapshot: &mut Snapshot, message: &Odometry) {
    snapshot.odom = place(message);
    let [x, y, _] = snapshot.odom;
    let moved = snapshot.path.last().is_none_or(|[last_x, last_y]| (x - last_x).hypot(y - last_y) > 0.005);
    if moved {
        snapshot.path.push([x, y]);
        let surplus = snapshot.path.len().saturating_sub(PATH_POINTS);
        snapshot.path.drain(..surplus);
    }
}

/// Takes the status of a node in `namespace`; other robots tell of themselves on the same topic.
fn see_status(seen: &mut Seen, namespace: &str, status: &DiagnosticStatus, at: Duration) {
    let (place, name) = status.name.rsplit_once('/').unwrap_or(("", &status.name));
    if place != namespace {
        return;
    }
    let snapshot = &mut seen.snapshot;
    let value =
        |key: &str| status.values.iter().find(|pair| pair.key == key).map(|pair| excerpt(&pair.value).into_owned());
    let number = |key: &str| value(key).and_then(|text| text.parse::<f64>().ok());
    if name == gait_planner::NAME {
        snapshot.loop_rate_hz = number("loop rate (Hz)").unwrap_or_default();
        snapshot.lateness_p99_us = number("lateness p99 (us)");
        snapshot.overruns += number("overruns").unwrap_or_default() as u64;
        snapshot.margin_m = number("stability margin (mm)").map(|mm| mm / 1000.0);
        snapshot.limited_by = value("limited by").filter(|by| by != "nothing").unwrap_or_default();
        snapshot.gait = value("gait").unwrap_or_else(|| snapshot.gait.clone());
    } else if name == servo_driver::NAME {
        seen.driver.hear(at);
        snapshot.servo_state = value("state").unwrap_or_default();
    }
    let level = Level::from_diagnostic(status.level);
    if level != Level::Ok {
        note(snapshot, level, format!("{}: {}", status.name, status.message));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_ros::r2r::diagnostic_msgs::msg::KeyValue;

    fn seen() -> Seen {
        let (planner, driver) = (Freshness::new(PLANNER_SILENCE), Freshness::new(DRIVER_SILENCE));
        Seen { snapshot: Snapshot::default(), planner, driver, stop: StopAlarm::default(), loads: Loads::default() }
    }

    fn status(name: &str, values: &[(&str, &str)]) -> DiagnosticStatus {
        let values = values.iter().map(|(key, value)| KeyValue { key: (*key).into(), value: (*value).into() });
        DiagnosticStatus { name: name.into(), values: values.collect(), ..DiagnosticStatus::default() }
    }

    #[test]
    fn when_other_robots_tell_of_themselves_expect_only_the_own_one_taken() {
        for (namespace, own, other) in
            [("", "gait_planner", "left/gait_planner"), ("left", "left/gait_planner", "gait_planner")]
        {
            let mut seen = seen();
            see_status(&mut seen, namespace, &status(own, &[("gait", "wave")]), Duration::ZERO);
            see_status(&mut seen, namespace, &status(other, &[("gait", "crawl")]), Duration::ZERO);
            assert_eq!(seen.snapshot.gait, "wave", "{namespace}");
        }
    }

    #[test]
    fn when_the_driver_tells_of_itself_expect_its_state_and_its_hearing() {
        let mut seen = seen();
        see_status(&mut seen, "", &status("servo_driver", &[("state", "armed")]), Duration::from_secs(5));
        assert_eq!(seen.snapshot.servo_state, "armed");
        assert!(seen.driver.is_heard(Duration::from_secs(7)) && !seen.driver.is_heard(Duration::from_secs(8)));
    }

    #[test]
    fn when_a_robot_comes_back_expect_nothing_of_the_former_one_but_its_state() {
        let mut snapshot = Snapshot {
            gait_state: "standing".into(),
            servo_state: "armed".into(),
            loop_rate_hz: 100.0,
            margin_m: Some(0.04),
            ..Snapshot::default()
        };
        forget(&mut snapshot);
        assert_eq!((snapshot.gait_state.as_str(), snapshot.servo_state.as_str()), ("standing", "unknown"));
        assert_eq!((snapshot.loop_rate_hz, snapshot.margin_m), (0.0, None));
    }
}
