//! What the control tick and the mapping thread hand each other.

use hexapod_kinematics::{LegAngles, MAX_LEGS};
use hexapod_terrain::ElevationMap;
use nalgebra::Isometry3;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// The topic of clouds.
pub(super) const POINTS: &str = "points";

/// Where the robot was at a tick. Odometry that starts anew begins another epoch, whose map is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub at: Duration,
    pub epoch: u32,
    pub odom_from_body: Isometry3<f64>,
    /// The body over the ground that the feet stand on.
    pub footprint_from_body: Isometry3<f64>,
    pub angles: [LegAngles; MAX_LEGS],
}

/// The map, the epoch that it belongs to, and when the last cloud in it was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub map: ElevationMap,
    pub epoch: u32,
    pub at: Option<Duration>,
}

/// Why the mapping thread refuses a cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The loop did not tick when it was taken.
    NoPose = 1,
    /// Its points are elsewhere.
    NoGround = 2,
}

impl Refusal {
    /// What to say of it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoPose => "where the robot was when the cloud was taken is not known",
            Self::NoGround => {
                "hardly a point of the cloud can be of the ground about the robot: look at the sensor's link in the URDF, its \
                 frame_id and its view"
            }
        }
    }
}

/// The last one that nobody has reported. The mapping thread, which waits for the processor behind all others, takes none of
/// the locks that they take.
#[derive(Debug, Default)]
pub(super) struct LastRefusal(AtomicU8);

impl LastRefusal {
    /// Leaves word of one.
    pub fn set(&self, refusal: Refusal) {
        self.0.store(refusal as u8, Ordering::Relaxed);
    }

    /// Takes it, to be reported.
    pub fn take(&self) -> Option<Refusal> {
        let last = self.0.swap(0, Ordering::Relaxed);
        [Refusal::NoPose, Refusal::NoGround].into_iter().find(|refusal| *refusal as u8 == last)
    }
}
