//! The one error of this crate: where, which key, what is wrong, what would be right.

use std::fmt;
use std::ops::Range;

use crate::location::Location;
use crate::source::Source;

/// Longest message kept, in characters: a value of a megabyte is not repeated to the user.
const MAX_MESSAGE: usize = 800;

/// What is wrong with a configuration, where, and what would be right.
///
/// `{}` prints one line, `file:line:column: key: message`; `{:#}` adds the help, and [`drawn`](Self::drawn) the line at
/// fault. It stands for one fault or for several that were found together: [`each`](Self::each) lists them, all else
/// speaks of the first.
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
    /// Whether a value is of another form than is wanted, as a list in the place of a mapping.
    of_form: bool,
    others: Vec<ConfigError>,
}

#[derive(Clone)]
struct Place {
    location: Location,
    /// The line at fault, or the part of it around the fault.
    text: String,
    /// Where in `text` the fault is, in characters.
    marked: Range<usize>,
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
        let place = Place::in_line(&source.text, location, span.end);
        Self::build(&source.name, key, message.into(), help.into(), Some(place))
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
        let inner = Inner {
            file,
            key,
            message: printable(&message),
            help: printable(&help),
            place,
            of_form: false,
            others: vec![],
        };
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

    /// All faults it stands for, in the order in which they were found.
    pub fn each(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.inner.others)
    }

    /// This and another together; what both say is said once.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let mut other = other;
        let rest = std::mem::take(&mut other.inner.others);
        for error in std::iter::once(other).chain(rest) {
            if !self.each().any(|known| known.says_the_same(&error)) {
                self.inner.others.push(error);
            }
        }
        self
    }

    /// The same fault, of a value that is of another form than is wanted.
    pub(crate) fn of_form(mut self) -> Self {
        self.inner.of_form = true;
        self
    }

    /// Without the faults of a whole one of whose parts is of the wrong form: what is wrong with the whole is known once the
    /// part holds.
    fn without_what_follows(&self) -> Self {
        let is_part = |part: &str, whole: &str| {
            part.strip_prefix(whole).is_some_and(|rest| {
                rest.is_empty() || (rest.starts_with(['.', '[']) && !rest[1..].contains(['.', '[']))
            })
        };
        let parts: Vec<&str> = self.each().filter(|error| error.inner.of_form).filter_map(Self::key).collect();
        let follows = |error: &Self| {
            !error.inner.of_form && error.key().is_some_and(|key| parts.iter().any(|part| is_part(part, key)))
        };
        self.each().filter(|error| !follows(error)).map(Self::alone).reduce(Self::and).unwrap_or_else(|| self.clone())
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let said = |error: &Self| (error.inner.file.clone(), error.location(), error.inner.key.clone());
        said(self) == said(other) && self.inner.message == other.inner.message
    }

    /// The same faults, each with what else would be right, where there is something to say.
    #[must_use]
    pub fn hinted(&self, hint: impl Fn(&Self) -> Option<String>) -> Self {
        let hinted = |error: &Self| {
            let mut own = error.alone();
            if let Some(more) = hint(error) {
                let (help, more) = (&mut own.inner.help, printable(&more));
                *help = if help.is_empty() { more } else { format!("{help}; {more}") };
            }
            own
        };
        self.each().map(hinted).reduce(Self::and).unwrap_or_else(|| self.clone())
    }

    /// The same faults, of those that are meant with something before their keys.
    #[must_use]
    pub fn below(&self, prefix: &str, is_meant: impl Fn(&Self) -> bool) -> Self {
        let below = |error: &Self| {
            let mut own = error.alone();
            if is_meant(error) {
                own.inner.key = printable(&format!("{prefix}{}", own.inner.key));
            }
            own
        };
        self.each().map(below).reduce(Self::and).unwrap_or_else(|| self.clone())
    }

    /// The same faults file by file, those of a file by line.
    #[must_use]
    pub fn in_order(self) -> Self {
        let mut all: Vec<Self> = self.each().map(Self::alone).collect();
        let files: Vec<String> = all.iter().map(|error| error.inner.file.clone()).collect();
        let first = |file: &str| files.iter().position(|known| known == file);
        all.sort_by_key(|error| (first(error.file()), error.location().map(|location| location.offset)));
        all.into_iter().reduce(Self::and).unwrap_or(self)
    }

    fn alone(&self) -> Self {
        Self { inner: Box::new(Inner { others: vec![], ..(*self.inner).clone() }) }
    }

    /// The line at fault with a mark below it, and the help, each line indented; for the terminal, after the line that
    /// `{}` prints.
    #[must_use]
    pub fn drawn(&self) -> String {
        let mut out = String::new();
        if let Some(Place { location, text, marked }) = &self.inner.place {
            let (line, blank) = (location.line.to_string(), " ".repeat(marked.start));
            let (margin, mark) = (" ".repeat(line.len()), "^".repeat(marked.len().max(1)));
            out = format!("  {line} | {text}\n  {margin} | {blank}{mark}\n");
        }
        if !self.inner.help.is_empty() {
            out.push_str(&format!("  {}\n", self.inner.help));
        }
        out
    }
}

