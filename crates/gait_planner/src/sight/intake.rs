//! Clouds of points on their way in.

use super::exchange::{LastRefusal, POINTS};
use crate::inbox::Inbox;
use crate::stamp::taken_at;
use hexapod_kinematics::{Model, Robot};
use hexapod_ros::bounds::excerpt;
use hexapod_ros::clock::from_stamp;
use hexapod_ros::qos::stream;
use hexapod_ros::r2r::sensor_msgs::msg::PointCloud2;
use hexapod_ros::{RosClock, RosError, RosNode, cloud_points};
use nalgebra::Isometry3;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

/// Points of a cloud that are looked at; of more, as many of all of it.
const MOST_POINTS: usize = 20_000;
/// A cloud that has been checked.
pub(super) struct Cloud {
    /// When it was taken, on the clock that the control loop ticks by.
    pub at: Duration,
    pub points: Vec<[f32; 3]>,
    pub body_from_sensor: Isometry3<f64>,
}

/// Hands clouds to the mapping thread. One that comes while it is busy is left out.
pub(super) fn subscribe(
    node: &mut RosNode,
    robot: &Arc<Robot>,
    inbox: &Inbox,
    clock: &RosClock,
    (clouds, refusal): (SyncSender<Cloud>, Arc<LastRefusal>),
) -> Result<(), RosError> {
    let (robot, inbox, clock) = (Arc::clone(robot), inbox.clone(), clock.clone());
    node.subscribe_shared_from(POINTS, stream(), move |message: &PointCloud2, _| {
        refusal.take().into_iter().for_each(|refused| inbox.reject(POINTS, refused.reason()));
        match checked(robot.model(), message, clock.now(), inbox.now()) {
            Ok(cloud) => {
                let _ = clouds.try_send(cloud);
            }
            Err(reason) => inbox.reject(POINTS, reason),
        }
    })
}

/// What a message holds. `stamps_now` is the clock of stamps, `now` that of the control loop.
fn checked(model: &Model, message: &PointCloud2, stamps_now: Duration, now: Duration) -> Result<Cloud, String> {
    let at = taken_at("cloud", from_stamp(&message.header.stamp), stamps_now, now)?;
    let frame = message.header.frame_id.as_str();
    let body_from_sensor = model.fixed_frame(frame).ok_or_else(|| {
        format!(
            "the cloud is in frame {:?}, which is not a link fixed to the body: give the URDF a link of that name where the \
             sensor is, or set the sensor's frame_id",
            excerpt(frame)
        )
    })?;
    let mut points = Vec::new();
    cloud_points(message, MOST_POINTS, &mut points).map_err(|refused| refused.to_string())?;
    if points.is_empty() { Err("the cloud has no point".into()) } else { Ok(Cloud { at, points, body_from_sensor }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_ros::clock::to_stamp;
    use hexapod_ros::{blank_cloud, push_point};

    const S: fn(f64) -> Duration = Duration::from_secs_f64;

    fn cloud(frame: &str, stamp: f64) -> PointCloud2 {
        let mut cloud = blank_cloud(&["x", "y", "z"]);
        cloud.header.frame_id = frame.into();
        cloud.header.stamp = to_stamp(S(stamp));
        push_point(&mut cloud, &[0.3, 0.0, -0.1]);
        cloud
    }

    fn check(message: &PointCloud2) -> Result<Cloud, String> {
        let robot = Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap();
        checked(robot.model(), message, S(1000.0), S(50.0))
    }

    #[test]
    fn when_a_cloud_has_a_stamp_expect_when_it_was_taken_by_the_loop_s_clock() {
        for (stamp, at) in [(0.0, 50.0), (1000.0, 50.0), (999.8, 49.8), (1000.04, 50.0)] {
            let taken = check(&cloud("base_link", stamp)).unwrap().at.as_secs_f64();
            assert!((taken - at).abs() < 1e-6, "{stamp}: {taken}");
        }
    }

    #[test]
    fn when_a_cloud_cannot_be_placed_expect_why_and_what_would_be_right() {
        let refused = |cloud: &PointCloud2| check(cloud).err().unwrap_or_default();
        assert!(refused(&cloud("base_link", 998.0)).contains("2.00 s old"));
        assert!(refused(&cloud("base_link", 1003.0)).contains("3.00 s ahead"));
        for frame in ["", "map", "front_left_tibia_link"] {
            let reason = refused(&cloud(frame, 1000.0));
            assert!(reason.contains("not a link fixed to the body") && reason.contains(frame), "{reason}");
        }
        assert!(check(&cloud("robot_2/base_link", 1000.0)).is_ok());
        let mut empty = cloud("base_link", 1000.0);
        hexapod_ros::clear_points(&mut empty);
        assert!(refused(&empty).contains("no point"));
        push_point(&mut empty, &[f32::NAN, 0.0, 0.0]);
        assert!(refused(&empty).contains("no point"));
    }
}
