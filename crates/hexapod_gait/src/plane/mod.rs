//! Geometry of the plane in which the robot walks, limits of its twist, the grid of time and
//! the robot's size.

pub mod arc;
pub(crate) mod barred_way;
pub(crate) mod follow;
pub(crate) mod grid;
pub mod limits;
pub(crate) mod nearest;
pub(crate) mod ramp;
pub(crate) mod reach;
pub(crate) mod size;
pub(crate) mod support;
pub(crate) mod twist;
