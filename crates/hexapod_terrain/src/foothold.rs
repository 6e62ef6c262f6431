//! What is asked of a foothold, and what is found.

use nalgebra::{Point2, Point3, Unit, Vector3};

/// What ground a foot may stand on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Steepest, rad.
    pub max_slope_rad: f64,
    /// A drop or rise from cell to cell by more than this is an edge, m.
    pub max_step_m: f64,
    /// Roughest: root mean square of the distances from a plane, m.
    pub max_roughness_m: f64,
    /// Least share of the cells at the foot that is known, 0 to 1: ground that is not seen beside ground that is may be a hole.
    pub least_known: f64,
    /// Where less of the disc is known than this share, 0 to 1, the robot steps as if blind.
    pub least_seen: f64,
    /// The rim of the foot is at least so far from every edge, m.
    pub edge_margin_m: f64,
}

impl Limits {
    /// The same for feet so many times as large.
    #[must_use]
    pub fn enlarged(self, size: f64) -> Self {
        Self {
            max_step_m: self.max_step_m * size,
            max_roughness_m: self.max_roughness_m * size,
            edge_margin_m: self.edge_margin_m * size,
            ..self
        }
    }
}

impl Default for Limits {
    /// 35 degrees, edges from 15 mm, 6 mm rough, all of it known, and half of the disc, 12 mm from edges.
    fn default() -> Self {
        Self {
            max_slope_rad: 0.61,
            max_step_m: 0.015,
            max_roughness_m: 0.006,
            least_known: 1.0,
            least_seen: 0.5,
            edge_margin_m: 0.012,
        }
    }
}

/// A foothold that is wanted. Points are of the odometry frame, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Where the foot would come down on flat ground.
    pub nominal: Point2<f64>,
    /// What was chosen before for this step: kept until something is clearly better.
    pub previous: Option<Point2<f64>>,
    /// How far from the nominal point footholds are looked for, m.
    pub search_radius_m: f64,
    /// Radius of what touches the ground, m.
    pub foot_radius_m: f64,
    /// What ground will do.
    pub limits: Limits,
}

/// A place to step on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foothold {
    /// Where the foot meets the ground, m in the odometry frame.
    pub at: Point3<f64>,
    /// Of the ground there, in the odometry frame; upwards.
    pub normal: Unit<Vector3<f64>>,
    /// Of its height, m².
    pub variance_m2: f64,
    /// What is against it: 0 for the nominal point on flat ground; 1 for the rim of the disc on the same ground.
    pub cost: f64,
}

/// What [`choose`](crate::choose) finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// Step here.
    Foothold(Foothold),
    /// Too little is known of the ground about the nominal point: step as if blind.
    Unknown,
    /// The ground is known, and no place of it will do.
    NoneFits,
}
