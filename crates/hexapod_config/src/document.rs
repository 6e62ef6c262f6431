//! A parsed file, or several as layers: typed access by path, and errors that point into them.

use crate::error::{ConfigError, Faults};
use crate::location::Location;
use crate::reading::{self, MAX_BYTES};
use crate::scalar::Scalar;
use crate::source::Source;
use crate::tree::{Kind, Lookup, NodeId, Pair, Step, Tree, push_step};
use crate::{layers, tree_builder};

/// A configuration file that is sound YAML: one document, no key twice, no alias, anchor or tag, bounded size and
/// depth, finite numbers. Or several such files as [layers](Document::layered).
#[derive(Debug)]
pub struct Document {
    /// The lowest layer first.
    sources: Vec<Source>,
    tree: Tree,
    /// What is wrong with it, where it was read all the same.
    fault: Option<ConfigError>,
}

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key itself.
    pub key: String,
    /// Path from the top of the file.
    pub path: String,
    /// Where the key stands.
    pub location: Location,
    /// The value, unless it is a mapping or a list.
    pub scalar: Option<Scalar>,
}

impl Document {
    /// Parses a text. A byte order mark is dropped; lines may end in LF or CR LF.
    ///
    /// # Errors
    /// For everything that keeps the text from being one plain YAML document; see [`Document`].
    pub fn parse(source: Source) -> Result<Self, ConfigError> {
        Self::parse_on(source)?.sound()
    }

    /// As [`parse`](Self::parse), but goes on after a number that cannot be and a key that is given twice: what makes
    /// values of the document tells these faults together with its own.
    ///
    /// # Errors
    /// For what leaves nothing to go on with.
    pub fn parse_on(source: Source) -> Result<Self, ConfigError> {
        Self::build(source)?.map_err(|source| tree_builder::nothing(&source))
    }

    /// As [`parse_on`](Self::parse_on), for a file that may say nothing: `None` where it is empty or holds only comments.
    ///
    /// # Errors
    /// As [`Document::parse_on`].
    pub fn parse_layer(source: Source) -> Result<Option<Self>, ConfigError> {
        Self::build(source).map(Result::ok)
    }

