//! Footholds that others plan, a topic for each leg, on their way in.

use crate::command::{Command, PlannedFoothold};
use crate::inbox::Inbox;
use crate::planned_footholds::FOOTHOLD;
use crate::setup::Setup;
use crate::stamp::taken_at;
use hexapod_kinematics::Model;
use hexapod_ros::bounds::{self, excerpt};
use hexapod_ros::clock::from_stamp;
use hexapod_ros::qos::stream;
use hexapod_ros::r2r::geometry_msgs::msg::{PointStamped, Pose};
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::{RosClock, RosError, RosNode};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Odometry that is older says where the robot was.
const FRESH: Duration = Duration::from_millis(500);

/// Where the robot is in the frame of `odom`, as received last.
#[derive(Default)]
struct Whereabouts {
    frame: String,
    body_from_odom: Isometry3<f64>,
    /// On the clock of the control loop.
    received: Option<Duration>,
}

/// Hands them to the control loop.
///
/// # Errors
/// A topic cannot be opened.
pub(crate) fn subscribe(node: &mut RosNode, setup: &Setup, inbox: &Inbox) -> Result<(), RosError> {
    let (robot, whereabouts) = (setup.engine.robot(), Arc::new(Mutex::new(Whereabouts::default())));
    let (known, at, of) = (Arc::clone(&whereabouts), inbox.clone(), Arc::clone(robot));
    node.subscribe_shared("odom", stream(), move |message: &Odometry| {
        known.lock().unwrap_or_else(PoisonError::into_inner).take(of.model(), message, at.now());
    })?;
    for (leg, name) in robot.legs().iter().map(|leg| leg.name().to_owned()).enumerate() {
        if !bounds::is_ros_name(&name) {
            tracing::warn!("leg `{name}` has no topic for its footholds: {}", bounds::ROS_NAME);
            continue;
        }
        let (known, to, of, clock): (_, _, _, RosClock) =
            (Arc::clone(&whereabouts), inbox.clone(), Arc::clone(robot), node.stamps());
        node.subscribe_from(&format!("{FOOTHOLD}/{name}"), stream(), move |message: PointStamped, from| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let planned = known.place(of.model(), &message, clock.now(), to.now());
            let command = planned.map(|planned| Command::Foothold(leg, planned));
            to.take(FOOTHOLD, command.map_err(|reason| format!("{name}: {reason}")), from);
        })?;
    }
    Ok(())
}

impl Whereabouts {
    fn take(&mut self, model: &Model, message: &Odometry, now: Duration) {
        let Some(odom_from_child) = isometry(&message.pose.pose) else { return };
        // A base frame that is no link is another name for the root link.
        let body_from_child = model.fixed_frame(&message.child_frame_id).unwrap_or_default();
        self.body_from_odom = body_from_child * odom_from_child.inverse();
        self.frame.clone_from(&message.header.frame_id);
        self.received = Some(now);
    }

    /// Where the point of a message is in the body. `stamps_now` is the clock of stamps, `now` that of the control loop.
    fn place(
        &self,
        model: &Model,
        message: &PointStamped,
        stamps_now: Duration,
        now: Duration,
    ) -> Result<PlannedFoothold, String> {
        let at = taken_at("foothold", from_stamp(&message.header.stamp), stamps_now, now)?;
        let point = Point3::new(message.point.x, message.point.y, message.point.z);
        if !point.coords.iter().all(|value| value.is_finite()) {
            return Err("the point is not finite".into());
        }
        let frame = message.header.frame_id.as_str();
        if let Some(body_from_frame) = model.fixed_frame(frame) {
            return Ok(PlannedFoothold { in_body: (body_from_frame * point).coords, at });
        }
        let odometry = self.received.filter(|received| now.saturating_sub(*received) <= FRESH);
        match odometry.filter(|_| frame == self.frame) {
            Some(at) => Ok(PlannedFoothold { in_body: (self.body_from_odom * point).coords, at }),
            None => Err(format!(
                "the point is in frame {:?}, which is neither a link fixed to the body nor the frame of a recent message on `odom`",
                excerpt(frame)
            )),
        }
    }
}

