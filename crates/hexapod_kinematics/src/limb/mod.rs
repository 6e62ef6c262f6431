//! Limb kinematics (S5): motion of each joint's point and of the foot, seen from the limb, the body or the world;
//! joint speeds and accelerations from sampled angles.

mod motion;
mod sampler;

pub use motion::{FrameMotion, LimbError, LimbMotion, MAX_LIMB_POINTS, PointMotion};
pub use sampler::{JointMotion, JointSampler, SamplerError};
