//! `hexapod sim`: a list of commands walked in physics as fast as the computer can, and a table of what came of it.

mod columns;
mod misfortune;
mod moment;
mod monitor;
mod results;
mod senses;
mod sight;
mod stack;
mod sweep;
mod table;
mod tally;
mod walk;

pub use table::HEADER;

use crate::cli::SimArgs;
use crate::commands;
use crate::exit::Failure;
use crate::out::{self, NamedFile};
use crate::spinner::Spinner;
use hexapod_ros::Shutdown;
use std::io::Write;
use std::path::Path;
use walk::run;

/// Walks the commands of a file in physics, writes a line of CSV for every tick and says what came of it.
///
/// # Errors
/// The robot's files or the commands do not hold, the robot does not come to stand, or the result cannot be written.
pub fn sim(arguments: &SimArgs) -> Result<(), Failure> {
    if !arguments.headless && arguments.merge.is_empty() {
        let live =
            "for a robot in real time to watch and to drive: hexapod run --bus physics, or hexapod demo --terrain NAME";
        return Err(Failure::Words(format!("give --headless to walk the commands as fast as can be; {live}")));
    }
    let to_standard_output = arguments.out.as_os_str() == "-";
    if !to_standard_output {
        let read = [&*arguments.commands, Path::new(&arguments.terrain)];
        out::check_beside(&arguments.out, arguments.files.given().into_iter().chain(read))?;
    }
    if !arguments.merge.is_empty() {
        return results::merge(&arguments.merge, &arguments.out);
    }
    let list = commands::read(&arguments.commands)?;
    let shutdown = Shutdown::on_signals().map_err(|error| Failure::Running(error.to_string()))?;
    if !arguments.sweep.is_empty() || arguments.seeds > 1 || arguments.shard.is_some() {
        sweep::sweep(arguments, &list, &shutdown)?;
    } else if to_standard_output {
        let outcome = run(arguments, &list, &shutdown, std::io::stdout().lock())?.outcome();
        write!(std::io::stderr(), "{outcome}")?;
    } else {
        let file = NamedFile::new(&arguments.out);
        let waiting = Spinner::on_terminal("walking in physics");
        let outcome = run(arguments, &list, &shutdown, std::io::BufWriter::new(file))?.outcome();
        drop(waiting);
        let table = arguments.out.display();
        writeln!(std::io::stdout(), "{outcome}table    {table}; hexapod plot run {table} --out run.svg draws it")?;
    }
    if shutdown.is_running() {
        return Ok(());
    }
    Err(Failure::Running(format!("{}: the commands that were left were not walked", shutdown.reason())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_the_table_cannot_be_written_expect_it_refused_before_anything_is_read() {
        let arguments = SimArgs { headless: true, out: std::env::temp_dir(), ..SimArgs::default() };
        match sim(&arguments) {
            Err(Failure::Words(words)) => assert!(words.contains("is a folder"), "{words}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn when_it_is_not_asked_to_be_headless_expect_what_shows_a_robot() {
        match sim(&SimArgs::default()) {
            Err(Failure::Words(words)) => assert!(words.contains("hexapod run --bus physics"), "{words}"),
            other => panic!("{other:?}"),
        }
    }
}
