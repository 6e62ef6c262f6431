//! `hexapod plot`: pictures of what the files describe.

mod gait;
mod over_time;
mod run;
mod walk;
mod workspace;

use crate::cli::Plot;
use crate::exit::Failure;
use crate::out::{self, NamedFile};
use std::io::Write;
use std::path::{Path, PathBuf};

pub use gait::gait_svg;

/// Draws a picture to a file, or to standard output.
///
/// # Errors
/// File, line and key of what does not hold; a file that cannot be written.
pub fn plot(what: &Plot) -> Result<(), Failure> {
    match what {
        Plot::Gait(arguments) => write(&arguments.out, || gait::draw(arguments)),
        Plot::Run(arguments) => {
            if !arguments.out.is_empty() {
                out::check_beside(Path::new(&arguments.out), arguments.tables.iter().map(PathBuf::as_path))?;
            }
            write(&arguments.out, || run::draw(arguments))
        }
        Plot::Walk(arguments) => write(&arguments.out, || walk::draw(arguments)),
        Plot::Workspace(arguments) => write(&arguments.out, || workspace::draw(arguments)),
    }
}

/// Writes a picture to the file `to`, or to standard output where that is empty. It is drawn only if it can be written.
fn write(to: &str, draw: impl FnOnce() -> Result<String, Failure>) -> Result<(), Failure> {
    if to.is_empty() {
        return Ok(std::io::stdout().write_all(draw()?.as_bytes())?);
    }
    out::check(Path::new(to))?;
    let svg = draw()?;
    Ok(NamedFile::new(Path::new(to)).write_all(svg.as_bytes())?)
}
