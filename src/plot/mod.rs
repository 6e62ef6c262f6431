//! `hexapod plot`: pictures of what the files describe.

mod gait;
mod walk;
mod workspace;

use crate::cli::{FileArgs, RunArgs};
use crate::composed::{AllParams, parameters};
use crate::exit::Failure;
use clap::Subcommand;
use std::io::Write;
use std::path::Path;

pub use gait::{GaitArgs, gait_svg};
pub use workspace::WorkspaceArgs;

/// What to draw.
#[derive(Debug, Subcommand)]
pub enum Plot {
    /// One cycle of a gait: footfalls, paths of the feet, joint angles, stability margin.
    Gait(GaitArgs),
    /// Where each foot can go with the body at a height, and how far it can stride in each direction.
    Workspace(WorkspaceArgs),
    /// The robot as it walks, as a picture that moves.
    Walk(GaitArgs),
}

/// Draws a picture to a file, or to standard output.
///
/// # Errors
/// File, line and key of what does not hold; a file that cannot be written.
pub fn plot(what: &Plot) -> Result<(), Failure> {
    match what {
        Plot::Gait(arguments) => write(&arguments.out, &gait::draw(arguments)?),
        Plot::Walk(arguments) => write(&arguments.out, &walk::draw(arguments)?),
        Plot::Workspace(arguments) => workspace::plot(arguments),
    }
}

/// All parameters as the files have them.
fn parameters_of(files: &FileArgs) -> Result<AllParams, Failure> {
    parameters(&RunArgs { files: files.clone(), ..RunArgs::default() })
}

/// Writes a picture to `out`, or to standard output where that is empty.
fn write(out: &str, svg: &str) -> Result<(), Failure> {
    if out.is_empty() {
        return Ok(std::io::stdout().write_all(svg.as_bytes())?);
    }
    std::fs::write(Path::new(out), svg).map_err(|error| Failure::Running(format!("{out}: {error}")))
}
