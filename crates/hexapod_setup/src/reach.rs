//! Whether the servos reach what walking, postures and motions ask of their joints.

use crate::config_file::ConfigFile;
use crate::serial::read_serial;
use crate::servos::origins;
use hexapod_config::units::short;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_gait::{Demand, JointDemand};
use hexapod_kinematics::Robot;
use hexapod_servo::ServoConfig;
use hexapod_servo::calibration::{Origins, PULSE_US, Servo};
use hexapod_servo::families::FAMILIES;
use hexapod_servo::joints::DrivenJoint;
use hexapod_servo::serial::Family;

/// A servo that falls short by less was hardly given the wrong direction, rad: then its horn is a few teeth off.
const HARDLY_REVERSED: f64 = 0.35;
/// What to do about a bus servo that does not reach an angle.
const SERIAL_HELP: &str =
    "check its zero_step and direction; then widen min_step and max_step if the servo can take it";
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
    let mut found = vec![];
    let origins = origins(document, robot);
    for (joint, asked) in asked_of(robot, demand) {
        if let Some(servo) = servos.joint_index(joint).and_then(|index| servos.servos().get(index)) {
            ReachDemand { document, origins: &origins, servo, asked, doings: demand.doings() }.check(&mut found);
        }
    }
    let mut faults = Faults::default();
    in_one_place(found, &origins).into_iter().for_each(|short| faults.add(short.error(document)));
    faults.into_result()
}

/// Checks the servos of each serial bus that `servos.yaml` has against the same.
///
/// # Errors
/// As [`check_reach`].
pub fn check_serial_reach(
    file: impl Into<ConfigFile>,
    document: &Document,
    robot: &Robot,
    demand: &Demand,
) -> Result<(), ConfigError> {
    let (file, mut faults): (ConfigFile, _) = (file.into(), Faults::default());
    let is_there = |family: &&Family| document.location(&format!("{}.servos", family.name)).is_some();
    for family in FAMILIES.into_iter().filter(is_there) {
        let Some(config) = faults.note(read_serial(family, &file, robot)) else { continue };
        let joints = config.joints();
        for (joint, asked) in asked_of(robot, demand) {
            let Some(driven) = joints.index(joint).and_then(|index| joints.joints.get(index)) else { continue };
            for (key, message, help) in shortfalls(driven, asked, demand.doings()) {
                faults.add(document.error_at(&format!("{}.servos.{joint}{key}", family.name), message, help));
            }
        }
    }
    faults.into_result()
}

/// The name of each joint, and what is asked of it.
fn asked_of<'a>(robot: &'a Robot, demand: &'a Demand) -> impl Iterator<Item = (&'a str, &'a JointDemand)> {
    robot.legs().iter().enumerate().flat_map(move |(leg, each)| {
        let joints = each.joints().iter().enumerate();
        joints.filter_map(move |(index, joint)| Some((joint.name(), demand.of_joint(leg, index)?)))
    })
}

/// What a bus servo falls short of: below which of its keys, what, and what to do.
fn shortfalls(driven: &DrivenJoint, asked: &JointDemand, doings: &[String]) -> Vec<(&'static str, String, String)> {
    let (lower, upper) = driven.limits_rad;
    let far = |(wanted, doing): (f64, usize), reached, end| {
        ("", too_far(&doings[doing], wanted, reached, end), SERIAL_HELP.to_owned())
    };
    let ((speed, doing), limit) = (asked.speed, driven.speed_limit_rad_s);
    let least = (asked.lower.0 < lower - SAME).then(|| far(asked.lower, lower, "least"));
    let greatest = (asked.upper.0 > upper + SAME).then(|| far(asked.upper, upper, "greatest"));
    let slow = (speed > limit + SAME).then(|| {
        let (message, help) = too_slow(&doings[doing], speed, limit);
        (".speed_limit_rad_s", message, help)
    });
    [least, greatest, slow].into_iter().flatten().collect()
}

/// What a servo does not reach.
fn too_far(doing: &str, wanted: f64, reached: f64, end: &str) -> String {
    let [wanted_deg, reached_deg] = [wanted, reached].map(f64::to_degrees);
    format!(
        "{doing} takes the joint to {wanted_deg:.1} degrees ({wanted:.3} rad); the {end} that its servo reaches is \
         {reached_deg:.1} degrees ({reached:.3} rad)"
    )
}

/// What a servo is too slow for, and what to do.
fn too_slow(doing: &str, speed: f64, limit: f64) -> (String, String) {
    let help = format!(
        "raise it to {} if the servo can take it; or lower the joint's `velocity` under `limits` in robot.yaml",
        short((speed * 100.0).ceil() / 100.0)
    );
    (format!("{doing} turns the joint at up to {speed:.2} rad/s, but its servo turns at {limit} at most"), help)
}

