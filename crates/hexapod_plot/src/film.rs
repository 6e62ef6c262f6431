//! The robot in motion: one cycle, over and over, in a single SVG file that moves wherever it is shown as an image.

use crate::error::PlotError;
use crate::picture::{PictureOptions, Stage, bodies};
use crate::scene::place_visuals;
use crate::svg::{Svg, number};

/// One cycle of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Film<'f> {
    /// Joint positions (rad or m; zero where not named), evenly spaced over the cycle.
    pub frames: Vec<Vec<(&'f str, f64)>>,
    /// How long the cycle takes (s).
    pub cycle_s: f64,
    /// How far the robot walks ahead in a cycle (m); the ground goes back by as much.
    pub walked_m: f64,
}

/// The robot of a URDF in motion, seen by somebody who goes along. The grid's spacing is changed a little, so that the
/// ground looks the same after each cycle. Who has asked their system for less motion sees the first frame.
///
/// # Errors
/// As [`crate::robot_picture`].
pub fn robot_film(urdf: &str, film: &Film, options: &PictureOptions) -> Result<String, PlotError> {
    let robot = urdf_rs::read_from_string(urdf)?;
    let grid_m = in_step(options.grid_m, film.walked_m);
    let options = PictureOptions { grid_m, ..options.clone() };
    let scene = |frame: &Vec<(&str, f64)>| Ok(bodies(&place_visuals(&robot, frame)?, &options));
    let scenes = film.frames.iter().map(scene).collect::<Result<Vec<_>, PlotError>>()?;
    let stage = Stage::around(&scenes.iter().collect::<Vec<_>>(), &options);

    let background = options.theme.background();
    let mut svg = Svg::new(options.width_px, options.height_px, &options.title, background).coarse();
    svg.style(&style(scenes.len(), film.cycle_s));
    stage.draw_floor(&mut svg);
    let count = scenes.len() as f64;
    for (index, scene) in scenes.into_iter().enumerate() {
        let fraction = index as f64 / count;
        let delay = format!("animation-delay:{}s", number((fraction - 1.0) * film.cycle_s));
        svg.open_group(&[("class", "frame"), ("style", &delay)]);
        stage.draw_grid(&mut svg, fraction * film.walked_m);
        stage.draw_bodies(&mut svg, scene);
        svg.close_group();
    }
    stage.draw_axes(&mut svg);
    Ok(svg.finish())
}

/// The spacing next to `grid_m` of which a walk is a multiple.
fn in_step(grid_m: f64, walked_m: f64) -> f64 {
    let cells = (walked_m.abs() / grid_m).round();
    if cells >= 1.0 { walked_m.abs() / cells } else { grid_m }
}

/// Each frame is seen for its part of the cycle. A negative delay starts a frame in the middle of its cycle.
fn style(frames: usize, cycle_s: f64) -> String {
    let fraction = 100.0 / frames.max(1) as f64;
    format!(
        ".frame{{visibility:hidden;animation:frame {}s step-end infinite}}\
         @keyframes frame{{0%{{visibility:visible}}{fraction:.4}%{{visibility:hidden}}}}\
         @media(prefers-reduced-motion:reduce){{.frame{{animation:none}}.frame:first-of-type{{visibility:visible}}}}",
        number(cycle_s)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_ground_has_gone_back_a_cycle_expect_its_lines_where_they_were() {
        for walked_m in [0.02, 0.06, 0.11, 0.13, -0.2] {
            let grid_m = in_step(0.05, walked_m);
            assert!((0.03..0.08).contains(&grid_m));
            let cells = walked_m / grid_m;
            assert!(walked_m == 0.02 || (cells - cells.round()).abs() < 1e-9, "{walked_m}");
        }
        assert_eq!(in_step(0.05, 0.0), 0.05);
    }
}
