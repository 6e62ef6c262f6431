//! From joint angle to pulse and back: what `config/servos.yaml` says, checked once and then trusted.
//!
//! [`ServoFile`] is the file as serde reads it, [`RawServoConfig`] the same with what each servo takes from its kind and
//! from defaults; [`ServoConfig::try_from`] turns it into validated boards and
//! servos or says which key is wrong and what would be right.

mod block;
mod chosen;
mod clock;
mod config;
mod curve;
mod error;
mod file;
mod origins;
mod raw;
mod servo;
mod touch;
mod travel;
mod validate;

pub use clock::PwmClock;
pub use config::{Board, ServoConfig};
pub use curve::PulseCurve;
pub use error::{KGF_CM, ServoConfigError};
pub use file::{Motor, ServoFile, is_placeholder};
pub use origins::Origins;
pub use raw::{RawBoard, RawPoint, RawServo, RawServoConfig, RawTiming, SERVO2040_CHANNELS, ServoMap};
pub use servo::Servo;
pub use touch::{RawTouch, TOUCH_INPUTS, Touch};
pub use validate::PULSE_US;
