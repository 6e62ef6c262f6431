//! Whether the robot stays upright when it stands on all its feet.

use crate::params::wrong;
use crate::planner;
use crate::robot::Description;
use hexapod_config::ConfigError;
use hexapod_config::ros_params::Params;
use hexapod_gait::Engine;
use hexapod_kinematics::Leg;

/// A robot that stands with less than this part of its shortest leg between its centre of mass and the edge of its feet is
/// not balanced by any builder.
const LEAST_FRACTION: f64 = 0.02;

/// A knee that is lower than the ground by more than this part of the leg's length would be in it.
const MOST_BURIED: f64 = 0.005;

/// Refuses a robot that would stand on its knees, or put them into the ground where it lifts its feet.
///
/// # Errors
/// The last joint of the leg that does.
pub(crate) fn check_knees(description: &Description, engine: &Engine) -> Result<(), ConfigError> {
    let buried = engine.lowest_knee().filter(|(leg, below_m)| *below_m > MOST_BURIED * leg.length());
    let Some((leg, below_m)) = buried else { return Ok(()) };
    let joint = leg.joints().last().map_or("", |joint| joint.name());
    let message = format!(
        "leg {} would stand or step on its knee: a joint of it would be {:.1} mm below the ground",
        leg.name(),
        below_m * 1e3
    );
    let help = "look at the axes and limits of its joints: where the axes of one side are mirrored, its limits are, too, as in \
                lower=\"-2.6\" upper=\"-0.2\" for 0.2 to 2.6; or choose another body_height in hexapod.yaml";
    Err(description.origin.at_joint(description.robot.model(), joint, "limit", (message, help.into())))
}

/// Refuses a robot whose centre of mass is outside its feet, or at their edge, while it stands.
///
/// # Errors
/// The legs that are switched off, else those that were listed, else the first joint of the first leg.
pub(crate) fn check_upright(params: &Params, description: &Description, engine: &Engine) -> Result<(), ConfigError> {
    let margin_m = engine.standing_margin();
    let shortest_m = engine.legs().iter().map(Leg::length).fold(f64::INFINITY, f64::min);
    if margin_m >= LEAST_FRACTION * shortest_m {
        return Ok(());
    }
    let place = match margin_m {
        f64::NEG_INFINITY => "its feet are in one line".into(),
        ..0.0 => format!("its centre of mass is {:.1} mm outside its feet", -margin_m * 1e3),
        _ => format!("its centre of mass is only {:.1} mm inside its feet", margin_m * 1e3),
    };
    let message = format!("the robot would tip over while standing: {place}");
    if engine.lacks_legs() {
        let help = "leave legs on that stand all around the centre of mass";
        return Err(wrong(planner::NODE, params, "disabled_legs", message, help));
    }
    let help = "list legs that stand all around the centre of mass";
    if let Some(error) = description.at_written("legs", &message, help) {
        return Err(error);
    }
    let hip = engine.legs().first().and_then(|leg| leg.joints().first()).map_or("", |joint| joint.name());
    let help = if description.robot.model().total_mass() > 0.0 {
        "legs must stand all around the centre of mass: look at the origins of their first joints, at the masses and origins of \
         <inertial>, and at legs that are missing above"
    } else {
        "legs must stand all around the centre of mass: no link has a mass, so the origin of the root link is taken for it; \
         give the body its <inertial>, or look at the origins of the legs' first joints"
    };
    Err(description.origin.at_joint(description.robot.model(), hip, "origin", (message, help.into())))
}
