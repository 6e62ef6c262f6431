//! Draws the robot of the README in the middle of a tripod step: `robot URDF [light|dark] > picture.svg`.

use anyhow::{Context, Result};
use hexapod_plot::{PictureOptions, Polyline, Rgb, Theme, link_poses, robot_picture};
use nalgebra::Point3;
use std::f64::consts::PI;

/// Femur and tibia of a leg that stands, and of one in mid-swing (rad).
const STANCE: (f64, f64) = (0.578, -1.977);
const SWING: (f64, f64) = (1.199, -2.352);
/// Length and height of a step (m).
const STRIDE_M: f64 = 0.07;
const STEP_HEIGHT_M: f64 = 0.035;
const LEGS: [(&str, bool); 6] = [
    ("left_front", true),
    ("left_middle", false),
    ("left_rear", true),
    ("right_front", false),
    ("right_middle", true),
    ("right_rear", false),
];

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("usage: robot URDF [light|dark]")?;
    let theme = if std::env::args().nth(2).as_deref() == Some("dark") { Theme::Dark } else { Theme::Light };
    let urdf = std::fs::read_to_string(&path).with_context(|| path.clone())?;
    let standing = named(&LEGS.map(|(leg, _)| (leg, STANCE)));
    let stepping = named(&LEGS.map(|(leg, swings)| (leg, if swings { SWING } else { STANCE })));

    let robot = urdf_rs::read_from_string(&urdf)?;
    let poses = link_poses(&robot, &borrowed(&standing))?;
    let mut polylines = Vec::new();
    for (leg, swings) in LEGS {
        let foot = poses.get(format!("{leg}_foot").as_str()).context("the robot has no foot links")?;
        polylines.push(step_path(&Point3::from(foot.translation.vector), swings));
    }
    let title = "The hexapod in the middle of a tripod step: three feet on the ground, three in the air".to_owned();
    let options = PictureOptions { title, theme, polylines, ..PictureOptions::default() };
    print!("{}", robot_picture(&urdf, &borrowed(&stepping), &options)?);
    Ok(())
}

fn named(legs: &[(&str, (f64, f64))]) -> Vec<(String, f64)> {
    let joints =
        legs.iter().map(|(leg, (femur, tibia))| [(format!("{leg}_femur"), *femur), (format!("{leg}_tibia"), *tibia)]);
    joints.flatten().collect()
}

fn borrowed(joints: &[(String, f64)]) -> Vec<(&str, f64)> {
    joints.iter().map(|(name, position)| (name.as_str(), *position)).collect()
}

/// The path of a foot walking straight ahead: an arch in the air, or a line on the ground.
fn step_path(foot: &Point3<f64>, swings: bool) -> Polyline {
    let points = (0..=24).map(|step| {
        let part = f64::from(step) / 24.0;
        let lift = if swings { STEP_HEIGHT_M * (PI * part).sin() } else { 0.0 };
        Point3::new(foot.x + STRIDE_M * (part - 0.5), foot.y, foot.z + lift)
    });
    let colour = Rgb::hex(if swings { 0x1f86d1 } else { 0xd0642a });
    Polyline { points: points.collect(), colour, width_m: 0.0028, dashed: false }
}
