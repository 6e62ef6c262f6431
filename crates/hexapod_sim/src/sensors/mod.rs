//! What a robot measures of itself, from what is true of it.
//!
//! [`Imu`] and [`FootSwitches`] measure as chips do. What is true needs no sensor: [`World::base`](crate::World::base) and
//! [`World::twist`](crate::World::twist), [`World::position`](crate::World::position),
//! [`World::foot_force_in_base`](crate::World::foot_force_in_base), [`Supply`](crate::Supply).

mod imu;
mod switches;

pub use imu::{Imu, ImuModel, ImuReading};
pub use switches::{FootSwitches, SwitchModel};
