//! One pass over the parser's events: builds the tree and refuses what a configuration should not hold.
//!
//! Nothing here or in the parser recurses, so a file of a hundred thousand brackets costs an error and no stack.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};

use crate::error::{ConfigError, Location};
use crate::scalar::Scalar;
use crate::source::Source;
use crate::tree::{Kind, Node, NodeId, Pair, Step, Tree, push_step};

/// Deepest nesting of mappings and lists that is read.
pub const MAX_DEPTH: usize = 32;

/// Most values in a file. Bounds the time a file can cost where its size in bytes does not.
const MAX_VALUES: usize = 20_000;

/// Parses a text without byte order mark; `None` when it says nothing.
pub(crate) fn build(source: &Source) -> Result<Option<Tree>, ConfigError> {
    let mut builder = Builder::new(source);
    let mut parser = Parser::new_from_str(&source.text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => builder.event(event, span)?,
            Err(error) => return Err(builder.syntax_error(&error)),
        }
    }
    Ok(builder.finish())
}

/// A mapping or a list whose end has not come yet.
struct Frame {
    node: NodeId,
    /// `Some` in a mapping: the keys so far, with their spans.
    keys: Option<HashMap<String, Range<usize>>>,
    /// In a mapping: the key whose value comes next.
    pending: Option<(String, Scalar, Range<usize>)>,
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
}

impl<'s> Builder<'s> {
    fn new(source: &'s Source) -> Self {
        let newlines = source.text.chars().enumerate().filter(|(_, character)| *character == '\n');
        let lines = std::iter::once(0).chain(newlines.map(|(index, _)| index + 1)).collect();
        let offsets = source.text.char_indices().map(|(offset, _)| offset).collect();
        Self { source, offsets, lines, nodes: Vec::new(), stack: Vec::new(), root: None, documents: 0 }
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
        let scalar = scalar.map_err(|(message, help)| self.error(span.clone(), message, help))?;
        if let Some(Frame { keys: Some(keys), pending: pending @ None, .. }) = self.stack.last_mut() {
            if style == ScalarStyle::Plain && text == "<<" {
                return Err(self.error(span, "merge keys (`<<`) are not supported here", "write the values out"));
            }
            match keys.insert(text.to_owned(), span.clone()) {
                None => *pending = Some((text.to_owned(), scalar, span)),
                Some(first) => return Err(self.duplicate(text, first, span)),
            }
            return Ok(());
        }
        self.add(Kind::Scalar(scalar), span);
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
        self.stack.push(Frame { node, keys, pending: None });
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
        let root = self.root.filter(|root| !is_null(&self.nodes[root.0]))?;
        Some(Tree { nodes: self.nodes, root })
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

/// The parser's words, with what usually causes them.
fn explain(info: &str) -> (String, &'static str) {
    let help = if info.contains("escape") {
        "in double quotes a backslash starts an escape: write it twice, or use single quotes"
    } else if info.contains("quoted scalar") {
        "close the quote"
    } else if info.contains("flow") || info.contains("bracket") || info.contains("','") {
        "check the brackets, braces and commas"
    } else if info.contains("simple key") || info.contains("mapping values") || info.contains("':'") {
        "write `key: value` with a space after the colon, and indent all keys of a mapping alike"
    } else {
        "check the indentation, colons, quotes and brackets here and in the line above"
    };
    (format!("this is not valid YAML: {info}"), help)
}
