//! One pass over the parser's events: builds the tree and refuses what a configuration should not hold.
//!
//! Nothing here or in the parser recurses, so a file of a hundred thousand brackets costs an error and no stack.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};

use crate::error::{ConfigError, Faults};
use crate::location::Location;
use crate::parser_words::explain;
use crate::scalar::Scalar;
use crate::source::Source;
use crate::tree::{Kind, Node, NodeId, Pair, Step, Tree, Voids, push_step};

/// Deepest nesting of mappings and lists that is read.
pub const MAX_DEPTH: usize = 32;

/// Most values in a file. Bounds the time a file can cost where its size in bytes does not.
const MAX_VALUES: usize = 20_000;

/// Parses a text without byte order mark; `None` when it says nothing. Values that are refused one by one and keys that are
/// given twice are noted, and void in the tree.
pub(crate) fn build(source: &Source, faults: &mut Faults) -> Result<Option<Tree>, ConfigError> {
    let mut builder = Builder::new(source);
    let read = builder.read();
    let noted = std::mem::take(&mut builder.faults);
    noted.into_iter().for_each(|fault| faults.add(fault));
    read.map(|()| builder.finish()).map_err(|error| {
        let mut all = std::mem::take(faults);
        all.add(error.clone());
        all.into_result().err().unwrap_or(error)
    })
}

/// A mapping or a list whose end has not come yet.
struct Frame {
    node: NodeId,
    /// `Some` in a mapping: the keys so far, with their spans.
    keys: Option<HashMap<String, Range<usize>>>,
    /// In a mapping: the key whose value comes next.
    pending: Option<(String, Scalar, Range<usize>)>,
    /// The pending key has been given before: its value does not count.
    again: bool,
}

impl Frame {
    fn wants_key(&self) -> bool {
        self.keys.is_some() && self.pending.is_none()
    }
}

struct Builder<'s> {
    source: &'s Source,
    /// Byte offset of every character.
    offsets: Vec<usize>,
    /// Index in `offsets` of the first character of every line.
    lines: Vec<usize>,
    nodes: Vec<Node>,
    stack: Vec<Frame>,
    root: Option<NodeId>,
    documents: usize,
    faults: Vec<ConfigError>,
    void: Voids,
}

/// Faults that are noted before the rest of a file is given up.
const MOST_FAULTS: usize = 32;

impl<'s> Builder<'s> {
    fn new(source: &'s Source) -> Self {
        let newlines = source.text.chars().enumerate().filter(|(_, character)| *character == '\n');
        let lines = std::iter::once(0).chain(newlines.map(|(index, _)| index + 1)).collect();
        let offsets = source.text.char_indices().map(|(offset, _)| offset).collect();
        let (nodes, stack) = (Vec::new(), Vec::new());
        Self { source, offsets, lines, nodes, stack, root: None, documents: 0, faults: Vec::new(), void: Voids::new() }
    }

