//! The servos of a kit whose servos are on a serial bus, for `servos.yaml`.

use crate::kits::kit::Kit;
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::families::family;
use std::fmt::Write as _;

/// A section that names every joint, its servo's middle in the middle of the joint's range; nothing for servos on boards.
#[must_use]
pub fn bus_text(kit: &Kit, robot: &Robot) -> String {
    let servos = kit.servo.bus.and_then(|(bus, series)| Some((bus, family(bus)?.named(series)?)));
    let Some((bus, series)) = servos else { return String::new() };
    let mut out = format!(
        "\n# The same servos on their bus, where hexapod.yaml has `bus: {bus}` and a `port`. Write the IDs that \
         `hexapod servo scan` shows;\n# `hexapod calibrate` finds directions and zeros (docs/servo_buses.md).\n\
         {bus}:\n  series: {}\n  servos:\n",
        series.name
    );
    let joints = robot.legs().iter().flat_map(Leg::joints);
    for (joint, id) in joints.zip(1..) {
        let middle_rad = 0.5 * (joint.limits().lower + joint.limits().upper);
        let zero = f64::from(series.middle_step) - middle_rad / series.rad_per_step;
        let zero = zero.round().clamp(0.0, f64::from(series.last_step));
        let (name, speed) = (joint.name(), kit.servo.speed_rad_s);
        let _ =
            writeln!(out, "    {name}: {{id: {id}, direction: 1, zero_step: {zero}, speed_limit_rad_s: {speed:.2}}}");
    }
    out
}
