#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod angles;
mod batch;
mod chain;
mod closed_form;
mod collision;
mod dh;
mod error;
mod ik;
mod leg;
mod legs;
mod limb;
pub mod math;
mod model;
mod poly;
mod solid;
mod urdf;
mod workspace;

pub use angles::{LegAngles, MAX_LEG_JOINTS};
pub use batch::{Batch, Lane, Lanes3, Sectors, Vectors, sin_cos_lanes};
pub use chain::{LegJoint, Matrix3xN};
pub use closed_form::{IkError, MAX_SOLUTIONS, Solution, Solutions};
pub use collision::{LegRange, Look, Neighbour, SelfCollision, TooNear};
pub use dh::{DhBody, DhConvention, DhJoint, DhLeg, DhPose, DhRobot};
pub use error::{ModelError, ModelFault};
pub use ik::{Choice, IterationBudget, NearestPose};
pub use leg::{Ball, CouplingMatrix, Leg, Matrix6xN};
pub use legs::{Front, LegOptions, LegSpec, MAX_LEGS, MIN_LEGS, MeshReader, NOT_A_LEG, Robot};
pub use limb::{
    FrameMotion, JointMotion, JointSampler, LimbError, LimbMotion, MAX_LIMB_POINTS, PointMotion, SamplerError,
};
pub use model::{
    Geometry, Inertial, Joint, JointFriction, JointKind, JointLimits, LimitChange, LimitsError, Link, Mimic, Model,
    Shape, rotation, rotation_derivative, rotation_second_derivative,
};
pub use solid::{Bulk, Capsule};
pub use workspace::{PoseMargins, Slice, Stroke, StrokeTable};
