//! `hexapod plot`: pictures of what the robot does.

mod gait;

pub use gait::gait_svg;

use crate::cli::PlotCommand;
use crate::exit::Failure;
use std::path::Path;

/// Draws what was asked for.
///
/// # Errors
/// The robot's files do not hold, or the picture cannot be written.
pub fn plot(what: &PlotCommand) -> Result<(), Failure> {
    match what {
        PlotCommand::Gait(arguments) => write(&arguments.out, &gait::draw(arguments)?),
    }
}

fn write(path: &Path, svg: &str) -> Result<(), Failure> {
    std::fs::write(path, svg).map_err(|error| Failure::Words(format!("{}: {error}", path.display())))?;
    println!("{}", path.display());
    Ok(())
}
