//! Closed forms of the inverse, from a leg's screws alone: what it needs to be solved by, and what comes of that.

mod error;
mod parallel;
mod polish;
mod quartic;
mod range;
mod roots;
mod solutions;
mod solver;

pub use error::IkError;
pub use solutions::{MAX_SOLUTIONS, Solution, Solutions};

pub(crate) use parallel::Parallel;
pub(crate) use quartic::Quartic;
pub(crate) use range::Range;
pub(crate) use solutions::{Candidates, REACH_TOLERANCE, fit_angle, same};
pub(crate) use solver::Solver;
