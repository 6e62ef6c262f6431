//! The text of a document with other values in it; all else, comments included, stays as it is.

use std::ops::Range;

use crate::document::Document;
use crate::error::ConfigError;
use crate::tree::{Kind, Lookup, NodeId, Pair, Tree};

/// Another value for one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Path of the key.
    pub path: String,
    /// What it shall be, as written in YAML.
    pub value: String,
    /// Path of the key after which it is put in if it is not there.
    pub after: String,
}

impl Document {
    /// The text with other scalars at some paths; all else, comments included, stays as it is. A key that is not there is
    /// put in after `after`, a scalar in the same mapping.
    ///
    /// # Errors
    /// There is neither a scalar at a path nor at its `after`.
    pub fn edited(&self, edits: &[Edit]) -> Result<String, ConfigError> {
        let mut changes = edits.iter().map(|edit| self.change(edit)).collect::<Result<Vec<_>, _>>()?;
        changes.sort_by_key(|(span, _)| span.start);
        let mut text = self.source().text.clone();
        for (span, replacement) in changes.into_iter().rev() {
            text.replace_range(span, &replacement);
        }
        Ok(text)
    }

    fn change(&self, edit: &Edit) -> Result<(Range<usize>, String), ConfigError> {
        if let Some(span) = self.scalar_span(&edit.path) {
            return Ok((span, edit.value.clone()));
        }
        let after = self.scalar_span(&edit.after);
        let after = after.ok_or_else(|| self.error_at(&edit.path, "there is no plain value here to change", ""))?;
        let key = edit.path.rsplit('.').next().unwrap_or(&edit.path);
        let whole = &self.source().text;
        let line_start = whole[..after.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &whole[line_start..after.start];
        let indent = &before[..before.len() - before.trim_start().len()];
        // One key a line, or several in braces.
        let plain = !before.contains(['{', ',']);
        let between = if plain { format!("\n{indent}") } else { ", ".into() };
        if plain {
            let end = whole[after.end..].find('\n').map_or(whole.len(), |at| after.end + at);
            return Ok((end..end, format!("{between}{key}: {}", edit.value)));
        }
        Ok((after.end..after.end, format!("{between}{key}: {}", edit.value)))
    }

    /// The text with other lines for one entry of a mapping, which has one entry a line or more; an entry that is not
    /// there is put in as the first. `lines` gives them, with their ends, for an indentation in spaces.
    ///
    /// # Errors
    /// The mapping is not there, or is written in braces.
    pub fn with_entry(
        &self,
        mapping: &str,
        key: &str,
        lines: impl FnOnce(usize) -> String,
    ) -> Result<String, ConfigError> {
        let text = &self.source().text;
        let in_braces = || self.error_at(mapping, "this is written in braces", "write one entry a line, indented");
        let Lookup::Exact(parent) = self.tree().find(mapping) else {
            return Err(self.error_at(mapping, "is missing", ""));
        };
        let pairs = self.tree().pairs(parent);
        let place = |pair: &Pair| lines_of(self, pair.value).ok_or_else(in_braces);
        let indent = match pairs.first() {
            Some(pair) => place(pair)?.1,
            None if self.tree().is_blank(parent) => 2,
            None => return Err(in_braces()),
        };
        let span = match pairs.iter().find(|pair| pair.key == key) {
            Some(pair) => place(pair)?.0,
            None => {
                let start = self.tree().node(parent).key_span.as_ref().map_or(0, |span| span.end);
                let at = text[start..].find('\n').map_or(text.len(), |end| start + end + 1);
                at..at
            }
        };
        let before = &text[..span.start];
        let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        Ok(format!("{before}{end}{}{}", lines(indent), &text[span.end..]))
    }

    fn scalar_span(&self, path: &str) -> Option<Range<usize>> {
        let Lookup::Exact(node) = self.tree().find(path) else { return None };
        let node = self.tree().node(node);
        matches!(node.kind, Kind::Scalar(_)).then(|| node.span.clone()).filter(|span| !span.is_empty())
    }
}

/// The lines of an entry, and its indentation; `None` where other things stand in them, too.
fn lines_of(document: &Document, node: NodeId) -> Option<(Range<usize>, usize)> {
    let text = &document.source_of(node).text;
    let key = document.tree().node(node).key_span.clone()?;
    let start = text[..key.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[start..key.start];
    // Brackets that close what is in the entry follow its last value, on the same line.
    let last = last_byte(document.tree(), node).max(key.end);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let rest =
        text[last..end].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']' | ':' | '{' | '['));
    let alone = indent.trim().is_empty() && (rest.is_empty() || rest.starts_with('#'));
    alone.then_some((start..end, indent.len()))
}

/// Where the last value in a value ends.
fn last_byte(tree: &Tree, id: NodeId) -> usize {
    let node = tree.node(id);
    match &node.kind {
        Kind::Scalar(_) => node.span.end,
        Kind::Mapping(pairs) => pairs.iter().map(|pair| last_byte(tree, pair.value)).max().unwrap_or(node.span.start),
        Kind::Sequence(items) => items.iter().map(|item| last_byte(tree, *item)).max().unwrap_or(node.span.start),
    }
}
