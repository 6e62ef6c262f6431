//! Whether the servos reach what walking, postures and motions ask of their joints.

use hexapod_config::units::short;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_gait::{Demand, JointDemand};
use hexapod_kinematics::Robot;
use hexapod_servo::ServoConfig;
use hexapod_servo::calibration::{PULSE_US, Servo};

/// Angles (rad) and speeds (rad/s) that differ by less are the same.
const SAME: f64 = 1e-4;

/// Checks every servo of `servos.yaml` against the most that is asked of its joint.
///
/// # Errors
/// Each joint that is asked for more than its servo reaches: what for, how far, and the key to change.
pub fn check_reach(
    document: &Document,
    servos: &ServoConfig,
    robot: &Robot,
    demand: &Demand,
) -> Result<(), ConfigError> {
    let mut faults = Faults::default();
    for (leg, each) in robot.legs().iter().enumerate() {
        for (index, joint) in each.joints().iter().enumerate() {
            let servo = servos.joint_index(joint.name()).and_then(|index| servos.servos().get(index));
            if let Some((servo, asked)) = servo.zip(demand.of_joint(leg, index)) {
                let one = Asked { document, servo, asked, doings: demand.doings() };
                one.check(&mut faults);
            }
        }
    }
    faults.into_result()
}

/// A servo and what is asked of it.
struct Asked<'a> {
    document: &'a Document,
    servo: &'a Servo,
    asked: &'a JointDemand,
    doings: &'a [String],
}

impl Asked<'_> {
    fn check(&self, faults: &mut Faults) {
        let (lower, upper) = self.servo.angle_limits_rad();
        if self.asked.lower.0 < lower - SAME {
            faults.add(self.short_of(self.asked.lower, lower, "least"));
        }
        if self.asked.upper.0 > upper + SAME {
            faults.add(self.short_of(self.asked.upper, upper, "greatest"));
        }
        let (speed, limit) = (self.asked.speed.0, self.servo.speed_limit_rad_s());
        if speed > limit + SAME {
            let doing = &self.doings[self.asked.speed.1];
            let message =
                format!("{doing} turns the joint at up to {speed:.2} rad/s, but its servo turns at {limit} at most");
            let help = format!(
                "raise it to {} if the servo can take it; or lower the joint's `velocity` under `limits` in robot.yaml",
                short((speed * 100.0).ceil() / 100.0)
            );
            faults.add(self.document.error_at(&self.key("speed_limit_rad_s"), message, help));
        }
    }

    fn short_of(&self, (wanted, doing): (f64, usize), reached: f64, end: &str) -> ConfigError {
        let [wanted_deg, reached_deg] = [wanted, reached].map(f64::to_degrees);
        let message = format!(
            "{} takes the joint to {wanted_deg:.1} degrees ({wanted:.3} rad); the {end} that its servo reaches is \
             {reached_deg:.1} degrees ({reached:.3} rad)",
            self.doings[doing]
        );
        let pulse_us = self.servo.pulse_wanted_us(wanted);
        let (shortest, longest) = self.servo.pulse_limits_us();
        let limit = if pulse_us < (shortest + longest) / 2.0 { "min_pulse_us" } else { "max_pulse_us" };
        let help = if self.fits_reversed() {
            "did you mean the other `direction`? a servo mounted the other way round has -1".to_owned()
        } else if PULSE_US.contains(&pulse_us) {
            let whole = if limit == "min_pulse_us" { pulse_us.floor() } else { pulse_us.ceil() };
            format!(
                "set it to {whole:.0} if the servo can take it; or mount its horn elsewhere and measure `points` again"
            )
        } else {
            "that is beyond what a servo turns: mount its horn elsewhere, then correct `points` and `trim_rad`"
                .to_owned()
        };
        let key = if self.fits_reversed() { "direction" } else { limit };
        self.document.error_at(&self.key(key), message, help)
    }

    /// Whether it would reach all, and does not, because its direction is wrong.
    fn fits_reversed(&self) -> bool {
        let (shortest, longest) = self.servo.pulse_limits_us();
        let ends = [shortest, longest].map(|pulse_us| self.servo.reversed_angle_rad(pulse_us));
        ends[0].min(ends[1]) <= self.asked.lower.0 + SAME && ends[0].max(ends[1]) >= self.asked.upper.0 - SAME
    }

    fn key(&self, name: &str) -> String {
        format!("servos.{}.{name}", self.servo.joint())
    }
}