    /// The document, unless something is wrong with it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn sound(self) -> Result<Self, ConfigError> {
        self.fault.clone().map_or(Ok(self), Err)
    }

    /// The document, or the source of one that says nothing.
    fn build(mut source: Source) -> Result<Result<Self, Source>, ConfigError> {
        if source.text.len() > MAX_BYTES {
            return Err(reading::too_large(&source.name));
        }
        if source.text.starts_with('\u{feff}') {
            source.text.remove(0);
        }
        refuse_control_characters(&source)?;
        let mut faults = Faults::default();
        let tree = tree_builder::build(&source, &mut faults)?;
        let fault = faults.into_result().err();
        Ok(match tree {
            Some(tree) => Ok(Self { sources: vec![source], tree, fault }),
            None => Err(source),
        })
    }

    /// This document with another one over it, key by key: where both have a mapping, its keys are merged; all else of
    /// `above`, lists included, replaces what is below. `key: null` takes a key away; a key with nothing after it leaves
    /// the mapping below as it is. Every key keeps the file and line it stands in.
    #[must_use]
    pub fn layered(mut self, above: Self) -> Self {
        layers::overlay(&mut self.tree, above.tree, self.sources.len());
        self.sources.extend(above.sources);
        self.fault = [self.fault, above.fault].into_iter().flatten().reduce(ConfigError::and);
        self
    }

    /// Number of the layer in which a value stands, from 0 for the lowest; for a mapping the topmost that has some of it.
    /// `None` when there is no such key.
    pub fn layer(&self, key_path: &str) -> Option<usize> {
        match self.tree.find(key_path) {
            Lookup::Exact(node) => Some(self.tree.node(node).layer),
            Lookup::Parent(_) => None,
        }
    }

    /// What stands at one path in place of what stands at a key of the whole, if there is anything. Every key keeps the file and
    /// line it stands in.
    #[must_use]
    pub fn with_moved(mut self, from: &str, to: &str) -> Self {
        if let Lookup::Exact(node) = self.tree.find(from) {
            self.tree.move_to_top(node, to);
        }
        self
    }

    /// As [`Source::read`] and [`parse_on`](Self::parse_on).
    ///
    /// # Errors
    /// For what leaves nothing to go on with.
    pub fn read_on(path: impl AsRef<std::path::Path>) -> Result<Self, ConfigError> {
        Self::parse_on(Source::read(path)?)
    }

    /// Reads and parses a file.
    ///
    /// # Errors
    /// As [`Source::read`] and [`Document::parse`].
    pub fn read(path: impl AsRef<std::path::Path>) -> Result<Self, ConfigError> {
        Self::parse(Source::read(path)?)
    }

    /// The text that was parsed, without byte order mark, and its name; of layers, the topmost.
    pub fn source(&self) -> &Source {
        &self.sources[self.sources.len() - 1]
    }

    /// The file in which a node stands.
    pub(crate) fn source_of(&self, node: NodeId) -> &Source {
        &self.sources[self.tree.node(node).layer]
    }

    /// The name of the file in which a value stands. `None` when there is no such key.
    pub fn file_of(&self, key_path: &str) -> Option<&str> {
        match self.tree.find(key_path) {
            Lookup::Exact(node) => Some(&self.source_of(node).name),
            Lookup::Parent(_) => None,
        }
    }

    /// The keys directly below a mapping, in the order of the file; none when the path leads to no mapping.
    pub fn entries(&self, path: &str) -> Vec<Entry> {
        let Lookup::Exact(node) = self.tree.find(path) else { return Vec::new() };
        let entry = |pair: &Pair| {
            let value = self.tree.node(pair.value);
            let mut path = path.to_owned();
            push_step(&mut path, &Step::Key(pair.key.clone()));
            let offset = value.key_span.as_ref().unwrap_or(&value.span).start;
            let scalar = if let Kind::Scalar(scalar) = &value.kind { Some(scalar.clone()) } else { None };
            let location = Location::in_text(&self.source_of(pair.value).text, offset);
            Entry { key: pair.key.clone(), path, location, scalar }
        };
        self.tree.pairs(node).iter().map(entry).collect()
    }

    /// An error that was found later, by whoever knows what the values mean, at the line of a key. When the key does
    /// not exist the error points at the nearest parent that does.
    pub fn error_at(&self, key_path: &str, message: impl Into<String>, help: impl Into<String>) -> ConfigError {
        let (Lookup::Exact(node) | Lookup::Parent(node)) = self.tree.find(key_path);
        ConfigError::at(self.source_of(node), self.tree.pointed(node), key_path, message, help)
    }

    /// An error at the `null` by which a layer takes a key of a mapping away; none where none does.
    pub fn error_at_null(&self, mapping: &str, key: &str, message: &str, help: &str) -> Option<ConfigError> {
        let Lookup::Exact(node) = self.tree.find(mapping) else { return None };
        let null = self.tree.taken_by(node, key).filter(|_| self.tree.child(node, &Step::Key(key.into())).is_none())?;
        Some(self.error_at_value(null, &format!("{mapping}.{key}"), message.into(), help.into()))
    }

    /// Where a value stands; for a value of several lines, where its key stands. `None` when there is no such key.
    pub fn location(&self, key_path: &str) -> Option<Location> {
        match self.tree.find(key_path) {
            Lookup::Exact(node) => Some(Location::in_text(&self.source_of(node).text, self.tree.pointed(node).start)),
            Lookup::Parent(_) => None,
        }
    }

    /// What is wrong with the document itself.
    pub(crate) fn fault(&self) -> Option<&ConfigError> {
        self.fault.as_ref()
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// An error at the key of a node rather than at its value.
    pub(crate) fn error_at_key(&self, node: NodeId, path: &str, message: String, help: String) -> ConfigError {
        let span = self.tree.node(node).key_span.clone().unwrap_or_else(|| self.tree.pointed(node));
        ConfigError::at(self.source_of(node), span, path, message, help)
    }

    pub(crate) fn error_at_value(&self, node: NodeId, path: &str, message: String, help: String) -> ConfigError {
        ConfigError::at(self.source_of(node), self.tree.pointed(node), path, message, help)
    }
}

/// Control characters other than tab and line ends are not printable YAML (1.2.2, section 5.1), and a carriage
/// return alone would make our line numbers differ from an editor's.
fn refuse_control_characters(source: &Source) -> Result<(), ConfigError> {
    let mut characters = source.text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let line_end = matches!(characters.peek(), Some((_, '\n')));
        let fine = matches!(character, '\n' | '\t') || (character == '\r' && line_end) || !character.is_control();
        if !fine {
            let span = offset..offset + character.len_utf8();
            let message = format!("control character U+{:04X}", u32::from(character));
            return Err(ConfigError::at(source, span, "", message, "remove it; end lines with LF or CR LF"));
        }
    }
    Ok(())
}
