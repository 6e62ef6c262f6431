//! Lines on standard output, as rcutils writes those of other nodes.

use super::entry::{Entry, Severity};
use std::ffi::OsStr;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::MetadataExt;

/// rcutils' own.
const FORMAT: &str = "[{severity}] [{time}] [{name}]: {message}";

/// Where lines are written, and how.
pub(crate) struct Console {
    format: String,
    style: Style,
    to_stderr: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Coloured,
    /// systemd's journal reads the priority off the line (sd-daemon(3)).
    Journal,
}

impl Console {
    /// As the environment asks for: rcutils' variables, and systemd's.
    pub fn of_process() -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let to_stderr = variable("RCUTILS_LOGGING_USE_STDOUT").as_deref() == Some("0");
        let (descriptor, terminal) =
            if to_stderr { (2, std::io::stderr().is_terminal()) } else { (1, std::io::stdout().is_terminal()) };
        let journal = std::env::var_os("JOURNAL_STREAM");
        let style = match variable("RCUTILS_COLORIZED_OUTPUT").as_deref() {
            Some("1") => Style::Coloured,
            _ if is_journal(journal.as_deref(), descriptor) => Style::Journal,
            Some("0") => Style::Plain,
            _ if terminal && variable("NO_COLOR").is_none() => Style::Coloured,
            _ => Style::Plain,
        };
        let format = variable("RCUTILS_CONSOLE_OUTPUT_FORMAT").unwrap_or_else(|| FORMAT.into());
        Self { format, style, to_stderr }
    }

    /// Writes a line; there is nobody to tell if that fails.
    pub fn write(&self, entry: &Entry) {
        let line = self.line(entry);
        let _ = if self.to_stderr {
            std::io::stderr().lock().write_all(line.as_bytes())
        } else {
            let mut out = std::io::stdout().lock();
            out.write_all(line.as_bytes()).and_then(|()| out.flush())
        };
    }

    fn line(&self, entry: &Entry) -> String {
        let text = filled(&self.format, entry);
        match self.style {
            Style::Plain => format!("{text}\n"),
            Style::Coloured => format!("{}{text}\x1b[0m\n", colour(entry.severity)),
            Style::Journal => format!("<{}>{text}\n", priority(entry.severity)),
        }
    }
}

/// The format with what the entry says in its braces; braces that rcutils does not know stay.
fn filled(format: &str, entry: &Entry) -> String {
    let mut line = String::with_capacity(format.len() + entry.text.len() + 64);
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        line.push_str(before);
        let field = after.split_once('}').and_then(|(name, after)| Some((field(name, entry)?, after)));
        match field {
            Some((value, after)) => {
                line.push_str(&value);
                rest = after;
            }
            None => {
                line.push('{');
                rest = after;
            }
        }
    }
    line.push_str(rest);
    line
}

fn field(name: &str, entry: &Entry) -> Option<String> {
    Some(match name {
        "severity" => entry.severity.as_str().into(),
        "name" => entry.name.clone(),
        "message" => entry.text.clone(),
        "time" => format!("{}.{:09}", entry.at.as_secs(), entry.at.subsec_nanos()),
        "time_as_nanoseconds" => format!("{:019}", entry.at.as_nanos()),
        "file_name" => entry.file.into(),
        "function_name" => entry.function.into(),
        "line_number" => entry.line.to_string(),
        _ => return None,
    })
}

fn colour(severity: Severity) -> &'static str {
    match severity {
        Severity::Debug => "\x1b[32m",
        Severity::Info => "\x1b[0m",
        Severity::Warn => "\x1b[33m",
        Severity::Error | Severity::Fatal => "\x1b[31m",
    }
}

/// syslog's (sd-daemon(3)).
fn priority(severity: Severity) -> u8 {
    match severity {
        Severity::Debug => 7,
        Severity::Info => 6,
        Severity::Warn => 4,
        Severity::Error => 3,
        Severity::Fatal => 2,
    }
}

/// Whether a descriptor is the one that `JOURNAL_STREAM` names by device and inode: the variable is inherited by those
/// whose output goes elsewhere, too (systemd.exec(5)).
fn is_journal(stream: Option<&OsStr>, descriptor: u32) -> bool {
    let Ok(open) = std::fs::metadata(format!("/proc/self/fd/{descriptor}")) else { return false };
    stream.and_then(OsStr::to_str) == Some(&format!("{}:{}", open.dev(), open.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn entry(severity: Severity) -> Entry {
        Entry {
            at: Duration::new(1_764_170_000, 12_345_678),
            severity,
            name: "robot1.gait_planner".into(),
            text: "gait {name} changed".into(),
            file: "inbox.rs",
            function: "gait_planner::inbox",
            line: 7,
        }
    }

    fn line(style: Style, format: &str, severity: Severity) -> String {
        Console { format: format.into(), style, to_stderr: false }.line(&entry(severity))
    }

    #[test]
    fn when_a_line_is_written_expect_what_rcutils_would_write() {
        let plain = "[INFO] [1764170000.012345678] [robot1.gait_planner]: gait {name} changed";
        assert_eq!(line(Style::Plain, FORMAT, Severity::Info), format!("{plain}\n"));
        assert_eq!(line(Style::Journal, FORMAT, Severity::Info), format!("<6>{plain}\n"));
        let red = line(Style::Coloured, FORMAT, Severity::Error);
        assert!(red.starts_with("\x1b[31m[ERROR] [") && red.ends_with("changed\x1b[0m\n"), "{red:?}");
    }

    #[test]
    fn when_another_format_is_asked_for_expect_it_and_unknown_braces_left() {
        let format = "{time_as_nanoseconds} {file_name}:{line_number} {function_name} {what} {severity";
        let expected = "1764170000012345678 inbox.rs:7 gait_planner::inbox {what} {severity\n";
        assert_eq!(line(Style::Plain, format, Severity::Warn), expected);
    }

    #[test]
    fn when_the_journal_is_another_stream_expect_no_priorities() {
        let open = std::fs::metadata("/proc/self/fd/1").unwrap();
        let this = format!("{}:{}", open.dev(), open.ino());
        assert!(is_journal(Some(this.as_ref()), 1));
        assert!(!is_journal(Some("1:2".as_ref()), 1) && !is_journal(None, 1));
    }
}
