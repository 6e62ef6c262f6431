//! What the control tick and the mapping thread hand each other.

use hexapod_kinematics::{LegAngles, MAX_LEGS};
use hexapod_terrain::ElevationMap;
use nalgebra::Isometry3;
use std::time::Duration;

/// The topic of clouds.
pub(super) const POINTS: &str = "points";

/// Where the robot was at a tick. Odometry that starts anew begins another epoch, whose map is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub at: Duration,
    pub epoch: u32,
    pub odom_from_body: Isometry3<f64>,
    pub angles: [LegAngles; MAX_LEGS],
}

/// The map, the epoch that it belongs to, and when the last cloud in it was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub map: ElevationMap,
    pub epoch: u32,
    pub at: Option<Duration>,
}
