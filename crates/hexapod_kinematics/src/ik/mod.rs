//! Inverse kinematics: the joint angles that put a foot at a point of the body frame.

mod effort;
mod error;
mod inverse;
mod iteration;
mod nearest;
mod newton;
mod parallel;
mod polish;
mod quartic;
mod range;
mod redundant;
mod roots;
mod solutions;
mod solver;
mod track;
mod tree;

pub use effort::Effort;
pub use error::IkError;
pub use nearest::NearestPose;
pub use solutions::{MAX_SOLUTIONS, Solution, Solutions};
pub use tree::Choice;

pub(crate) use parallel::Parallel;
pub(crate) use range::Range;
pub(crate) use solver::Solver;
