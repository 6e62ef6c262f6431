//! The text of a file, with its name.

/// The text of a configuration file and the name by which errors call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What errors print before the line number, usually the path as the user gave it.
    pub name: String,
    /// The text, UTF-8.
    pub text: String,
}

impl Source {
    /// Text that is already in memory.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}
