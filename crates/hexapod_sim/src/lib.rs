#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod boards;
mod body;
mod config;
mod engine;
mod fall;
mod ground;
mod lean;
mod random;
mod resting;
mod sensors;
mod servo;
mod simulator;

pub use boards::Boards;
pub use body::{Assembly, BuildError, Foot, Hinge, HingeKind, Part};
pub use config::{Config, NamedServo};
pub use engine::{Drive, Momentum, Mount, Push, Seen, Settings, Velocity, World};
pub use fall::{FALLEN_RAD, Fall, FallWatch, lean_beyond, on_its_belly};
pub use ground::{
    FLAT_M, Ground, GroundBox, HeightMap, HeightMapError, Patch, PictureError, Surface, TERRAINS, Terrain,
};
pub use lean::lean;
pub use sensors::{
    CameraModel, FootSwitches, Imu, ImuModel, ImuReading, LidarModel, Noise, PointSensor, PointSensorModel,
    SwitchModel, TruePace,
};
pub use servo::{Battery, Breakage, Servo, ServoKind, ServoModel, Servos, Shaft, Supply};
pub use simulator::Simulator;
