//! Servos that files give to joints that have none: a joint that mimics another is moved by that joint's servo.

use hexapod_kinematics::{Joint, Robot};

/// Why a joint that mimics one of a leg has no servo, and what to do.
pub(crate) fn not_a_motor(robot: &Robot, joint: &str) -> Option<(String, String)> {
    let model = robot.model();
    let mimic = model.joints().get(model.joint_index(joint)?)?.mimic()?;
    let source = model.joints().get(mimic.joint).map_or("", Joint::name);
    robot.joint_place(source)?;
    let found = format!("joint `{joint}` has no servo of its own: it mimics `{source}`, whose servo moves it");
    Some((found, format!("remove this entry; the servo is that of `{source}`")))
}
