#![doc = include_str!("../README.md")]

pub mod backend;
pub mod boards;
pub mod calibration;
pub mod dynamixel;
pub mod families;
pub mod feetech;
pub mod joints;
pub mod lx16a;
pub mod machine;
mod ordered;
pub mod pca9685;
mod random;
pub mod serial;
pub mod servo2040;
pub mod simulated;

pub use backend::{ArmReport, Backend};
pub use boards::Pca9685Boards;
pub use calibration::{RawServoConfig, ServoConfig, ServoConfigError};
pub use joints::JointConfig;
pub use machine::{Counters, Fault, ServoDriver, State, TargetError};
pub use simulated::SimulatedBus;
