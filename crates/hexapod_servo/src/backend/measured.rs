//! What servos measure.

use std::time::Duration;

/// A number that was measured, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The number.
    pub value: f64,
    /// When it was measured, on the clock of the exchanges.
    pub at: Duration,
}

impl Sample {
    /// The number, if it is no older than `age`.
    pub fn within(self, age: Duration, now: Duration) -> Option<f64> {
        (now.saturating_sub(self.at) <= age).then_some(self.value)
    }
}

/// What the servo of a joint measures, as far as it does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Angle of the joint, rad.
    pub position_rad: Option<Sample>,
    /// Speed of the joint, rad/s.
    pub velocity_rad_s: Option<Sample>,
    /// Part of full drive that the motor gets, -1 to 1 in the joint's direction. It is no torque.
    pub load: Option<Sample>,
    /// Current of the motor, A.
    pub current_a: Option<Sample>,
    /// Supply, V.
    pub voltage_v: Option<Sample>,
    /// Degrees Celsius.
    pub temperature_c: Option<Sample>,
    /// What the servo complains of.
    pub alarm: Option<&'static str>,
}
