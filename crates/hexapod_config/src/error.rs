//! The one error of this crate: where, which key, what is wrong, what would be right.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::source::Source;

/// Longest message kept, in characters: a value of a megabyte is not repeated to the user.
const MAX_MESSAGE: usize = 400;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Offset in bytes from the start of the text.
    pub offset: usize,
}

impl Location {
    /// The place of a byte offset; an offset past the end means the end of the last line.
    pub(crate) fn in_text(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        if offset == text.len() && text.ends_with('\n') {
            offset -= if text.ends_with("\r\n") { 2 } else { 1 };
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1, offset }
    }
}

/// What is wrong with a configuration, where, and what would be right.
///
/// `{}` prints one line, `file:line:column: key: message`; `{:#}` adds the help. As a [`miette::Diagnostic`] it draws
/// the lines around the fault with an arrow.
#[derive(Clone)]
pub struct ConfigError {
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    file: String,
    key: String,
    message: String,
    help: String,
    place: Option<Place>,
}

#[derive(Clone)]
struct Place {
    location: Location,
    length: usize,
    code: Arc<NamedSource<String>>,
}

impl ConfigError {
    /// An error at a span of bytes of a source. An empty `key` means that no key is to blame.
    pub(crate) fn at(
        source: &Source,
        span: Range<usize>,
        key: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let location = Location::in_text(&source.text, span.start);
        let on_this_line =
            source.text[location.offset..].find(['\r', '\n']).unwrap_or(source.text.len() - location.offset);
        let length = span.end.saturating_sub(location.offset).min(on_this_line);
        let code = Arc::new(NamedSource::new(printable(&source.name), source.text.clone()).with_language("YAML"));
        Self::build(&source.name, key, message.into(), help.into(), Some(Place { location, length, code }))
    }

    /// An error on a line (from 1) of a text that another parser has read, such as a URDF.
    pub fn on_line(
        source: &Source,
        line: usize,
        key: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let start: usize = source.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let text = source.text[start..].lines().next().unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        Self::at(source, start + indent..start + text.len(), key, message, help)
    }

    /// An error about a file as a whole: it cannot be read, it is too large.
    pub fn whole_file(name: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::build(name, "", message.into(), help.into(), None)
    }

    fn build(file: &str, key: &str, message: String, help: String, place: Option<Place>) -> Self {
        let (file, key) = (printable(file), printable(key));
        let inner = Inner { file, key, message: printable(&message), help: printable(&help), place };
        Self { inner: Box::new(inner) }
    }

    /// Name of the file, as it was given to [`Source`].
    pub fn file(&self) -> &str {
        &self.inner.file
    }

    /// Line, from 1; `None` when the file could not be read at all.
    pub fn line(&self) -> Option<usize> {
        self.location().map(|location| location.line)
    }

    /// Place of the fault; `None` when the file could not be read at all.
    pub fn location(&self) -> Option<Location> {
        self.inner.place.as_ref().map(|place| place.location)
    }

    /// Path of the key to blame, such as `servos.left_front_coxa.channel`; `None` for a fault in the syntax.
    pub fn key(&self) -> Option<&str> {
        Some(self.inner.key.as_str()).filter(|key| !key.is_empty())
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// What would be right.
    pub fn remedy(&self) -> &str {
        &self.inner.help
    }
}

/// Control characters escaped and length bounded, so that an error stays one line and a file cannot drive a terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_MESSAGE));
    for (count, character) in text.chars().enumerate() {
        if count == MAX_MESSAGE {
            out.push_str("...");
            break;
        }
        if character.is_control() {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { file, key, message, help, place } = &*self.inner;
        f.write_str(file)?;
        if let Some(Place { location, .. }) = place {
            write!(f, ":{}:{}", location.line, location.column)?;
        }
        if !key.is_empty() {
            write!(f, ": {key}")?;
        }
        write!(f, ": {message}")?;
        if f.alternate() && !help.is_empty() {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigError({self:#})")
    }
}

impl std::error::Error for ConfigError {}

impl Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = &self.inner.help;
        (!help.is_empty()).then(|| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.inner.place.as_ref().map(|place| &*place.code as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.inner.place.as_ref()?;
        let label = LabeledSpan::new(Some("here".into()), place.location.offset, place.length);
        Some(Box::new(std::iter::once(label)))
    }
}
