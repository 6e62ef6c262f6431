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
use nalgebra::Isometry3;
use std::time::Duration;

/// Sends the robot's place and its moving links on `/tf`, and what never moves on `/tf_static`.
pub(crate) struct Tf {
    publisher: SharedPublisher<TFMessage>,
    /// Only where there is something to tell.
    latched: Option<(Publisher<TFMessage>, TFMessage)>,
    walked: Option<TransformStamped>,
    moving: Vec<TransformStamped>,
    /// Filled for as long as it is sent.
    message: TFMessage,
}

impl Tf {
    /// Opens the topics. What is fixed goes out with [`Self::publish_fixed`].
    pub(crate) fn new(node: &mut RosNode, frames: &Frames, odom: &str, links: &Links) -> Result<Self, RosError> {
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
        let message = TFMessage { transforms: Vec::with_capacity(moving.len() + 1) };
        let walked = Some(between(&frames.name(odom), &frames.top()));
        Ok(Self { publisher, latched, walked, moving, message })
    }

    /// Whether somebody listens to `/tf`.
    pub(crate) fn is_heard(&self) -> bool {
        self.publisher.is_heard()
    }

    /// Sends what never moves, once and for all.
    pub(crate) fn publish_fixed(&mut self, time: Duration) {
        let Some((publisher, message)) = &mut self.latched else { return };
        message.transforms.iter_mut().for_each(|transform| transform.header.stamp = to_stamp(time));
        warn_if_lost(publisher.publish(message));
    }

    /// Sends, in one message, where the robot has walked, and the links with the time of their joints.
    pub(crate) fn publish(&mut self, walked: Option<&Estimate>, links: Option<(Duration, &Links)>) {
        if !self.publisher.is_heard() {
            return;
        }
        let transforms = &mut self.message.transforms;
        let is_walked = walked.is_some();
        if let Some(estimate) = walked
            && let Some(mut transform) = self.walked.take()
        {
            transform.header.stamp = to_stamp(estimate.time);
            place(&mut transform, &estimate.odom_from_body);
            transforms.push(transform);
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
        self.take_back(is_walked);
    }

    /// Takes the transforms out of the message again: they are moved, never copied.
    fn take_back(&mut self, is_walked: bool) {
        let mut sent = self.message.transforms.drain(..);
        if is_walked {
            self.walked = sent.next();
        }
        self.moving.extend(sent);
    }
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
