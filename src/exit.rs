//! How a process says why it ends: 0 in order, 1 something failed, 2 the input does not hold.

use hexapod_config::ConfigError;
use hexapod_ros::{RosError, log, middleware_hangs};
use signal_hook::low_level;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write, stderr};
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;

/// How long a node that ends waits for whoever reads its last words.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Exit statuses.
const SUCCESS: u8 = 0;
const FAILED: u8 = 1;
const WRONG_INPUT: u8 = 2;

/// Why a process ends.
#[derive(Debug)]
pub enum Failure {
    /// Files, parameters or arguments do not hold.
    Input(ConfigError),
    /// The same, where there is no file to point into.
    Words(String),
    /// Something failed while running.
    Running(String),
    /// Nobody reads what is written, as after `| head`.
    Unread,
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Input(error)
    }
}

impl From<RosError> for Failure {
    fn from(error: RosError) -> Self {
        match error {
            RosError::Arguments(_) | RosError::Parameter { .. } => Self::Words(error.to_string()),
            other => Self::Running(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe { Self::Unread } else { Self::Running(error.to_string()) }
    }
}

/// Writes a line on standard output.
///
/// # Errors
/// Nobody reads it any more, or it cannot be written.
pub fn say(words: impl Display) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{words}")?)
}

/// Sees to it that ROS has a folder for its log files, without which it does not start. To be called while there is one thread.
pub fn take_log_folder() {
    if let Some(words) = hexapod_middleware::take_log_folder() {
        tell(&format!("{words}\n"));
    }
}

/// Ends the process, after its failure has been reported on standard error. Its work is done, and its nodes have left the
/// graph. Not by the way of destructors: threads that the middleware has not given back in time would go on with what
/// those of its libraries free, and the process would end by a signal.
pub fn end(result: Result<(), Failure>) -> ! {
    log::flush();
    let (code, words) = match result {
        Ok(()) | Err(Failure::Unread) => (SUCCESS, String::new()),
        Err(Failure::Input(error)) => (WRONG_INPUT, faults(error, is_coloured(&stderr()))),
        Err(Failure::Words(words)) => (WRONG_INPUT, labelled(&words)),
        Err(Failure::Running(words)) => (FAILED, labelled(&words)),
    };
    if middleware_hangs() {
        tracing::warn!("a thread of the middleware hangs: this process is ended by force");
        log::flush();
    }
    let write = move || {
        tell(&words);
        // Nobody may be there to read it.
        let _ = std::io::stdout().flush();
    };
    if log::is_on() {
        without_waiting_long(write)
    } else {
        write()
    }
    low_level::exit(code.into())
}

/// Does what may never end: whoever reads what a node writes may have stopped, as `less` does, or Ctrl-S, and a node is not to
/// wait for that.
fn without_waiting_long(write: impl FnOnce() + Send + 'static) {
    let (done, is_done) = sync_channel(1);
    let work = move || {
        write();
        let _ = done.send(());
    };
    if Builder::new().name("last-words".into()).spawn(work).is_ok() {
        let _ = is_done.recv_timeout(LAST_WORDS);
    }
}

/// Each fault with its place and the line at fault, and how many there are.
fn faults(error: ConfigError, coloured: bool) -> String {
    let error = error.in_order();
    let mut reported: String =
        error.each().map(|error| format!("{} {error}\n{}\n", label(coloured), error.drawn())).collect();
    let count = error.each().count();
    if count > 1 {
        reported.push_str(&format!("{count} errors\n"));
    }
    reported
}

fn labelled(words: &str) -> String {
    format!("{} {words}\n", label(is_coloured(&stderr())))
}

fn label(coloured: bool) -> &'static str {
    if coloured { "\x1b[1;31merror:\x1b[0m" } else { "error:" }
}

/// Whether colours are welcome on a stream: on a terminal, unless NO_COLOR says otherwise.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !refused
}

/// Writes on standard error; there is nobody to tell if that fails.
fn tell(words: &str) {
    let _ = stderr().write_all(words.as_bytes());
}

/// Warnings of a tool, on standard error: its own words say the rest. `RUST_LOG` chooses others. Nodes log as ROS does ([`hexapod_ros::log`]).
pub fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn,r2r=off".into());
    let format = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(is_coloured(&stderr()));
    let _ = format.with_writer(stderr).without_time().try_init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_much_is_wrong_expect_each_fault_once_and_their_number_without_colours() {
        let error = |key: &str| ConfigError::whole_file("a.yaml", format!("{key} is wrong"), "mend it");
        let reported = faults(error("one").and(error("two")).and(error("one")), false);
        assert_eq!(reported.matches("error:").count(), 2, "{reported}");
        assert_eq!(reported.matches("mend it").count(), 2, "{reported}");
        assert!(reported.ends_with("2 errors\n") && !reported.contains('\x1b'), "{reported}");
        assert!(faults(error("one"), true).starts_with("\x1b[1;31merror:\x1b[0m a.yaml: one is wrong\n"));
    }

    #[test]
    fn when_nobody_reads_expect_a_quiet_end() {
        let closed = std::io::Error::from(ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(closed), Failure::Unread));
    }
}