    fn read(&mut self) -> Result<(), ConfigError> {
        let mut parser = Parser::new_from_str(&self.source.text);
        while let Some(event) = parser.next_event() {
            match event {
                Ok((event, span)) => self.event(event, span)?,
                Err(error) => return Err(self.syntax_error(&error)),
            }
        }
        Ok(())
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), ConfigError> {
        let span = self.bytes(span);
        if self.nodes.len() >= MAX_VALUES {
            let help = "check that this is the file you meant";
            return Err(self.error(span, format!("more than {MAX_VALUES} values"), help));
        }
        match event {
            Event::DocumentStart(_) => self.document_start(span),
            Event::Alias(_) => Err(self.alias(span)),
            Event::Scalar(_, _, anchor, tag) if anchor != 0 || tag.is_some() => {
                Err(self.decorated(span, tag.is_some()))
            }
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) if anchor != 0 || tag.is_some() => {
                Err(self.decorated(span, tag.is_some()))
            }
            Event::Scalar(text, style, ..) => self.scalar(&text, style, span),
            Event::SequenceStart(..) => self.open(Kind::Sequence(Vec::new()), span),
            Event::MappingStart(..) => self.open(Kind::Mapping(Vec::new()), span),
            Event::SequenceEnd | Event::MappingEnd => {
                self.stack.pop();
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn document_start(&mut self, span: Range<usize>) -> Result<(), ConfigError> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        let help = "keep one document in a file: remove the `---` and what follows it";
        Err(self.error(span, "a second YAML document starts here", help))
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, span: Range<usize>) -> Result<(), ConfigError> {
        let scalar = if style == ScalarStyle::Plain {
            self.refuse_second_line(&span)?;
            Scalar::from_plain(text)
        } else {
            Ok(Scalar::String(text.to_owned()))
        };
        let refused = scalar.as_ref().err().map(|(message, help)| self.error(span.clone(), message, help));
        let is_refused = refused.is_some();
        refused.map_or(Ok(()), |fault| self.go_on_after(fault))?;
        let scalar = scalar.unwrap_or(Scalar::Null);
        if self.stack.last().is_some_and(Frame::wants_key) {
            if style == ScalarStyle::Plain && text == "<<" {
                return Err(self.error(span, "merge keys (`<<`) are not supported here", "write the values out"));
            }
            return self.key(text, scalar, span);
        }
        let id = self.add(Kind::Scalar(scalar), span);
        if is_refused {
            self.void.insert(id);
        }
        Ok(())
    }

    fn key(&mut self, text: &str, scalar: Scalar, span: Range<usize>) -> Result<(), ConfigError> {
        let known = self.stack.last().and_then(|frame| frame.keys.as_ref()?.get(text).cloned());
        let again = known.is_some();
        if let Some(first) = known {
            let fault = self.duplicate(text, first, span.clone());
            self.go_on_after(fault)?;
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.keys.get_or_insert_default().entry(text.to_owned()).or_insert_with(|| span.clone());
            (frame.pending, frame.again) = (Some((text.to_owned(), scalar, span)), again);
        }
        Ok(())
    }

    /// Notes a fault, unless there have been many.
    fn go_on_after(&mut self, fault: ConfigError) -> Result<(), ConfigError> {
        if self.faults.len() >= MOST_FAULTS {
            return Err(fault);
        }
        self.faults.push(fault);
        Ok(())
    }

    /// YAML joins indented lines to unquoted text, so a forgotten colon would swallow the next key.
    fn refuse_second_line(&self, span: &Range<usize>) -> Result<(), ConfigError> {
        let text = self.source.text[span.clone()].trim_end();
        let Some(newline) = text.find('\n') else { return Ok(()) };
        let rest = &text[newline..];
        let start = span.start + newline + rest.len() - rest.trim_start().len();
        let message = "this line continues the unquoted text above";
        Err(self.error(start..span.end, message, "a colon or its indentation is missing; quote text of several lines"))
    }

    fn open(&mut self, kind: Kind, span: Range<usize>) -> Result<(), ConfigError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(self.error(span, too_deep(), TOO_DEEP_HELP));
        }
        if let Some(Frame { keys: Some(_), pending: None, .. }) = self.stack.last() {
            return Err(self.error(
                span,
                "a key must be a single word",
                "write `key: value`; quote text that starts with a bracket or brace",
            ));
        }
        let keys = matches!(kind, Kind::Mapping(_)).then(HashMap::new);
        let node = self.add(kind, span);
        self.stack.push(Frame { node, keys, pending: None, again: false });
        Ok(())
    }

    /// Hangs a value into the mapping or list that is open.
    fn add(&mut self, kind: Kind, span: Range<usize>) -> NodeId {
        let id = NodeId(self.nodes.len());
        let mut key_span = None;
        match self.stack.last_mut() {
            None => self.root = Some(id),
            Some(frame) => match (&mut self.nodes[frame.node.0].kind, frame.pending.take()) {
                (Kind::Mapping(pairs), Some((key, key_scalar, at))) => {
                    key_span = Some(at);
                    if std::mem::take(&mut frame.again) {
                        self.void.insert(id);
                    }
                    pairs.push(Pair { key, key_scalar, value: id });
                }
                (Kind::Sequence(items), _) => items.push(id),
                // A frame belongs to a mapping or a list, and a value in a mapping follows its key.
                (Kind::Scalar(_) | Kind::Mapping(_), _) => {}
            },
        }
        self.nodes.push(Node { span, key_span, layer: 0, kind });
        id
    }

    fn finish(self) -> Option<Tree> {
        let root = self.root.filter(|root| !is_null(&self.nodes[root.0]) || self.void.contains(root))?;
        Some(Tree { nodes: self.nodes, root, void: self.void, taken: Vec::new() })
    }

    /// Path of what is being read.
    fn path(&self) -> String {
        let mut path = String::new();
        let innermost = self.stack.len().saturating_sub(1);
        for (depth, frame) in self.stack.iter().enumerate() {
            let step = match &self.nodes[frame.node.0].kind {
                // Outside the innermost mapping the key was taken when its value opened.
                Kind::Mapping(pairs) if depth < innermost => pairs.last().map(|pair| Step::Key(pair.key.clone())),
                Kind::Mapping(_) => frame.pending.as_ref().map(|(key, ..)| Step::Key(key.clone())),
                Kind::Sequence(items) if depth < innermost => Some(Step::Index(items.len().saturating_sub(1))),
                Kind::Sequence(items) => Some(Step::Index(items.len())),
                Kind::Scalar(_) => None,
            };
            if let Some(step) = step {
                push_step(&mut path, &step);
            }
        }
        path
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> ConfigError {
        ConfigError::at(self.source, span, &self.path(), message, help)
    }

    fn duplicate(&self, key: &str, first: Range<usize>, span: Range<usize>) -> ConfigError {
        let line = Location::in_text(&self.source.text, first.start).line;
        let mut path = self.path();
        push_step(&mut path, &Step::Key(key.to_owned()));
        let message = format!("`{key}` is given twice, first in line {line}");
        ConfigError::at(self.source, span, &path, message, "remove one of the two")
    }

    fn alias(&self, span: Range<usize>) -> ConfigError {
        self.error(
            span,
            "aliases (`*name`) are not supported here",
            "write the value out; quote text that starts with `*`",
        )
    }

    fn decorated(&self, span: Range<usize>, tagged: bool) -> ConfigError {
        if tagged {
            self.error(span, "tags (`!name`) are not supported here", "remove the tag; quote text that starts with `!`")
        } else {
            self.error(
                span,
                "anchors (`&name`) are not supported here",
                "write the values out; quote text that starts with `&`",
            )
        }
    }

    fn syntax_error(&self, error: &ScanError) -> ConfigError {
        let at = self.byte(error.marker());
        if error.info().contains("unknown anchor") {
            return self.alias(at..at + 1);
        }
        if let Some(tab) = self.tab_near(Location::in_text(&self.source.text, at).line) {
            let help = "indent with spaces";
            return ConfigError::at(self.source, tab..tab + 1, "", "a tab cannot indent YAML", help);
        }
        if error.info().contains("recursion limit") {
            return ConfigError::at(self.source, at..at + 1, "", too_deep(), TOO_DEEP_HELP);
        }
        let (message, help) = explain(error.info());
        ConfigError::at(self.source, at..at + 1, "", message, help)
    }

    /// Offset of a tab in the indentation of a line or of its neighbours, where the parser notices it.
    fn tab_near(&self, line: usize) -> Option<usize> {
        [line.saturating_sub(1), line, line + 1].into_iter().filter(|line| *line > 0).find_map(|line| {
            let start = *self.offsets.get(*self.lines.get(line - 1)?)?;
            let text = self.source.text[start..].lines().next()?;
            let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
            let after = text[indent..].trim_end();
            if after.is_empty() || after.starts_with('#') {
                return None;
            }
            text[..indent].find('\t').map(|tab| start + tab)
        })
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        let start = self.byte(&span.start);
        start..self.byte(&span.end).max(start)
    }

    /// Byte offset of a mark, from its line and column: its index is not always in characters.
    fn byte(&self, mark: &Marker) -> usize {
        let line = self.lines.get(mark.line().saturating_sub(1));
        let offset = line.and_then(|start| self.offsets.get(start + mark.col()));
        offset.copied().unwrap_or(self.source.text.len())
    }
}

/// The error for a text that says nothing.
pub(crate) fn nothing(source: &Source) -> ConfigError {
    let message = if source.text.contains('#') { "the file holds only comments" } else { "the file is empty" };
    ConfigError::at(source, 0..0, "", message, "start from the shipped file of this name")
}

const TOO_DEEP_HELP: &str = "no configuration file needs this many: check the brackets and the indentation";

fn too_deep() -> String {
    format!("nested more than {MAX_DEPTH} levels deep")
}

fn is_null(node: &Node) -> bool {
    matches!(node.kind, Kind::Scalar(Scalar::Null))
}