impl Place {
    /// The line of a location, with a fault that ends at the byte `end` or with the line.
    fn in_line(text: &str, location: Location, end: usize) -> Self {
        let column = location.column - 1;
        let start = text[..location.offset].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].split(['\r', '\n']).next().unwrap_or_default();
        let length = text.get(location.offset..end.min(start + line.len())).map_or(1, |fault| fault.chars().count());
        let from = column.saturating_sub(LINE_BEFORE);
        let plain = |character: char| if character.is_control() { ' ' } else { character };
        let part: String = line.chars().skip(from).take(LINE_BEFORE + LINE_AFTER).map(plain).collect();
        let marked = column - from;
        let length = length.clamp(1, part.chars().count().saturating_sub(marked).max(1));
        Self { location, text: part, marked: marked..marked + length }
    }
}

/// What is shown of a line: so many characters before the fault, and from it on.
const LINE_BEFORE: usize = 60;
const LINE_AFTER: usize = 100;

/// Takes down what goes wrong while things are read that do not need each other.
#[derive(Debug, Default)]
pub struct Faults(Option<ConfigError>);

impl Faults {
    /// The value, or nothing where an error stands in its place, which is taken down.
    pub fn note<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Takes an error down.
    pub fn add(&mut self, error: ConfigError) {
        self.0 = Some(match self.0.take() {
            Some(known) => known.and(error),
            None => error,
        });
    }

    /// Whether a value below this key, or that of the key itself, is of another form than is wanted.
    #[must_use]
    pub fn has_wrong_form(&self, key: &str) -> bool {
        let mut all = self.0.iter().flat_map(ConfigError::each).filter(|error| error.inner.of_form);
        all.any(|error| {
            error
                .key()
                .and_then(|own| own.strip_prefix(key))
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    }

    /// Whether anything is wrong with this key or with what is below it.
    #[must_use]
    pub fn has_below(&self, key: &str) -> bool {
        let mut keys = self.0.iter().flat_map(ConfigError::each).filter_map(ConfigError::key);
        keys.any(|own| own.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '['])))
    }

    /// Whether nothing has gone wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What has gone wrong, as one error.
    ///
    /// # Errors
    /// Anything has.
    pub fn into_result(self) -> Result<(), ConfigError> {
        self.0.map_or(Ok(()), |error| Err(error.without_what_follows()))
    }

    /// The value, unless anything has gone wrong.
    ///
    /// # Errors
    /// Anything has. There is always an error where there is no value.
    pub fn or<T>(self, value: Option<T>) -> Result<T, ConfigError> {
        self.into_result()?;
        value.ok_or_else(|| ConfigError::whole_file("configuration", "it could not be read", ""))
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
        let Inner { file, key, message, help, place, .. } = &*self.inner;
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
