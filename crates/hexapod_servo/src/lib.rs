#![doc = include_str!("../README.md")]

pub mod calibration;
pub mod machine;
pub mod pca9685;
pub mod simulated;

pub use calibration::{RawServoConfig, ServoConfig, ServoConfigError};
pub use machine::{ArmReport, Counters, Fault, RESETS_A_BOARD, ServoDriver, State, TargetError};
pub use simulated::SimulatedBus;
