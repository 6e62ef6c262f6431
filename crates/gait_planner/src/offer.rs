//! What can be asked for by name: `gaits` and `motions`, published once and latched.

use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::std_msgs::msg::String as StringMsg;
use hexapod_ros::{RosError, RosNode, warn_if_lost};

/// Publishes the names of all gaits and motions that this robot has. The node keeps the publishers.
///
/// # Errors
/// A topic cannot be opened.
pub fn publish<'a>(
    node: &mut RosNode,
    gaits: impl Iterator<Item = &'a str>,
    motions: impl Iterator<Item = &'a str>,
) -> Result<(), RosError> {
    let (gaits, motions): (Vec<&str>, Vec<&str>) = (gaits.collect(), motions.collect());
    for (topic, names) in [("gaits", gaits), ("motions", motions)] {
        let publisher = node.publisher(topic, QosProfile::default().keep_last(1).transient_local())?;
        warn_if_lost(publisher.publish(&StringMsg { data: names.join(", ") }));
    }
    Ok(())
}
