//! Touch inputs under feet, in the section `servo2040` of `servos.yaml`.

use hexapod_config::ros_params::hint_for;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::calibration::{RawTouch, ServoFile, TOUCH_INPUTS, Touch};

const PATH: &str = "servo2040.touch";

/// Checks which leg has which input, and when it is pressed.
pub(crate) fn check_touch(document: &Document, raw: &RawTouch, robot: &Robot, faults: &mut Faults) -> Touch {
    let legs: Vec<&str> = robot.legs().iter().map(Leg::name).collect();
    if raw.inputs.is_empty() {
        let help = "give each leg that has a switch its input, as in inputs: {left_front: 0}, or take `touch` out";
        faults.add(document.error_at(&format!("{PATH}.inputs"), "no leg has a touch input", help));
    }
    for (at, (leg, input)) in raw.inputs.iter().enumerate() {
        let path = format!("{PATH}.inputs.{leg}");
        let earlier = &raw.inputs[..at];
        let other = earlier.iter().find(|(_, taken)| taken == input);
        if !legs.contains(&leg.as_str()) {
            faults.add(document.error_at(&path, "the robot has no such leg", hint_for(leg, &legs)));
        } else if earlier.iter().any(|(name, _)| name == leg) {
            faults.add(document.error_at(&path, format!("leg `{leg}` is listed twice"), "name every leg once"));
        } else if usize::try_from(*input).is_err() || *input >= TOUCH_INPUTS as i64 {
            let message = format!("touch input {input} does not exist");
            let help = format!("the board has inputs 0 to {}, printed as 1 to {TOUCH_INPUTS}", TOUCH_INPUTS - 1);
            faults.add(document.error_at(&path, message, help));
        } else if let Some((other, _)) = other {
            let message = format!("touch input {input} is already that of leg `{other}`");
            faults.add(document.error_at(&path, message, "give every leg an input of its own"));
        }
    }
    if !raw.has_threshold() {
        let message = "an input never has this voltage";
        faults.add(document.error_at(&format!("{PATH}.threshold_v"), message, "give volts between 0 and 3.3, as 1.65"));
    }
    raw.of_legs(&legs)
}

/// The section of a Servo2040.
pub(crate) const SERVO2040: &str = "servo2040";

/// That there is one.
pub(crate) fn need_servo2040(document: &Document, file: &ServoFile) -> Result<(), ConfigError> {
    if file.has_servo2040() {
        return Ok(());
    }
    let message = format!("there is no section `{SERVO2040}`, and bus {SERVO2040} needs one");
    let help =
        format!("give every joint its channel, as in {SERVO2040}: {{servos: {{left_front_coxa: {{channel: 0}}}}}}");
    Err(document.error_at("", message, help))
}
