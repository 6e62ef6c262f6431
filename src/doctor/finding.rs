//! What is said of a machine, and what mends it.

use std::fmt::Write;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Ok,
    /// The robot walks all the same.
    Note,
    /// The robot does not walk, or not safely.
    Problem,
}

/// A line of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// What it is about.
    pub about: &'static str,
    /// What was found.
    pub says: String,
    /// What to type or do; empty if nothing.
    pub cure: String,
}

impl Finding {
    /// As it should be.
    pub fn ok(about: &'static str, says: impl Into<String>) -> Self {
        Self { level: Level::Ok, about, says: says.into(), cure: String::new() }
    }

    /// Worth knowing, and how to change it.
    pub fn note(about: &'static str, says: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { level: Level::Note, about, says: says.into(), cure: cure.into() }
    }

    /// In the way, and its cure.
    pub fn problem(about: &'static str, says: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { level: Level::Problem, about, says: says.into(), cure: cure.into() }
    }

    /// For people: a line, and its cure on the next.
    #[must_use]
    pub fn line(&self, is_coloured: bool) -> String {
        let (word, colour) = match self.level {
            Level::Ok => ("ok", "32"),
            Level::Note => ("note", "33"),
            Level::Problem => ("problem", "1;31"),
        };
        let word = format!("{word:<8}");
        let word = if is_coloured { format!("\x1b[{colour}m{word}\x1b[0m") } else { word };
        let mut line = format!("{word} {:<10} {}", self.about, self.says);
        for cure in self.cure.lines() {
            let _ = write!(line, "\n{:20}-> {cure}", "");
        }
        line
    }
}
