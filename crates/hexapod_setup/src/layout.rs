//! How the legs stand around the body.

use crate::origin::Origin;
use hexapod_config::ConfigError;
use hexapod_kinematics::{Leg, Robot};
use nalgebra::{Matrix2, Vector2, Vector3};

/// Feet that are all nearer to one line than this part of a leg's length hold nothing up.
const THIN: f64 = 0.05;
/// Hips are higher apart than they are wide where the base link lies on its side.
const ON_SIDE: f64 = 2.0;

/// Refuses legs that are all in one place or in one line.
///
/// # Errors
/// The first joint of the first leg.
pub(crate) fn check_apart(origin: &Origin, robot: &Robot) -> Result<(), ConfigError> {
    let legs = robot.legs();
    let feet: Vec<Vector2<f64>> = legs.iter().map(|leg| leg.foot_in_body(&leg.posture()).xy()).collect();
    let middle = feet.iter().sum::<Vector2<f64>>() / feet.len().max(1) as f64;
    let spread: Matrix2<f64> = feet.iter().map(|foot| (foot - middle) * (foot - middle).transpose()).sum();
    let spread = (spread / feet.len().max(1) as f64).symmetric_eigenvalues().map(|square| square.max(0.0).sqrt());
    let length = legs.iter().map(Leg::length).fold(f64::INFINITY, f64::min);
    if spread.min() > THIN * length || is_on_side(robot).is_some() {
        return Ok(());
    }
    let Some(hip) = legs.first().and_then(|leg| leg.joints().first()) else { return Ok(()) };
    let shape = if spread.max() > THIN * length { "nearly in one line" } else { "in one place" };
    let message = format!("the feet of all {} legs are {shape}: the robot falls over", legs.len());
    let help = "give the first joint of each leg the place of its hip on the body: legs stand around it, x ahead and y to \
                the left";
    Err(origin.at_joint(robot.model(), hip.name(), "origin", (message, help.into())))
}

/// The axis of the root link that is up, where that is not z.
pub(crate) fn is_on_side(robot: &Robot) -> Option<&'static str> {
    let hips: Vec<Vector3<f64>> = robot.legs().iter().map(Leg::hip_in_body).collect();
    let wide = |axis: usize| {
        let along = || hips.iter().map(|hip| hip[axis]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    let (thin, axis) = if wide(0) < wide(1) { (wide(0), "x") } else { (wide(1), "y") };
    (wide(2) > ON_SIDE * thin).then_some(axis)
}
