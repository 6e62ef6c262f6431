//! Where the body is, and what that was worked out from.

use crate::guide::Guided;
use crate::unseen::Unseen;
use nalgebra::{Isometry3, Vector3};
use std::time::Duration;

/// Ground that is steeper, as the cosine of its slope, is none that a robot stands on.
const LEAST_UP: f64 = 0.3;

/// What the pose was worked out from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// Three or more feet: place and attitude.
    Rigid,
    /// Two feet, or feet on one line: place and yaw; roll and pitch are those of the sample before.
    Planar,
    /// At most one foot: the last velocity, for a while.
    #[default]
    Coasting,
}

/// Where the body is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Time of the sample.
    pub time: Duration,
    /// Pose of the body in the odom frame.
    pub odom_from_body: Isometry3<f64>,
    /// The same by the feet alone: over the plane on which they stand, as if that were level.
    pub by_feet: Isometry3<f64>,
    /// Velocity in the body frame, m/s, mean of the last 50 ms.
    pub linear: Vector3<f64>,
    /// Turning velocity in the body frame, rad/s, mean of the last 50 ms.
    pub angular: Vector3<f64>,
    /// Whether the poses are too few yet for a velocity, which is said to be zero.
    pub starting: bool,
    /// What the pose was worked out from.
    pub fit: Fit,
    /// How many feet are on the ground.
    pub feet_down: usize,
    /// Sum of the certainties of the feet on the ground (see
    /// [`Odometry::set_foot_confidence`](crate::Odometry::set_foot_confidence)); zero while they carry nothing.
    pub support: f64,
    /// How far the body may be from where its feet would have it, m, as its servos carry nothing (see
    /// [`Odometry::set_body_uncertainty`](crate::Odometry::set_body_uncertainty)); zero while they do.
    pub astray: f64,
    /// Whether something carries the robot (see [`Mishaps::carry`](crate::Mishaps::carry)), and for how long it has done so
    /// in all, s: meanwhile it may have got anywhere.
    pub carried: bool,
    /// See `carried`.
    pub carried_s: f64,
    /// The greatest distance between a foot and its anchor, m.
    pub worst_residual: f64,
    /// Whether the anchors were dropped and taken anew, as at the start.
    pub restarted: bool,
    /// Way walked, m.
    pub travelled: f64,
    /// Angle turned, to whichever side, rad.
    pub turned: f64,
    /// What has been walked with an inertial sensor, and without.
    pub guided: Guided,
    /// What an inertial sensor has the body do otherwise than this.
    pub unseen: Unseen,
    /// The way walked, m, each part counted up to tenfold where few feet were certain: errors grow with it.
    pub uncertainty_weighted_distance: f64,
    /// The angle turned, rad, in the same way.
    pub uncertainty_weighted_rotation: f64,
}

impl Estimate {
    /// How high the body is above the ground straight below it, m: a slope goes on as it is under the feet.
    #[must_use]
    pub fn height_above_ground(&self) -> f64 {
        let normal = self.odom_from_body.rotation * self.by_feet.inverse_transform_vector(&Vector3::z());
        self.by_feet.translation.z / normal.z.max(LEAST_UP)
    }
}

/// A pose that fits some feet.
#[derive(Clone, Copy)]
pub(crate) struct Fitted {
    pub pose: Isometry3<f64>,
    pub fit: Fit,
    pub worst_residual: f64,
    pub restarted: bool,
}
