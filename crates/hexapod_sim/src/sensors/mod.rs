//! What a robot measures of itself, from what is true of it.
//!
//! [`Imu`], [`FootSwitches`] and [`PointSensor`]s measure as chips do. What is true needs no sensor: [`World::base`](crate::World::base),
//! [`World::position`](crate::World::position),
//! [`World::foot_force_in_base`](crate::World::foot_force_in_base), [`Supply`](crate::Supply); [`TruePace`] tells how fast
//! the base goes by where it has been.
//!
//! Where the robot is put somewhere (`World::put`), no sensor feels the way to it.

mod camera;
mod imu;
mod lidar;
mod moment;
mod pace;
mod points;
mod switches;

pub use camera::CameraModel;
pub use imu::{Imu, ImuModel, ImuReading};
pub use lidar::LidarModel;
pub use pace::TruePace;
pub use points::{Noise, PointSensor, PointSensorModel};
pub use switches::{FootSwitches, SwitchModel};
