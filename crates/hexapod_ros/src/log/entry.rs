//! A line of the log.

use crate::clock::to_stamp;
use r2r::rcl_interfaces::msg::Log;
use std::time::Duration;
use tracing::Level;
use tracing::level_filters::LevelFilter;

/// How bad it is, as rcl_interfaces/Log counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Debug = 10,
    Info = 20,
    Warn = 30,
    Error = 40,
    Fatal = 50,
}

impl Severity {
    pub const ALL: [Self; 5] = [Self::Debug, Self::Info, Self::Warn, Self::Error, Self::Fatal];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
            Self::Fatal => "FATAL",
        }
    }
}

impl From<&Level> for Severity {
    fn from(level: &Level) -> Self {
        match *level {
            Level::ERROR => Self::Error,
            Level::WARN => Self::Warn,
            Level::INFO => Self::Info,
            _ => Self::Debug,
        }
    }
}

impl From<Severity> for LevelFilter {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Debug => Self::DEBUG,
            Severity::Info => Self::INFO,
            Severity::Warn => Self::WARN,
            Severity::Error => Self::ERROR,
            Severity::Fatal => Self::OFF,
        }
    }
}

/// One event in words.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// When, since 1970.
    pub at: Duration,
    pub severity: Severity,
    /// Name of the node's logger.
    pub name: String,
    /// On one line, of bounded length.
    pub text: String,
    pub file: &'static str,
    /// The module: tracing does not know the function.
    pub function: &'static str,
    pub line: u32,
}

impl From<&Entry> for Log {
    fn from(entry: &Entry) -> Self {
        Self {
            stamp: to_stamp(entry.at),
            level: entry.severity as u8,
            name: entry.name.clone(),
            msg: entry.text.clone(),
            file: entry.file.into(),
            function: entry.function.into(),
            line: entry.line,
        }
    }
}