fn isometry(pose: &Pose) -> Option<Isometry3<f64>> {
    let (at, turn) = (&pose.position, &pose.orientation);
    let rotation = UnitQuaternion::try_new(Quaternion::new(turn.w, turn.x, turn.y, turn.z), 1e-6)?;
    let pose = Isometry3::from_parts(Translation3::new(at.x, at.y, at.z), rotation);
    pose.to_homogeneous().iter().all(|value| value.is_finite()).then_some(pose)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_kinematics::Robot;
    use hexapod_ros::clock::to_stamp;

    const S: fn(f64) -> Duration = Duration::from_secs_f64;

    fn robot() -> Robot {
        Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap()
    }

    fn point(frame: &str, at: [f64; 3]) -> PointStamped {
        let mut message = PointStamped::default();
        message.header.frame_id = frame.into();
        message.header.stamp = to_stamp(S(1000.0));
        (message.point.x, message.point.y, message.point.z) = (at[0], at[1], at[2]);
        message
    }

    fn place(known: &Whereabouts, message: &PointStamped) -> Result<PlannedFoothold, String> {
        known.place(robot().model(), message, S(1000.1), S(50.0))
    }

    /// At x 1, turned to the left, as said at 49.9 s.
    fn known() -> Whereabouts {
        let mut odometry = Odometry { child_frame_id: "base_link".into(), ..Odometry::default() };
        odometry.header.frame_id = "odom".into();
        odometry.pose.pose.position.x = 1.0;
        (odometry.pose.pose.orientation.w, odometry.pose.pose.orientation.z) = (0.5f64.sqrt(), 0.5f64.sqrt());
        let mut known = Whereabouts::default();
        known.take(robot().model(), &odometry, S(49.9));
        known
    }

    #[test]
    fn when_a_point_is_in_a_frame_of_the_body_expect_where_it_was_by_its_stamp() {
        let planned = place(&Whereabouts::default(), &point("robot/base_link", [0.2, 0.1, -0.1])).unwrap();
        assert_eq!(planned.in_body, nalgebra::Vector3::new(0.2, 0.1, -0.1));
        assert!((planned.at.as_secs_f64() - 49.9).abs() < 1e-6);
    }

    #[test]
    fn when_a_point_is_in_the_frame_of_odometry_expect_where_it_is_from_the_body() {
        let planned = place(&known(), &point("odom", [1.0, 0.3, 0.0])).unwrap();
        assert!((planned.in_body - nalgebra::Vector3::new(0.3, 0.0, 0.0)).norm() < 1e-12, "{}", planned.in_body);
        assert_eq!(planned.at, S(49.9));
    }

    #[test]
    fn when_a_point_cannot_be_placed_expect_why() {
        let refused = |known: &Whereabouts, message: &PointStamped| place(known, message).unwrap_err();
        for frame in ["map", "", "left_front_tibia_link"] {
            assert!(refused(&known(), &point(frame, [0.0; 3])).contains("neither a link fixed to the body"), "{frame}");
        }
        assert!(refused(&Whereabouts::default(), &point("odom", [0.0; 3])).contains("a recent message on `odom`"));
        let old = Whereabouts { received: Some(S(49.0)), ..known() };
        assert!(refused(&old, &point("odom", [0.0; 3])).contains("a recent message on `odom`"));
        assert!(refused(&known(), &point("base_link", [f64::NAN, 0.0, 0.0])).contains("not finite"));
        let mut late = point("base_link", [0.0; 3]);
        late.header.stamp = to_stamp(S(990.0));
        assert!(refused(&known(), &late).contains("the foothold is 10.10 s old"));
    }
}
