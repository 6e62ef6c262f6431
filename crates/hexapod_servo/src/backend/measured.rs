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

/// Position, speed and torque that are older tell nothing of the present. Servos that are asked in turn take longest: every
/// one is asked within this time.
const PRESENT: Duration = Duration::from_millis(250);
/// The same of what changes slowly, and is read more seldom.
const SLOW: Duration = Duration::from_secs(2);

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
    /// Current of the motor, A; never negative.
    pub current_a: Option<Sample>,
    /// Torque about the joint's axis, N m, where the current and what it makes are known, or the stiffness.
    pub torque_nm: Option<Sample>,
    /// Whether that is how far the servo is from its goal, times its stiffness.
    pub torque_is_of_error: bool,
    /// Supply, V.
    pub voltage_v: Option<Sample>,
    /// Degrees Celsius.
    pub temperature_c: Option<Sample>,
    /// Whether what it last said of position or speed is not believed.
    pub doubtful: bool,
    /// How often its position is read; zero: in each exchange.
    pub every: Duration,
    /// What the servo complains of.
    pub alarm: Option<&'static str>,
}

impl Measured {
    /// What of it still counts at `now`.
    pub fn recent(self, now: Duration) -> Self {
        // One that comes seldom counts until the next but one is due.
        let present = PRESENT.max(2 * self.every);
        let within = |sample: Option<Sample>, age| sample.filter(|sample| sample.within(age, now).is_some());
        Self {
            position_rad: within(self.position_rad, present),
            velocity_rad_s: within(self.velocity_rad_s, present),
            load: within(self.load, PRESENT),
            current_a: within(self.current_a, SLOW),
            torque_nm: within(self.torque_nm, PRESENT),
            torque_is_of_error: self.torque_is_of_error,
            voltage_v: within(self.voltage_v, SLOW),
            temperature_c: within(self.temperature_c, SLOW),
            doubtful: self.doubtful,
            every: self.every,
            alarm: self.alarm,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_position_is_read_seldom_expect_it_to_count_until_the_next_but_one_is_due() {
        let ms = Duration::from_millis;
        let there = |every, age| {
            let position_rad = Some(Sample { value: 0.5, at: ms(1000) });
            let measured = Measured { position_rad, every, ..Measured::default() };
            measured.recent(ms(1000) + age).position_rad.is_some()
        };
        assert_eq!([250, 251].map(|age| there(Duration::ZERO, ms(age))), [true, false]);
        assert_eq!([251, 600, 601].map(|age| there(ms(300), ms(age))), [true, true, false]);
    }
}