/// What a servo falls short of.
struct Short {
    joint: String,
    /// The key to change, by where it would stand if the servo had all of its keys; then by where it stands.
    key: String,
    /// How much is lacking, rad or rad/s.
    lacking: f64,
    message: String,
    help: String,
    /// The servos of how many joints take that key from the same place.
    count: usize,
}

/// The worst of those that take their keys from the same place.
fn in_one_place(found: Vec<Short>, origins: &Origins) -> Vec<Short> {
    let mut worst: Vec<Short> = vec![];
    for mut short in found {
        short.key = origins.of(&short.key);
        match worst.iter_mut().find(|known| known.key == short.key) {
            Some(known) => {
                let count = known.count + usize::from(known.joint != short.joint);
                if short.lacking > known.lacking {
                    *known = short;
                }
                known.count = count;
            }
            None => worst.push(short),
        }
    }
    worst
}

impl Short {
    fn error(self, document: &Document) -> ConfigError {
        let Self { joint, key, message, help, count, .. } = self;
        if key.starts_with(&format!("servos.{joint}.")) {
            return document.error_at(&key, message, help);
        }
        let help = if key.ends_with(".travel") {
            "correct the travel: angle_rad is how far the servo turns from from_us to to_us, about 3.1416 from 500 to 2500 us; or \
             mount its horn elsewhere and correct `mounted_at_rad`"
                .to_owned()
        } else {
            help
        };
        let others = if count > 1 {
            format!("; the same holds for {count} joints whose servos share this value")
        } else {
            String::new()
        };
        document.error_at(&key, format!("joint {joint}: {message}{others}"), help)
    }
}

/// A servo and what is asked of it.
struct ReachDemand<'a> {
    document: &'a Document,
    origins: &'a Origins,
    servo: &'a Servo,
    asked: &'a JointDemand,
    doings: &'a [String],
}

impl ReachDemand<'_> {
    fn check(&self, found: &mut Vec<Short>) {
        let (lower, upper) = self.servo.angle_limits_rad();
        if self.asked.lower.0 < lower - SAME {
            found.push(self.short_of(self.asked.lower, lower, "least"));
        }
        if self.asked.upper.0 > upper + SAME {
            found.push(self.short_of(self.asked.upper, upper, "greatest"));
        }
        let (speed, limit) = (self.asked.speed.0, self.servo.speed_limit_rad_s());
        if speed > limit + SAME {
            let doing = &self.doings[self.asked.speed.1];
            found.push(self.short("speed_limit_rad_s", speed - limit, too_slow(doing, speed, limit)));
        }
    }

    fn short_of(&self, (wanted, doing): (f64, usize), reached: f64, end: &str) -> Short {
        let message = too_far(&self.doings[doing], wanted, reached, end);
        let pulse_us = self.servo.pulse_wanted_us(wanted);
        let (shortest, longest) = self.servo.pulse_limits_us();
        let limit = if pulse_us < (shortest + longest) / 2.0 { "min_pulse_us" } else { "max_pulse_us" };
        let lacking = (wanted - reached).abs();
        let is_reversed = lacking > HARDLY_REVERSED && self.fits_reversed() && !self.is_newer(limit, "direction");
        let help = if is_reversed {
            "did you mean the other `direction`? a servo mounted the other way round has -1; or its horn is off: mount it anew \
             (`hexapod servo centre`) and calibrate the joint again"
                .to_owned()
        } else if PULSE_US.contains(&pulse_us) {
            let whole = if limit == "min_pulse_us" { pulse_us.floor() } else { pulse_us.ceil() };
            format!(
                "set it to {whole:.0} if the servo can take it; or mount its horn elsewhere and measure `points` again"
            )
        } else {
            "that is beyond what a servo turns: mount its horn elsewhere, then correct `points` and `trim_rad`"
                .to_owned()
        };
        let help = if self.doings[doing] == "packing" {
            format!("write a `packed` pose in robot.yaml that it reaches; or {help}")
        } else {
            help
        };
        let key = if is_reversed { "direction" } else { limit };
        self.short(key, lacking, (message, help))
    }

    fn short(&self, key: &str, lacking: f64, (message, help): (String, String)) -> Short {
        let joint = self.servo.joint().to_owned();
        Short { key: format!("servos.{joint}.{key}"), joint, lacking, message, help, count: 1 }
    }

    /// Whether a key of the servo stands in a higher layer than another.
    fn is_newer(&self, key: &str, than: &str) -> bool {
        let layer = |key: &str| self.document.layer(&self.origins.of(&format!("servos.{}.{key}", self.servo.joint())));
        layer(key) > layer(than)
    }

    /// Whether it would reach all, and does not, because its direction is wrong.
    fn fits_reversed(&self) -> bool {
        let (shortest, longest) = self.servo.pulse_limits_us();
        let ends = [shortest, longest].map(|pulse_us| self.servo.reversed_angle_rad(pulse_us));
        ends[0].min(ends[1]) <= self.asked.lower.0 + SAME && ends[0].max(ends[1]) >= self.asked.upper.0 - SAME
    }
}
