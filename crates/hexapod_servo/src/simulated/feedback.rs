//! What a servo on a serial bus reports of itself, rounded as a STS3215 rounds it.
//!
//! Its control table has the position in 4096 steps a turn, the speed in 50 steps a second, and the current in 6.5 mA, of
//! which it draws 2.7 A at its stall torque (Feetech STS3215, 12 V).

use crate::random::Random;

const POSITION_STEP_RAD: f64 = std::f64::consts::TAU / 4096.0;
const SPEED_STEP_RAD_S: f64 = 50.0 * POSITION_STEP_RAD;
/// Steps of the current up to its stall.
const STALL_STEPS: f64 = 2.7 / 0.0065;

/// What a servo reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reported {
    /// rad.
    pub position_rad: f64,
    /// rad/s.
    pub velocity_rad_s: f64,
    /// Torque of the servo on the joint, by its current, N m.
    pub effort_nm: f64,
}

/// The sensors of bus servos: a seeded source of noise, and rounding.
#[derive(Clone, Debug)]
pub struct Feedback {
    random: Random,
}

impl Feedback {
    /// Sensors whose noise repeats with the seed.
    pub fn new(seed: u64) -> Self {
        Self { random: Random(seed) }
    }

    /// What a servo of this stall torque, N m, reports of a joint: half a step of noise on the position, one on the
    /// current. A servo without a known stall torque reports no effort (NaN).
    pub fn report(&mut self, position_rad: f64, velocity_rad_s: f64, effort_nm: f64, stall_nm: f64) -> Reported {
        let effort_step = if stall_nm > 0.0 { stall_nm / STALL_STEPS } else { f64::NAN };
        let mut read = |value: f64, noise_steps: f64, step: f64| {
            let noise = noise_steps * step * self.random.normal();
            ((value + noise) / step).round() * step
        };
        Reported {
            position_rad: read(position_rad, 0.5, POSITION_STEP_RAD),
            velocity_rad_s: read(velocity_rad_s, 0.0, SPEED_STEP_RAD_S),
            effort_nm: read(effort_nm, 1.0, effort_step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_servo_reports_expect_whole_steps_near_the_truth_and_the_same_again() {
        let reports = |seed: u64| -> Vec<Reported> {
            let mut feedback = Feedback::new(seed);
            (0..2000).map(|_| feedback.report(0.5, 1.0, -0.3, 1.8)).collect()
        };
        let all = reports(1);
        assert_eq!(all, reports(1));
        assert_ne!(all, reports(2));
        let step = 1.8 / STALL_STEPS;
        for reported in &all {
            assert!((reported.position_rad - 0.5).abs() < 4.0 * POSITION_STEP_RAD);
            assert!((reported.velocity_rad_s - 1.0).abs() <= 0.5 * SPEED_STEP_RAD_S);
            assert!((reported.effort_nm + 0.3).abs() < 6.0 * step);
            let steps = reported.effort_nm / step;
            assert!((steps - steps.round()).abs() < 1e-9, "{steps}");
        }
        let mean = all.iter().map(|reported| reported.effort_nm).sum::<f64>() / 2000.0;
        assert!((mean + 0.3).abs() < 0.1 * step);
        assert!(Feedback::new(1).report(0.0, 0.0, 0.1, 0.0).effort_nm.is_nan(), "no stall torque is known");
    }
}
