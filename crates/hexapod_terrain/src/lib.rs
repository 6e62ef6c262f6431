#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod align;
mod brink;
mod capsule;
mod cell;
mod choose;
mod clearance;
mod cloud;
mod coverage;
mod edges;
mod foothold;
mod height;
mod layout;
mod map;
mod mapper;
mod plane;
mod planner;
mod sensor;
mod sight;
mod slope;
mod surface;
mod trench;
mod window;

pub use capsule::Capsule;
pub use choose::choose;
pub use clearance::highest_between;
pub use foothold::{Choice, Foothold, Limits, Wanted};
pub use height::Height;
pub use layout::{Layout, LayoutError};
pub use map::{Drift, ElevationMap, Travel};
pub use mapper::{Mapper, Taken};
pub use planner::{FootholdPlanner, Planning};
pub use sensor::{Noise, Sensor};
pub use sight::Sight;
pub use surface::{Surface, surface};
