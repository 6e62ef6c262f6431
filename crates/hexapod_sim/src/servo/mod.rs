//! Hobby servos: from pulses to torque.
//!
//! A servo is a DC motor behind gears, a potentiometer on the output shaft and a proportional controller that compares
//! the two once a pulse. Its torque is that of the motor at the duty the controller asks for,
//! `stall * (volts / nominal) * duty - stall * speed / no_load_speed`: proportional to the error until the bridge is
//! fully on, falling with speed, and both with the supply. Its current follows from the same equation.

mod battery;
mod fitting;
mod kind;
mod motor;

pub use battery::{Battery, Supply};
pub use fitting::{ServoModel, Servos};
pub use kind::ServoKind;
pub use motor::{Breakage, Servo, Shaft};
