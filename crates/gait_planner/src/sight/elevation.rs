//! The map as others see it: `elevation`, a cloud of its cells.

use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::PointCloud2;
use hexapod_ros::{Publisher, RosError, RosNode, blank_cloud, clear_points, push_point, warn_if_lost};
use hexapod_setup::Frames;
use hexapod_terrain::{ElevationMap, Limits, surface};
use nalgebra::{Isometry3, Point3};
use std::time::Duration;

/// It is published so often at most.
const PERIOD: Duration = Duration::from_millis(500);
/// The ground about a cell that says whether it can be stepped on, for a robot as large as the shipped one, m.
const RADIUS_M: f64 = 0.025;

/// The publisher of `elevation`, in the frame of the base.
pub(super) struct Elevation {
    publisher: Publisher<PointCloud2>,
    message: PointCloud2,
    base_from_body: Isometry3<f64>,
    radius_m: f64,
    limits: Limits,
    reported: Option<Duration>,
}

impl Elevation {
    pub fn open(node: &mut RosNode, frames: &Frames, size: f64) -> Result<Self, RosError> {
        let frames = frames.clone().in_namespace(&node.namespace());
        let mut message = blank_cloud(&["x", "y", "z", "variance", "traversability"]);
        message.header.frame_id = frames.base();
        Ok(Self {
            publisher: node.publisher("elevation", QosProfile::default())?,
            message,
            base_from_body: frames.root_from_base().inverse(),
            radius_m: RADIUS_M * size,
            limits: Limits::default().enlarged(size),
            reported: None,
        })
    }

    /// Publishes the known cells of a map whose robot is there in the odometry frame.
    pub fn tell(&mut self, map: &ElevationMap, odom_from_body: &Isometry3<f64>, now: Duration) {
        if !self.publisher.is_wanted() || self.reported.is_some_and(|at| now.abs_diff(at) < PERIOD) {
            return;
        }
        self.reported = Some(now);
        clear_points(&mut self.message);
        self.message.header.stamp = to_stamp(now);
        let base_from_odom = self.base_from_body * odom_from_body.inverse();
        for (at, height) in map.cells() {
            let point = base_from_odom * Point3::new(at.x, at.y, height.mean_m);
            let traversable =
                surface(map, &at, self.radius_m).map_or(f64::NAN, |found| found.traversability(&self.limits));
            let values = [point.x, point.y, point.z, height.variance_m2, traversable];
            push_point(&mut self.message, &values.map(|value| value as f32));
        }
        warn_if_lost(self.publisher.publish(&self.message));
    }
}
