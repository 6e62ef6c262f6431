//! A robot that walks, as a picture that moves.

use super::gait::{prepared, record};
use crate::cli::GaitArgs;
use crate::exit::Failure;
use crate::setups::parameters_of;
use hexapod_gait::{Engine, Tick};
use hexapod_plot::{Film, PictureOptions, robot_film};

/// Fraction of the fastest walk the gait's stroke allows.
const SPEED_FRACTION: f64 = 0.7;
/// Frames of a cycle. Twice as many would be smoother, and twice as large.
const FRAMES: usize = 20;
const SIZE_PX: [f64; 2] = [760.0, 440.0];
/// Coarser than in a picture that stands still: it is not seen, and makes a smaller file.
const FLAT_M: f64 = 0.012;

/// Reads the robot's files and draws how it walks straight ahead with one of its gaits.
///
/// # Errors
/// As [`super::gait::draw`].
pub(super) fn draw(arguments: &GaitArgs) -> Result<String, Failure> {
    let all = parameters_of(&arguments.files)?.with_gait(arguments.gait.as_deref());
    let urdf = state_publisher::Setup::load(&all.publisher)?.description.urdf;
    let (mut engine, name) = prepared(arguments, &all)?;
    let cycle = record(&mut engine, SPEED_FRACTION).map_err(Failure::Words)?;
    let cycle_s = engine.gait().cycle_time();
    let speed = cycle.first().map_or(0.0, |tick| tick.twist.vx);
    let film = Film { frames: frames(&engine, &cycle), cycle_s, walked_m: speed * cycle_s };
    let [width_px, height_px] = SIZE_PX;
    let title = format!("{} walks: {name}, {speed:.2} m/s", engine.robot().model().name());
    let options = PictureOptions { title, width_px, height_px, flat_m: FLAT_M, ..PictureOptions::default() };
    robot_film(&urdf, &film, &options).map_err(|error| Failure::Words(error.to_string()))
}

/// The joints' positions, by name, evenly spaced over the cycle.
fn frames<'e>(engine: &'e Engine, cycle: &[Tick]) -> Vec<Vec<(&'e str, f64)>> {
    let positions = |tick: &Tick| {
        let legs = engine.legs().iter().zip(tick.angles);
        legs.flat_map(|(leg, angles)| {
            leg.joints().iter().map(|joint| joint.name()).zip(angles.iter().copied().collect::<Vec<_>>())
        })
        .collect()
    };
    (0..FRAMES).filter_map(|frame| cycle.get(frame * cycle.len() / FRAMES)).map(positions).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::gait::tests::shipped;

    #[test]
    fn when_the_shipped_robot_walks_expect_a_moving_picture_that_is_the_same_each_time() {
        let drawn = draw(&shipped(None)).unwrap();
        assert_eq!(drawn, draw(&shipped(None)).unwrap());
        assert!(drawn.contains("@keyframes") || drawn.contains("<animate"), "it moves");
        assert!(drawn.len() < 2_000_000, "{} bytes", drawn.len());
    }

    #[test]
    fn when_a_robot_walks_expect_every_joint_to_move_from_frame_to_frame_and_back_in_a_cycle() {
        let arguments = shipped(Some("ripple"));
        let (mut engine, _) = prepared(&arguments, &parameters_of(&arguments.files).unwrap()).unwrap();
        let cycle = record(&mut engine, SPEED_FRACTION).unwrap();
        let frames = frames(&engine, &cycle);
        assert_eq!((frames.len(), frames[0].len()), (FRAMES, 18));
        for joint in 0..18 {
            let at: Vec<f64> = frames.iter().map(|frame| frame[joint].1).collect();
            let steps = |index: usize| (at[(index + 1) % FRAMES] - at[index]).abs();
            let largest = (0..FRAMES).map(steps).fold(0.0, f64::max);
            assert!(largest > 1e-3, "{} moves", frames[0][joint].0);
            assert!(steps(FRAMES - 1) <= largest, "{} goes on where it began", frames[0][joint].0);
        }
    }
}
