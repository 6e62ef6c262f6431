//! `/tf`, where the ROS environment of the build has tf2_msgs.

use hexapod_odometry::Estimate;
use hexapod_ros::{RosError, RosNode};

#[cfg(tf2_msgs)]
mod real {
    use super::{Estimate, RosError, RosNode};
    use crate::messages::{quaternion, vector};
    use hexapod_ros::Publisher;
    use hexapod_ros::clock::to_stamp;
    use hexapod_ros::r2r::QosProfile;
    use hexapod_ros::r2r::geometry_msgs::msg::TransformStamped;
    use hexapod_ros::r2r::tf2_msgs::msg::TFMessage;

    /// Sends one transform on `/tf`.
    pub(crate) struct Tf {
        publisher: Publisher<TFMessage>,
        message: TFMessage,
    }

    impl Tf {
        pub(crate) fn new(node: &mut RosNode, parent: &str, child: &str) -> Result<Self, RosError> {
            let publisher = node.publisher("/tf", QosProfile::default().keep_last(100))?;
            let mut transform = TransformStamped { child_frame_id: child.into(), ..Default::default() };
            transform.header.frame_id = parent.into();
            Ok(Self { publisher, message: TFMessage { transforms: vec![transform] } })
        }

        /// Sends the transform, if there is `/tf` at all.
        pub(crate) fn publish(&mut self, estimate: &Estimate) {
            for transform in &mut self.message.transforms {
                transform.header.stamp = to_stamp(estimate.time);
                transform.transform.translation = vector(&estimate.odom_from_body.translation.vector);
                transform.transform.rotation = quaternion(&estimate.odom_from_body.rotation);
            }
            if let Err(error) = self.publisher.publish(&self.message) {
                tracing::warn!("{error}");
            }
        }
    }
}

#[cfg(not(tf2_msgs))]
mod real {
    use super::{Estimate, RosError, RosNode};

    /// There is no `/tf` here.
    pub(crate) struct Tf;

    impl Tf {
        pub(crate) fn new(_: &mut RosNode, _: &str, _: &str) -> Result<Self, RosError> {
            Ok(Self)
        }

        pub(crate) fn publish(&mut self, _: &Estimate) {}
    }
}

pub(crate) use real::Tf;

/// Whether `/tf` can be sent.
pub(crate) const AVAILABLE: bool = cfg!(tf2_msgs);
