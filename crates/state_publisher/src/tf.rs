//! `/tf` and `/tf_static`.

use crate::links::{Links, Placed};
use crate::messages::{quaternion, vector};
use hexapod_odometry::Estimate;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::TransformStamped;
use hexapod_ros::r2r::tf2_msgs::msg::TFMessage;
use hexapod_ros::{Publisher, RosError, RosNode, SharedPublisher, warn_if_lost};
use hexapod_setup::Frames;
use nalgebra::{Isometry3, UnitQuaternion};
use std::time::Duration;

/// Sends the robot's place and its moving links on `/tf`, and what never moves on `/tf_static`.
pub(crate) struct Tf {
    publisher: SharedPublisher<TFMessage>,
    /// Only where there is something to tell.
    latched: Option<(Publisher<TFMessage>, TFMessage)>,
    walked: Option<TransformStamped>,
    /// On the ground below the body, if it is sent.
    footprint: Option<TransformStamped>,
    moving: Vec<TransformStamped>,
    /// Filled for as long as it is sent.
    message: TFMessage,
}

impl Tf {
    /// Opens the topics. What is fixed goes out with [`Self::publish_fixed`].
    pub(crate) fn new(
        node: &mut RosNode,
        frames: &Frames,
        (odom, footprint): (&str, Option<&str>),
        links: &Links,
    ) -> Result<Self, RosError> {
        let publisher = node.shared_publisher("/tf", QosProfile::default().keep_last(100))?;
        let blank = |link: &Placed| between(&frames.name(&link.parent), &frames.name(&link.child));
        let moving: Vec<TransformStamped> = links.moving.iter().map(blank).collect();
        let mut fixed: Vec<TransformStamped> = links.fixed.iter().map(blank).collect();
        for (transform, link) in fixed.iter_mut().zip(&links.fixed) {
            place(transform, &link.parent_from_child);
        }
        fixed.extend(frames.above_root().map(|(above, root)| between(&above, &root)));
        let latched = if fixed.is_empty() {
            None
        } else {
            let qos = QosProfile::default().keep_last(1).transient_local();
            Some((node.publisher("/tf_static", qos)?, TFMessage { transforms: fixed }))
        };
        let message = TFMessage { transforms: Vec::with_capacity(moving.len() + 2) };
        let walked = Some(between(&frames.name(odom), &frames.top()));
        let footprint = footprint.map(|name| between(&frames.top(), &frames.name(name)));
        Ok(Self { publisher, latched, walked, footprint, moving, message })
    }

    /// Whether somebody listens to `/tf`.
    pub(crate) fn is_heard(&self) -> bool {
        self.publisher.is_wanted()
    }

    /// Sends what never moves, once and for all.
    pub(crate) fn publish_fixed(&mut self, time: Duration) {
        let Some((publisher, message)) = &mut self.latched else { return };
        message.transforms.iter_mut().for_each(|transform| transform.header.stamp = to_stamp(time));
        warn_if_lost(publisher.publish(message));
    }

    /// Sends, in one message, where the robot has walked, if that `is_sent`, what is below it, and the links with the time of
    /// their joints.
    pub(crate) fn publish(&mut self, walked: Option<&Estimate>, is_sent: bool, links: Option<(Duration, &Links)>) {
        if !self.publisher.is_wanted() {
            return;
        }
        let transforms = &mut self.message.transforms;
        let is_walked = walked.is_some() && is_sent;
        let has_footprint = walked.is_some() && self.footprint.is_some();
        if let Some(estimate) = walked {
            let odom_from_body = &estimate.odom_from_body;
            let walked = self.walked.take_if(|_| is_sent).map(|transform| (transform, *odom_from_body));
            let below = self.footprint.take().map(|transform| (transform, body_from_footprint(estimate)));
            for (mut transform, pose) in walked.into_iter().chain(below) {
                transform.header.stamp = to_stamp(estimate.time);
                place(&mut transform, &pose);
                transforms.push(transform);
            }
        }
        if let Some((time, links)) = links {
            for (transform, link) in self.moving.iter_mut().zip(&links.moving) {
                transform.header.stamp = to_stamp(time);
                place(transform, &link.parent_from_child);
            }
            transforms.append(&mut self.moving);
        }
        if !transforms.is_empty() {
            warn_if_lost(self.publisher.publish(&self.message));
        }
        self.take_back(is_walked, has_footprint);
    }

    /// Takes the transforms out of the message again: they are moved, never copied.
    fn take_back(&mut self, is_walked: bool, has_footprint: bool) {
        let mut sent = self.message.transforms.drain(..);
        if is_walked {
            self.walked = sent.next();
        }
        if has_footprint {
            self.footprint = sent.next();
        }
        self.moving.extend(sent);
    }
}

/// The frame on the ground below the body that is level and looks where the body does (REP-120), in the body's frame. It
/// depends on height, roll and pitch alone, and so stays true where something else sends the body's place.
fn body_from_footprint(estimate: &Estimate) -> Isometry3<f64> {
    let odom_from_body = &estimate.odom_from_body;
    let (_, _, yaw) = odom_from_body.rotation.euler_angles();
    let mut footprint = *odom_from_body;
    footprint.translation.z -= estimate.height_above_ground();
    footprint.rotation = UnitQuaternion::from_euler_angles(0.0, 0.0, yaw);
    odom_from_body.inv_mul(&footprint)
}

/// The identity from a frame to another.
fn between(parent: &str, child: &str) -> TransformStamped {
    let mut transform = TransformStamped { child_frame_id: child.into(), ..Default::default() };
    transform.header.frame_id = parent.into();
    transform.transform.rotation.w = 1.0;
    transform
}

fn place(transform: &mut TransformStamped, pose: &Isometry3<f64>) {
    transform.transform.translation = vector(&pose.translation.vector);
    transform.transform.rotation = quaternion(&pose.rotation);
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Translation3, Vector3};

    #[test]
    fn when_the_body_leans_expect_its_footprint_level_on_the_ground_wherever_it_has_walked() {
        // Over level ground, and over ground that has risen by 0.3 m and is level there.
        let lean = |x: f64, yaw: f64, risen: f64| {
            let rotation = UnitQuaternion::from_euler_angles(0.2, -0.1, yaw);
            let at = |z: f64| Isometry3::from_parts(Translation3::new(x, -0.5, z), rotation);
            Estimate { odom_from_body: at(0.08 + risen), by_feet: at(0.08), ..Estimate::default() }
        };
        for (x, yaw, risen) in [(0.0, 0.0, 0.0), (3.0, 2.5, 0.0), (-1.0, -3.0, 0.3)] {
            let estimate = lean(x, yaw, risen);
            let odom_from_footprint = estimate.odom_from_body * body_from_footprint(&estimate);
            assert!((odom_from_footprint.translation.vector - Vector3::new(x, -0.5, risen)).norm() < 1e-12);
            let (roll, pitch, turned) = odom_from_footprint.rotation.euler_angles();
            assert!(roll.abs() < 1e-12 && pitch.abs() < 1e-12 && (turned - yaw).abs() < 1e-12);
            let same = body_from_footprint(&lean(0.0, 0.0, 0.0)).inv_mul(&body_from_footprint(&estimate));
            assert!(
                same.translation.vector.norm() < 1e-12 && same.rotation.angle() < 1e-7,
                "the place does not matter"
            );
        }
    }
}
