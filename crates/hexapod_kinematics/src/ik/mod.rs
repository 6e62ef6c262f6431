//! Inverse kinematics: the joint angles that put a foot at a point of the body frame.

mod budget;
mod inverse;
mod iteration;
mod nearest;
mod newton;
mod redundant;
mod track;
mod tree;

pub use budget::IterationBudget;
pub use nearest::NearestPose;
pub use tree::Choice;
