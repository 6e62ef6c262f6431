//! Each leg in words, and all of them in a picture.

use hexapod_gait::{Engine, leg_places};
use hexapod_kinematics::{Leg, LegAngles, Slice};
use hexapod_plot::{LegsChart, StandingLeg};
use nalgebra::Vector3;
use std::fmt::Write;

/// Grid cells along a leg's length.
const CELLS: f64 = 80.0;

/// A line for each leg with its side, where it stands and its joints, and one that says what its foot is and why.
#[must_use]
pub fn legs_table(engine: &Engine) -> String {
    let mut out = format!("{:<20} {:<6} {:>22} {:>8}  joints\n", "leg", "side", "foot stands at (mm)", "length");
    let height = engine.stance().spec().height;
    for ((leg, side), foot) in engine.robot().legs().iter().zip(sides(engine)).zip(engine.rest_feet()) {
        let joints: Vec<&str> = leg.joints().iter().map(|joint| joint.name()).collect();
        let at = format!("{:.0} {:.0} {:.0}", foot.x * 1e3, foot.y * 1e3, -height * 1e3);
        let (name, length) = (leg.name(), format!("{:.0} mm", leg.length() * 1e3));
        let _ = writeln!(out, "{name:<20} {side:<6} {at:>22} {length:>8}  {}", joints.join(" "));
        let _ = writeln!(out, "{:<20} foot   {}", "", leg.foot_reason());
    }
    out
}

fn sides(engine: &Engine) -> Vec<&'static str> {
    leg_places(engine.robot()).iter().map(|place| if place.left { "left" } else { "right" }).collect()
}

/// The picture's data: the robot standing.
#[must_use]
pub fn legs_chart(engine: &Engine) -> LegsChart {
    let (robot, height) = (engine.robot(), engine.stance().spec().height);
    let legs = robot.legs().iter().zip(sides(engine)).zip(engine.rest_feet());
    LegsChart {
        title: format!("{}: {} legs", robot.model().name(), robot.legs().len()),
        subtitle: format!(
            "standing, the body's origin {:.0} mm above the feet · filled: where each foot can go on the ground",
            height * 1e3
        ),
        legs: legs
            .map(|((leg, side), foot)| StandingLeg {
                name: format!("{} ({side})", leg.name()),
                points: points(engine, leg, &Vector3::new(foot.x, foot.y, -height)),
                border: Slice::new(leg, -height, leg.length() / CELLS).border(),
            })
            .collect(),
        ..LegsChart::default()
    }
}

/// The leg's joints and its foot, with the foot at rest.
fn points(engine: &Engine, leg: &Leg, foot: &Vector3<f64>) -> Vec<[f64; 3]> {
    let model = engine.robot().model();
    let angles: LegAngles = leg.inverse(foot, &leg.posture()).unwrap_or_else(|_| leg.posture());
    let mut positions = vec![0.0; model.position_count()];
    for (joint, &angle) in leg.joints().iter().zip(angles.iter()) {
        if let Some(position) = positions.get_mut(joint.position_index()) {
            *position = angle;
        }
    }
    let origin = |index: usize| {
        let child = model.joints().get(index).map_or(0, |joint| joint.child());
        model.base_from_link(child, &positions).translation.vector.into()
    };
    let mut points: Vec<[f64; 3]> = leg.joints().iter().map(|joint| origin(joint.joint_index())).collect();
    points.push(leg.foot_in_body(&angles).into());
    points
}
